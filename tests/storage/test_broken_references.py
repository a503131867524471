"""Parents that do not exist, rings of parents, blocks of nobody: read and repaired."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from convotui.storage import DiskError, MessageId, Store

from .helpers import (
    LOOKS,
    add_message,
    chain,
    ids_of,
    is_whole,
    other_program,
    rows,
    seed_file,
    texts,
)


def broken(path: Path, parents: dict[str, str | None], *, strays: int = 0) -> Path:
    """A file as CPE can leave it: nobody checked who hangs from whom."""
    seed_file(path)
    with other_program(path) as connection:
        for name, parent in parents.items():
            add_message(connection, name, f"said {name}", parent=parent)
        for number in range(strays):
            add_message(connection, f"stray{number}", "of nobody")
            connection.execute("DELETE FROM messages WHERE id = ?", (f"stray{number}",))
    return path


ORPHAN = {"root": None, "orphan": "ghost", "below": "orphan"}
RINGS: dict[str, dict[str, str | None]] = {
    "of one": {"r1": "r1", "below": "r1", "apart": None},
    "of two": {"r1": "r2", "r2": "r1", "below": "r2", "apart": None},
    "of three": {"r1": "r3", "r2": "r1", "r3": "r2", "below": "r2", "apart": None},
}


def names(path: Path) -> list[str]:
    return [name for (name,) in rows(path, "SELECT id FROM messages ORDER BY rowid")]


def test_a_message_whose_parent_does_not_exist_begins_a_conversation(
    path: Path,
) -> None:
    with Store(broken(path, ORPHAN)) as store:
        outline = store.outline()
        assert outline.ids == ["root", "orphan", "below"]
        assert list(outline.parents) == [-1, -2, 1]
        thread = store.thread(MessageId("below"))
        assert [message.id for message in thread] == ["orphan", "below"]
        subtree = store.subtree(MessageId("orphan"))
        assert [message.id for message in subtree] == ["orphan", "below"]


def test_a_message_whose_parent_does_not_exist_is_deleted_and_comes_back(
    path: Path,
) -> None:
    with Store(broken(path, ORPHAN)) as store:
        store.delete(ids_of("orphan"), recursive=True)
        assert store.outline().ids == ["root"]
        store.undo()
        assert store.outline().ids == ["root", "orphan", "below"]
        thread = store.thread(MessageId("below"))
        assert [message.text for message in thread] == ["said orphan", "said below"]


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("ring", RINGS)
def test_looking_at_a_ring_comes_to_an_end(path: Path, ring: str, look: str) -> None:
    with Store(broken(path, RINGS[ring])) as store:
        LOOKS[look](store)


@pytest.mark.parametrize("ring", RINGS)
def test_the_messages_of_a_ring_are_each_shown_once(path: Path, ring: str) -> None:
    parents = RINGS[ring]
    members = {name for name in parents if name.startswith("r")}
    with Store(broken(path, parents)) as store:
        listed = [message.id for message in store.list_messages(ascending=True)]
        assert listed == list(parents)
        assert store.outline().ids == list(parents)
        thread = [message.id for message in store.thread(MessageId("below"))]
        assert thread[-1] == "below"
        assert sorted(thread) == sorted({*members, "below"})
        subtree = [message.id for message in store.subtree(MessageId("r1"))]
        assert subtree[0] == "r1"
        assert sorted(subtree) == sorted({*members, "below"})


@pytest.mark.parametrize("ring", RINGS)
def test_a_ring_is_deleted_as_a_whole_and_comes_back(path: Path, ring: str) -> None:
    with Store(broken(path, RINGS[ring])) as store:
        before = store.list_messages()
        assert store.weigh(ids_of("r1")).messages == len(before) - 1
        store.delete(ids_of("r1"), recursive=True)
        assert store.outline().ids == ["apart"]
        store.undo()
        assert store.list_messages() == before


@pytest.mark.parametrize(
    ("parents", "strays", "found"),
    [
        (ORPHAN, 0, (0, 1, 0)),
        (RINGS["of one"], 0, (0, 0, 1)),
        (RINGS["of two"], 2, (2, 0, 1)),
        (RINGS["of three"], 0, (0, 0, 1)),
        ({**RINGS["of two"], "s1": "s2", "s2": "s1", "o": "ghost"}, 1, (1, 1, 2)),
        ({"root": None, "reply": "root"}, 0, (0, 0, 0)),
    ],
)
def test_what_is_broken_is_found_and_repaired_without_losing_a_message(
    path: Path,
    parents: dict[str, str | None],
    strays: int,
    found: tuple[int, int, int],
) -> None:
    with Store(broken(path, parents, strays=strays)) as store:
        health = store.health()
        assert (
            health.orphan_blocks,
            health.missing_parents,
            health.cycles,
        ) == found
        assert health.is_sound is (found == (0, 0, 0))
        before = {message.id: message.blocks for message in store.list_messages()}
        backup = store.repair()
        assert store.health().is_sound
        after = {message.id: message.blocks for message in store.list_messages()}
        assert after == before
        assert [hit.id for hit in store.search("said")] == list(parents)[::-1]
    assert is_whole(path)
    assert backup is not None
    assert names(backup) == list(parents)
    assert len(rows(backup, "SELECT * FROM blocks")) == len(parents) + strays


def test_a_repair_cuts_a_ring_above_its_oldest_message_only(path: Path) -> None:
    seed_file(path)
    with other_program(path) as connection:
        for name, parent, day in (("c", "b", 3), ("a", "c", 1), ("b", "a", 2)):
            add_message(connection, name, name, parent=parent, at=f"2026-01-0{day}")
        add_message(connection, "d", "d", parent="c", at="2026-01-04")
    with Store(path) as store:
        store.repair()
        thread = store.thread(MessageId("d"))
        assert [message.id for message in thread] == ["a", "b", "c", "d"]


def test_every_repair_has_a_backup_of_its_own(path: Path) -> None:
    with Store(broken(path, ORPHAN, strays=1)) as store:
        first, second = store.repair(), store.repair()
    assert first is not None
    assert second is not None
    assert first != second
    assert len(rows(first, "SELECT * FROM blocks")) == 4
    assert len(rows(second, "SELECT * FROM blocks")) == 3


def test_a_backup_is_a_store_that_only_the_user_can_read(path: Path) -> None:
    target = path.with_name("copy")
    with Store(broken(path, ORPHAN)) as store:
        before = store.list_messages()
        store.back_up(target)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    with Store(target) as copy:
        assert copy.list_messages() == before


def test_a_backup_holds_what_is_only_in_the_log_yet(path: Path) -> None:
    target = path.with_name("copy")
    with Store(path) as store:
        store.delete(store.save(chain(["a", "b"]))[1:])
        store.back_up(target)
    with Store(target) as copy:
        assert texts(copy) == ["a"]
        copy.undo()
        assert texts(copy) == ["a", "b"]


def test_a_backup_is_never_written_over_another_file(path: Path) -> None:
    taken = path.with_name("taken")
    taken.write_bytes(b"precious")
    with Store(broken(path, ORPHAN)) as store, pytest.raises(DiskError, match="taken"):
        store.back_up(taken)
    assert taken.read_bytes() == b"precious"


@pytest.fixture
def nameless(path: Path) -> Path:
    """A file with messages that have no id, which SQLite allows in this table."""
    broken(path, {"root": None, "reply": "root", "apart": None})
    with other_program(path) as connection:
        add_message(connection, None, role="assistant", title="subagent:a:b")
        add_message(connection, None, role="assistant", parent="reply")
        add_message(connection, None, role="user", parent="ghost")
    return path


@pytest.mark.parametrize("look", LOOKS)
def test_messages_without_an_id_do_not_stop_a_look(nameless: Path, look: str) -> None:
    with Store(nameless) as store:
        LOOKS[look](store)
        assert store.outline().ids == ["root", "reply", "apart"]


def test_messages_without_an_id_hide_no_others(nameless: Path) -> None:
    with other_program(nameless) as connection:
        add_message(connection, "answer", "yes", parent="apart", role="assistant")
    with Store(nameless) as store:
        assert store.newest_reply() == "answer"
        listed = [message.id for message in store.list_messages(limit=3)]
        assert listed == ["answer", "apart", "reply"]
        assert [row.id for row in store.list_rows(limit=3)] == listed
        assert [hit.id for hit in store.search("yes")] == ["answer"]


def test_a_message_is_deleted_though_one_without_an_id_hangs_from_it(
    nameless: Path,
) -> None:
    with Store(nameless) as store:
        store.delete(ids_of("root"), recursive=True)
        assert store.outline().ids == ["apart"]
        store.undo()
        assert store.outline().ids == ["root", "reply", "apart"]
        thread = store.thread(MessageId("reply"))
        assert [message.id for message in thread] == ["root", "reply"]


def test_a_file_with_messages_without_an_id_is_repaired(nameless: Path) -> None:
    with Store(nameless) as store:
        store.repair()
        assert store.health().is_sound
        assert store.outline().ids == ["root", "reply", "apart"]
