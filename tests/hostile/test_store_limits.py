"""Disks, permissions, ids and trees at their limits: told in one line, nothing lost.

The numbers are those of the catalogue of what has to be survived.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from itertools import chain as joined
from itertools import repeat
from pathlib import Path

import pytest

from convotui.storage import (
    DiskError,
    IdTakenError,
    MessageId,
    ReadOnlyError,
    Store,
)
from tests.cli.program import Program
from tests.storage.helpers import (
    LOOKS,
    add_message,
    bytes_beside,
    chain,
    draft,
    ids_of,
    is_whole,
    other_program,
    rows,
    seed_file,
    texts,
)
from tests.storage.processes import run

from .store_faults import Disk


@pytest.fixture
def disk() -> Iterator[Disk]:
    disk = Disk()
    yield disk
    disk.remove()


def test_29_a_full_disk_takes_nothing_and_gives_nothing_up(
    path: Path, disk: Disk
) -> None:
    with Store(path) as store:
        ids = store.save(chain(["question " * 500, "answer " * 500]))
        disk.have_room_for(1)
        for write in (
            lambda: store.save([draft("more " * 5000, ids[1])]),
            lambda: store.delete(ids[:1], recursive=True),
        ):
            with pytest.raises(DiskError, match="the disk is full") as caught:
                write()
            assert str(caught.value).isprintable()
        assert len(texts(store)) == 2
        disk.have_room_for(100_000)
        store.save([draft("more " * 5000, ids[1])])
        store.delete(ids[1:2], recursive=True)
        store.undo()
        assert len(texts(store)) == 3
    assert is_whole(path)


NO_MORE_SPACE = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
with Store(path) as store:
    [first] = store.save([said("first")])
    for number in range(40):
        limit = (number * 4096, resource.RLIM_INFINITY)
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        before = len(store.list_messages())
        try:
            store.save([said("x" * 9000, first), said("reply", 0)])
            saved = 2
        except DiskError as error:
            assert str(error).isprintable()
            saved = 0
        assert len(store.list_messages()) == before + saved
        print(saved)
    everything = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
    resource.setrlimit(resource.RLIMIT_FSIZE, everything)
    store.save([said("the end")])
    print(len(store.list_messages()))
"""


def test_30_wherever_space_ends_a_save_is_kept_whole_or_not_at_all(path: Path) -> None:
    *saved, count = run(NO_MORE_SPACE, path).split()
    assert {"0", "2"} == set(saved)
    assert int(count) == 2 + sum(map(int, saved))
    assert is_whole(path)


@pytest.fixture
def reachable() -> Iterator[Path]:
    """Where every user can get to; what pytest gives only one can."""
    directory = Path(tempfile.mkdtemp())
    directory.chmod(0o755)
    yield directory / ".cpeconvo"
    directory.chmod(0o755)
    shutil.rmtree(directory)


AS_SOMEBODY = """
import os
if os.geteuid() == 0:
    # Nothing is read-only to root.
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
with Store(path) as store:
    for use in (lambda: store.list_messages()[0].text, lambda: store.save([said("x")])):
        try:
            print(use())
        except StorageError as error:
            assert str(error).isprintable()
            print(type(error).__name__)
"""


@pytest.mark.parametrize(
    ("file_mode", "directory_mode", "told"),
    [
        (0o444, 0o755, ["hello", "ReadOnlyError"]),
        (0o666, 0o555, ["hello", "ReadOnlyError"]),
        (0o444, 0o555, ["hello", "ReadOnlyError"]),
        (0o000, 0o755, ["DiskError", "DiskError"]),
        (0o644, 0o000, ["DiskError", "DiskError"]),
    ],
)
def test_31_what_may_not_be_written_is_read_and_what_may_not_be_read_is_told(
    reachable: Path, file_mode: int, directory_mode: int, told: list[str]
) -> None:
    with Store(reachable) as store:
        store.save([draft("hello")])
    before = bytes_beside(reachable)
    reachable.chmod(file_mode)
    reachable.parent.chmod(directory_mode)
    assert run(AS_SOMEBODY, reachable).split() == told
    reachable.parent.chmod(0o755)
    reachable.chmod(0o600)
    assert bytes_beside(reachable) == before


def test_37_an_id_is_tried_until_it_is_free_or_the_text_is_kept(path: Path) -> None:
    ids = joined(["taken1"], repeat("taken1", 9), ["isFree"], repeat("taken1"))
    with Store(path, new_id=lambda: next(ids)) as store:
        assert store.save([draft("first")]) == ["taken1"]
        assert store.save([draft("second")]) == ["isFree"]
        with pytest.raises(IdTakenError, match="No free message id"):
            store.save([draft("third")])
        assert texts(store) == ["first", "second"]


