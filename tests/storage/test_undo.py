"""Undo and redo: by anybody, at any time, exactly as it was."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from convotui.storage import (
    Block,
    ChatMessage,
    Draft,
    MessageId,
    NothingToUndoError,
    ReplyFacts,
    Store,
)
from tests.conftest import Clock

from .helpers import (
    Rows,
    add_message,
    chain,
    draft,
    ids_of,
    is_whole,
    other_program,
    rows,
    seed_file,
    texts,
    trashed,
)


def everything(path: Path) -> tuple[Rows, Rows]:
    """The two tables that are shared with CPE, row numbers and times too."""
    return (
        rows(path, "SELECT rowid, * FROM messages ORDER BY rowid"),
        rows(path, "SELECT * FROM blocks ORDER BY message_id, sequence_order"),
    )


def listed(store: Store) -> list[ChatMessage]:
    return store.list_messages(ascending=True)


@pytest.fixture
def rich(store: Store, clock: Clock) -> MessageId:
    """The root of messages with everything a message can have, all at one time."""
    clock.stop()
    store.save([draft("before")])
    ids = store.save(
        [
            draft("root", title="the root"),
            Draft(
                role="assistant",
                blocks=[
                    Block("hm", type="thinking", extra_fields='{ "a":1}'),
                    Block("{}", type="tool_call", id="call_1"),
                    Block("QQ==", modality=1, mime_type="image/png"),
                ],
                parent=0,
                facts=ReplyFacts(model="m", input_tokens=3, cost=0.1, state="failed"),
            ),
            Draft(
                role="tool_result",
                blocks=[Block("no", id="call_1")],
                parent=1,
                tool_result_error=True,
            ),
            draft("fork", 0),
        ]
    )
    store.save([draft("after")])
    with other_program(store.path) as connection:
        connection.execute(
            "UPDATE blocks SET created_at = '1999-12-31 23:59:59' WHERE block_type"
            " = 'thinking'"
        )
    return ids[0]


def test_undo_brings_back_exactly_what_was_deleted(
    store: Store, path: Path, rich: MessageId
) -> None:
    before, in_file, used = listed(store), everything(path), store.usage()
    deleted = store.delete([rich], recursive=True)
    assert texts(store) == ["before", "after"]
    assert store.undo() == deleted
    assert listed(store) == before
    assert everything(path) == in_file
    assert store.usage() == used
    assert [hit.id for hit in store.search("root")] == [rich]
    assert store.trash() == []
    assert is_whole(path)


def test_redo_deletes_again_and_undo_brings_back_again(
    store: Store, path: Path, rich: MessageId
) -> None:
    before, in_file = listed(store), everything(path)
    deleted = store.delete([rich], recursive=True)
    after = listed(store)
    for _ in range(3):
        store.undo()
        assert everything(path) == in_file
        assert store.redo() == deleted
        assert listed(store) == after
        assert trashed(store) == [deleted]
    store.undo()
    assert listed(store) == before


def test_undo_goes_back_step_by_step_and_redo_forward(store: Store) -> None:
    ids = store.save([draft(text) for text in "abc"])
    states = [texts(store)]
    for message_id in ids:
        store.delete([message_id])
        states.append(texts(store))
    for state in reversed(states[:-1]):
        store.undo()
        assert texts(store) == state
    with pytest.raises(NothingToUndoError):
        store.undo()
    for state in states[1:]:
        store.redo()
        assert texts(store) == state
    with pytest.raises(NothingToUndoError):
        store.redo()


def test_redo_does_what_was_undone_last_also_after_a_restore(store: Store) -> None:
    ids = store.save([draft(text) for text in "abc"])
    first, second = store.delete([ids[0]]), store.delete([ids[1]])
    assert first is not None
    store.restore(first.id)
    store.undo()
    assert texts(store) == ["a", "b", "c"]
    assert store.redo() == second
    assert texts(store) == ["a", "c"]


def test_undo_works_after_a_restart(path: Path) -> None:
    with Store(path) as store:
        store.save(chain(["a", "b", "c"]))
        before = listed(store)
        store.delete([before[1].id], recursive=True)
    with Store(path) as store:
        store.undo()
        assert listed(store) == before
    with Store(path) as store:
        store.redo()
        assert texts(store) == ["a"]


def test_undo_works_from_another_store_on_the_file(store: Store, path: Path) -> None:
    store.delete(store.save([draft("a")]))
    with Store(path) as other:
        other.undo()
    assert texts(store) == ["a"]
    with pytest.raises(NothingToUndoError):
        store.undo()


def test_a_new_change_ends_redo(store: Store) -> None:
    ids = store.save([draft(text) for text in "ab"])
    store.delete([ids[0]])
    store.undo()
    store.label(ids[1], "new")
    with pytest.raises(NothingToUndoError):
        store.redo()
    assert texts(store) == ["a", "b"]


def test_redo_takes_what_was_added_below_since_and_counts_it(store: Store) -> None:
    [root] = store.save([draft("root")])
    store.delete([root])
    store.undo()
    store.save([draft("reply", root)])
    redone = store.redo()
    assert texts(store) == []
    assert redone.message_count == 2
    assert [change.message_count for change in trashed(store)] == [2]
    store.undo()
    assert texts(store) == ["root", "reply"]


def test_redo_of_a_delete_that_another_program_has_done_blocks_nothing(
    store: Store, path: Path
) -> None:
    ids = store.save([draft("a"), draft("b")])
    store.delete([ids[0]])
    store.delete([ids[1]])
    store.undo()
    with other_program(path) as connection:
        connection.execute("DELETE FROM blocks WHERE message_id = ?", (ids[1],))
        connection.execute("DELETE FROM messages WHERE id = ?", (ids[1],))
    with suppress(NothingToUndoError):
        store.redo()
    store.undo()
    assert texts(store) == ["a"]


def test_messages_saved_meanwhile_stay(store: Store) -> None:
    [old] = store.save([draft("old")])
    store.delete([old])
    store.save([draft("new")])
    store.undo()
    assert sorted(texts(store)) == ["new", "old"]


def test_undo_works_though_another_program_took_the_row_numbers(
    store: Store, path: Path, clock: Clock
) -> None:
    clock.stop()
    ids = store.save(
        [draft("root"), draft("x", 0), draft("y", 0), draft("z", 2), draft("w", 0)]
    )
    store.delete([ids[0]], recursive=True)
    with other_program(path) as connection:
        for number in (2, 3, 9):
            add_message(connection, f"other{number}", "other", at=str(clock.now))
            connection.execute(
                "UPDATE messages SET rowid = ? WHERE id = ?",
                (number, f"other{number}"),
            )
    store.undo()
    restored = [text for text in texts(store) if text != "other"]
    assert restored == ["root", "x", "y", "z", "w"]
    assert len(listed(store)) == 8
    assert [m.text for m in store.thread(ids[3])] == ["root", "y", "z"]
    assert is_whole(path)


def test_messages_of_cpes_file_come_back_as_they_were(path: Path) -> None:
    seed_file(path)
    with other_program(path) as connection:
        add_message(connection, "root11", "root", at="2025-01-01 00:00:00")
        add_message(connection, "reply1", "reply", parent="root11", title="label")
    in_file = everything(path)
    with Store(path) as store:
        store.delete(ids_of("root11"), recursive=True)
        store.undo()
    assert everything(path) == in_file


def test_where_nothing_was_done_there_is_nothing_to_undo(store: Store) -> None:
    for _ in range(2):
        with pytest.raises(NothingToUndoError):
            store.undo()
        with pytest.raises(NothingToUndoError):
            store.redo()
        store.save([draft("a")])
    assert texts(store) == ["a", "a"]
