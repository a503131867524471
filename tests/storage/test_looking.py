"""Looking at a file changes no byte of it and leaves nothing beside it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from convotui.storage import MessageId, ReplyFacts, Store

from .helpers import (
    LOOKS,
    add_message,
    bytes_beside,
    draft,
    ids_of,
    other_program,
    seed_file,
    trashed,
)

FIXTURES = Path(__file__).parent.parent / "fixtures"


def missing(path: Path) -> None:
    """No file at all."""


def empty(path: Path) -> None:
    path.touch()


def of_cpe(path: Path) -> None:
    shutil.copy(FIXTURES / "cpe_seed_era.cpeconvo", path)


def of_cpe_today(path: Path) -> None:
    shutil.copy(FIXTURES / "cpe_today.cpeconvo", path)


def of_cpe_with_a_log(path: Path) -> None:
    of_cpe(path)
    use_log(path)


def use_log(path: Path) -> None:
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA journal_mode = wal")
    connection.close()


def of_convotui(path: Path) -> None:
    with Store(path) as store:
        first, second = store.save(
            [draft("a question"), draft("an answer", 0, role="assistant")]
        )
        store.set_facts(second, ReplyFacts(model="m", cost=0.5))
        store.label(first, "a label")
        store.delete([second])


KINDS = [missing, empty, of_cpe, of_cpe_today, of_cpe_with_a_log, of_convotui]


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("make", KINDS)
def test_looking_changes_nothing(
    path: Path, make: Callable[[Path], None], look: str
) -> None:
    make(path)
    before = bytes_beside(path)
    with Store(path) as store:
        LOOKS[look](store)
    assert bytes_beside(path) == before


def with_pending_log(path: Path) -> None:
    """A file and a log beside it that holds a message which the file does not."""
    source = path.with_name("source")
    seed_file(source)
    use_log(source)
    with other_program(source) as connection:
        add_message(connection, "inFile", "written long ago")
    with other_program(source) as watching:
        watching.execute("SELECT count(*) FROM messages").fetchall()
        with other_program(source) as connection:
            add_message(connection, "inLog1", "written just now")
        for suffix in ("", "-wal"):
            shutil.copy(f"{source}{suffix}", f"{path}{suffix}")
    source.unlink()


@pytest.mark.parametrize("look", LOOKS)
def test_looking_leaves_a_pending_log_as_it_is(path: Path, look: str) -> None:
    with_pending_log(path)
    before = bytes_beside(path)
    assert before[path.name + "-wal"]
    with Store(path) as store:
        LOOKS[look](store)
    after = bytes_beside(path)
    assert {name: after.get(name) for name in before} == before


def test_looking_leaves_nothing_new_to_keep_beside_a_pending_log(path: Path) -> None:
    with_pending_log(path)
    with Store(path) as store:
        store.list_messages()
    # The shared memory of the log may stay: to remove it could hurt a third process.
    beside = set(bytes_beside(path)) - {path.name + "-shm"}
    assert beside == {path.name, path.name + "-wal"}


def test_what_is_in_a_pending_log_is_seen(path: Path) -> None:
    with_pending_log(path)
    with Store(path) as store:
        assert {message.id for message in store.list_messages()} == {"inFile", "inLog1"}


@pytest.mark.parametrize("make", [missing, empty])
def test_where_nothing_is_saved_nothing_is_found(
    path: Path, make: Callable[[Path], None]
) -> None:
    make(path)
    with Store(path) as store:
        assert store.list_messages() == []
        assert len(store.outline()) == 0
        assert store.search("a") == []
        assert store.newest_reply() is None
        assert store.usage() == []
        assert store.trash() == []
        assert store.health().is_sound
        assert store.shape().is_empty


def test_looking_works_while_another_program_writes(path: Path) -> None:
    of_convotui(path)
    with Store(path) as store:
        with other_program(path) as connection:
            add_message(connection, "isNew1", "not yet")
            assert "isNew1" not in store.outline().ids
        assert "isNew1" in store.outline().ids


def test_the_version_changes_with_every_write_and_only_then(path: Path) -> None:
    with Store(path) as store, Store(path) as other:
        versions = [store.version()]
        for write in (
            lambda: other.save([draft("by another", id="theirs")]),
            lambda: store.save([draft("by ourselves")]),
            lambda: other.label(MessageId("theirs"), "label"),
            lambda: store.delete(ids_of("theirs")),
            other.undo,
        ):
            write()
            versions.append(store.version())
            store.list_messages()
            store.search("by")
            assert store.version() == versions[-1]
        with other_program(path) as connection:
            add_message(connection, "byCpe1", "by CPE")
        versions.append(store.version())
        assert len(set(versions)) == len(versions)


def test_another_store_sees_what_one_has_saved(path: Path) -> None:
    with Store(path) as reader, Store(path) as writer:
        assert reader.list_messages() == []
        saved = writer.save([draft("hello")])
        assert reader.outline().ids == saved


def test_a_store_that_saw_an_empty_file_sees_what_comes_into_it(path: Path) -> None:
    empty(path)
    with Store(path) as reader, Store(path) as writer:
        assert reader.list_messages() == []
        saved = writer.save([draft("hello")])
        assert reader.outline().ids == saved


def test_a_store_that_saw_cpes_file_sees_what_another_one_does_to_it(
    path: Path,
) -> None:
    seed_file(path)
    with other_program(path) as connection:
        add_message(connection, "stays1", "one")
        add_message(connection, "goes11", "two")
    with Store(path) as reader, Store(path) as writer:
        assert reader.trash() == []
        change = writer.delete(ids_of("goes11"))
        writer.set_facts(MessageId("stays1"), ReplyFacts(model="m", cost=0.5))
        assert reader.outline().ids == ["stays1"]
        assert trashed(reader) == [change]
        assert [used.cost for used in reader.usage()] == [0.5]