SHAPES: dict[str, Callable[[int], int | None]] = {
    "a chain": lambda n: n - 1 if n else None,
    "a bush": lambda n: 0 if n else None,
}


@pytest.mark.parametrize("shape", SHAPES)
def test_39_a_large_subtree_goes_at_once_and_comes_back(path: Path, shape: str) -> None:
    with Store(path) as store, Store(path) as other:
        drafts = [draft(str(n), SHAPES[shape](n)) for n in range(10_000)]
        ids = store.save(drafts)
        [apart] = store.save([draft("apart")])
        version = other.version()
        store.delete(ids[:1], recursive=True)
        assert other.version() == version + 1
        assert [*other.outline().ids] == [apart]
        store.undo()
        assert [*other.outline().ids] == [*ids, apart]
    assert is_whole(path)


@pytest.mark.parametrize("size", [1, 2, 3, 1000])
def test_48_a_ring_is_listed_once_marked_deleted_and_restored(
    path: Path, size: int
) -> None:
    seed_file(path)
    names = [f"r{number}" for number in range(size)]
    with other_program(path) as connection:
        for number, name in enumerate(names):
            add_message(connection, name, f"said {name}", parent=names[number - 1])
        add_message(connection, "below", "below", parent=names[0])
        add_message(connection, "orphan", "orphan", parent="nobody")
    with Store(path) as store:
        if size < 10:
            for look in LOOKS.values():
                look(store)
        assert sorted(store.outline().ids) == sorted([*names, "below", "orphan"])
        health = store.health()
        assert (health.cycles, health.missing_parents) == (1, 1)
        assert store.weigh(ids_of(names[0])).messages == size + 1
        store.delete(ids_of(names[0]), recursive=True)
        assert [*store.outline().ids] == ["orphan"]
        store.undo()
        assert len(store.outline()) == size + 2
        assert store.thread(MessageId("below"))[-1].text == "below"


def test_54_a_file_of_an_older_cpe_is_read_and_never_altered(path: Path) -> None:
    with other_program(path) as connection:
        connection.execute(
            "CREATE TABLE messages (id TEXT PRIMARY KEY, parent_id TEXT, role TEXT"
            " NOT NULL, tool_result_error BOOLEAN NOT NULL DEFAULT 0,"
            " created_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP);"
            "CREATE TABLE blocks (id TEXT, message_id TEXT NOT NULL, block_type TEXT"
            " NOT NULL, modality_type INTEGER NOT NULL, mime_type TEXT NOT NULL,"
            " content TEXT NOT NULL, extra_fields TEXT, sequence_order INTEGER"
            " NOT NULL, created_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,"
            " PRIMARY KEY (message_id, sequence_order));"
            "INSERT INTO messages (id, role) VALUES ('first', 'user');"
            "INSERT INTO blocks (message_id, block_type, modality_type, mime_type,"
            " content, sequence_order) VALUES ('first', 'content', 0, '', 'hello', 0)"
        )
    before = bytes_beside(path)
    with Store(path) as store:
        for look in LOOKS.values():
            look(store)
        assert texts(store) == ["hello"]
        with pytest.raises(ReadOnlyError, match="only reads it"):
            store.save([draft("more")])
        with pytest.raises(ReadOnlyError, match="only reads it"):
            store.repair()
    assert bytes_beside(path) == before


def test_56_a_new_file_in_a_repository_is_kept_out_of_it_and_that_is_told_once(
    tmp_path: Path,
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    subprocess.run(["git", "init", "-q", project], check=True)
    convotui = Program(project, home=tmp_path / "home")
    document = project / "saved.json"
    with Store(tmp_path / "other") as store:
        store.save([draft("hello", id="hello1")])
    exported = convotui(
        "--db", tmp_path / "other", "export", "hello1", "--format", "json"
    )
    document.write_text(exported.out)
    first = convotui("import", document)
    assert first.code == 0, first.err
    assert first.err.count(".git/info/exclude") == 1
    second = convotui("import", document)
    assert ".git/info/exclude" not in second.err
    listed = subprocess.run(
        ["git", "-C", project, "status", "--porcelain"],
        check=True,
        capture_output=True,
        text=True,
    )
    assert ".cpeconvo" not in listed.stdout
    assert rows(project / ".cpeconvo", "SELECT count(*) FROM messages") == [(1,)]
