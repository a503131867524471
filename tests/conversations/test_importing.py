"""An import as a whole: what it tells, how it ends, and what it leaves."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from convotui.conversations.importing import (
    ImportCancelledError,
    Importer,
    ImportOptions,
    Progress,
)
from convotui.importers import Conversation, Format, Problem, Source, format_named
from convotui.storage import Arrival, Block, InvalidTextError, StorageError, Store
from tests.importers.helpers import SAMPLES, all_of, database, texts
from tests.storage.helpers import draft, seed_file

ORCX = """
CREATE TABLE conversations (id TEXT PRIMARY KEY, model TEXT, agent TEXT, title TEXT,
    messages TEXT, total_tokens INTEGER, total_cost REAL, created_at TEXT,
    updated_at TEXT)
"""


def orcx(path: Path, **conversations: object) -> Path:
    """A file of orcx with these conversations, each a list of texts or anything."""
    path.unlink(missing_ok=True)
    insert = "INSERT INTO conversations (id, model, messages) VALUES (?, 'm', ?)"
    return database(
        path,
        ORCX,
        *(
            (insert, (name, said if isinstance(said, str) else json.dumps(_said(said))))
            for name, said in conversations.items()
        ),
    )


def _said(texts: object) -> list[dict[str, object]]:
    assert isinstance(texts, list)
    roles = ("user", "assistant")
    return [{"role": roles[n % 2], "content": t} for n, t in enumerate(texts)]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "conversations.db"


def test_a_conversation_that_grew_is_extended(store: Store, file: Path) -> None:
    Importer(store).run([orcx(file, a=["one", "two"])])
    report = Importer(store).run([orcx(file, a=["one", "two", "three"], b=["new"])])

    assert (report.intake.new, report.intake.known) == (2, 2)
    last = next(message for message in all_of(store) if message.text == "three")
    assert [message.text for message in store.thread(last.id)] == [
        "one",
        "two",
        "three",
    ]


def test_what_was_said_here_below_an_imported_message_stays(
    store: Store, file: Path
) -> None:
    Importer(store).run([orcx(file, a=["one", "two"])])
    two = next(message for message in all_of(store) if message.text == "two")
    [own] = store.save([draft("my own fork", two.id)])

    Importer(store).run([orcx(file, a=["one", "two", "three"])])

    three = next(message for message in all_of(store) if message.text == "three")
    assert three.parent_id == two.id == store.get([own])[0].parent_id


def test_a_report_tells_what_there_is(store: Store) -> None:
    fixture = SAMPLES.parent / "cpe_seed_era.cpeconvo"
    [file] = Importer(store).run([fixture]).files

    assert (file.name, file.format) == (str(fixture), "cpe")
    assert (file.conversations, file.messages, file.branches) == (5, 20, 1)
    assert file.first == datetime(2025, 6, 1, 8)
    assert file.last == datetime(2026, 2, 14, 13, 0, 4)
    assert (file.new_conversations, file.intake.new) == (5, 20)


def test_a_bad_conversation_is_named_and_the_others_come_in(
    store: Store, file: Path
) -> None:
    told: list[Problem] = []
    orcx(file, a=["one"], b="{not a list", c=["two"], d="{}")
    report = Importer(store, on_problem=told.append).run([file])

    assert texts(store) == ["one", "two"]
    assert [(p.file, p.where) for p in told] == [
        (str(file), "conversation b"),
        (str(file), "conversation d"),
    ]
    assert report.skipped == 2
    assert report.problems == tuple(told)


def test_a_conversation_that_cannot_be_kept_is_named(
    store: Store, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(blocks: object) -> None:
        if any("two" in block.content for block in blocks):  # type: ignore[attr-defined]
            raise InvalidTextError("A block of over 100 MB cannot be saved.")

    # The real limit is so high that a test would take minutes to reach it.
    monkeypatch.setattr("convotui.storage.writing.check_sizes", refuse)
    report = Importer(store).run([orcx(file, a=["one", "two"], b=["three"])])

    assert texts(store) == ["three"]
    assert [problem.where for problem in report.problems] == ["conversation a"]


def test_all_files_are_read_whatever_is_wrong_with_some(
    store: Store, file: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"SQLite format 3\0" + b"\xff" * 5000)
    report = Importer(store).run([broken, orcx(file, a=["one"]), tmp_path / "none"])

    assert texts(store) == ["one"]
    assert {problem.file for problem in report.problems} == {
        str(broken),
        str(tmp_path / "none"),
    }


def test_a_format_can_be_forced(store: Store, file: Path) -> None:
    options = ImportOptions(format=format_named("pingu"))
    report = Importer(store, options).run([orcx(file, a=["one"])])

    assert texts(store) == []
    assert report.skipped == 1


def test_progress_grows_to_the_end(store: Store, file: Path) -> None:
    seen: list[Progress] = []
    orcx(file, **{f"c{n}": ["one", "two"] for n in range(30)})
    Importer(store, on_progress=seen.append).run([file])

    assert [p.messages for p in seen] == sorted(p.messages for p in seen)
    assert (seen[-1].share, seen[-1].conversations, seen[-1].messages) == (1.0, 30, 60)


def test_a_long_conversation_tells_its_progress_too(store: Store, path: Path) -> None:
    seen: list[Progress] = []
    other = path.with_name("other")
    long_thread(other, 3_000)
    Importer(store, on_progress=seen.append).run([other])

    assert len(seen) > 5
    assert 0 < seen[len(seen) // 2].share < 1


def long_thread(path: Path, length: int) -> Path:
    values = "".join(
        f",('m{n}', 'm{n - 1}', 'user', '2026-01-01 00:00:00')"
        for n in range(1, length)
    )
    return seed_file(
        path,
        "INSERT INTO messages (id, parent_id, role, created_at)"
        f" VALUES ('m0', NULL, 'user', '2026-01-01 00:00:00'){values};"
        "INSERT INTO blocks (message_id, block_type, modality_type, mime_type, content,"
        " sequence_order) SELECT id, 'content', 0, 'text/plain', id, 0 FROM messages",
    )


def test_cancelling_keeps_whole_conversations_and_can_go_on(
    store: Store, file: Path
) -> None:
    orcx(file, **{f"c{n}": ["one", "two", "three"] for n in range(9)})
    importer = Importer(
        store, on_progress=lambda p: importer.cancel() if p.conversations == 4 else None
    )

    with pytest.raises(ImportCancelledError):
        importer.run([file])

    count = len(all_of(store))
    assert 0 < count < 27
    assert count % 3 == 0
    assert Importer(store).run([file]).intake.known == count
    assert len(all_of(store)) == 27


def test_cancelling_within_a_conversation_leaves_nothing_of_it(
    store: Store, path: Path
) -> None:
    other = long_thread(path.with_name("other"), 3_000)
    importer = Importer(
        store, on_progress=lambda p: importer.cancel() if p.messages > 1_500 else None
    )

    with pytest.raises(ImportCancelledError):
        importer.run([other])

    assert all_of(store) == []


def test_another_thread_can_cancel(store: Store, file: Path) -> None:
    orcx(file, **{f"c{n}": ["one"] for n in range(50)})
    at_work, cancelled = threading.Event(), threading.Event()

    def wait(progress: Progress) -> None:
        at_work.set()
        assert cancelled.wait(10)

    importer = Importer(store, on_progress=wait)

    def cancel() -> None:
        assert at_work.wait(10)
        importer.cancel()
        cancelled.set()

    other = threading.Thread(target=cancel)
    other.start()
    with pytest.raises(ImportCancelledError):
        importer.run([file])
    other.join()
    assert len(all_of(store)) < 50


def test_only_what_was_held_in_a_directory_comes_in(store: Store) -> None:
    place = Path("/home/ada/projects")
    [file] = (
        Importer(store, ImportOptions(directory=place))
        .run([SAMPLES / "q_data.sqlite3"])
        .files
    )

    assert (file.conversations, file.elsewhere) == (2, 2)
    titles = {message.title for message in all_of(store) if message.parent_id is None}
    assert titles == {"/home/ada/projects/rocket 🚀", "/home/ada/projects/tangent"}


def test_a_store_that_cannot_be_written_ends_the_import(
    path: Path, file: Path, tmp_path: Path
) -> None:
    other = tmp_path / "foreign"
    other.write_bytes((SAMPLES.parent / "cpe_today.cpeconvo").read_bytes())
    with Store(other) as store, pytest.raises(StorageError, match="only reads"):
        Importer(store).run([orcx(file, a=["one"])])


def test_the_file_that_is_imported_into_is_left_alone(
    store: Store, path: Path, file: Path
) -> None:
    store.save([draft("before")])
    link = path.with_name("link")
    link.symlink_to(path)
    orcx(file, a=["one"])

    report = Importer(store).run([path.parent, path, link])

    assert [one.name for one in report.files] == [str(file)]
    assert [problem.file for problem in report.problems] == [str(path), str(link)]
    assert "imported into" in report.problems[0].reason
    assert sorted(texts(store)) == ["before", "one"]


def test_a_conversation_that_fails_on_its_way_is_told_and_the_others_come_in(
    store: Store, tmp_path: Path
) -> None:
    def broken() -> Iterator[Arrival]:
        yield Arrival("a", "user", [Block("before")])
        raise KeyError("what every message has")

    def read(source: Source) -> Iterator[Conversation]:
        yield Conversation("first", broken())
        yield Conversation("second", [Arrival("b", "user", [Block("whole")])])

    file = tmp_path / "file"
    file.touch()
    format_ = Format(name="other", program="another program", read=read)
    report = Importer(store, ImportOptions(format=format_)).run([file])

    [problem] = report.problems
    assert problem.where == "conversation first"
    assert problem.reason == "is malformed from here on (KeyError)."
    assert texts(store) == ["whole"]
