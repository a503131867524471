"""Labels: set, removed, undone, and never taken from another program."""

from __future__ import annotations

from pathlib import Path

import pytest

from convotui.storage import (
    MessageId,
    MessageNotFoundError,
    NothingToUndoError,
    Store,
)
from tests.conftest import Clock

from .helpers import draft, other_program, rows


@pytest.fixture
def message_id(store: Store) -> MessageId:
    return store.save([draft("a")])[0]


def title(store: Store) -> str | None:
    return store.list_messages()[0].title


def relabelled_elsewhere(path: Path, label: str | None) -> None:
    with other_program(path) as connection:
        connection.execute("UPDATE messages SET title = ?", (label,))


def test_a_label_is_set_where_cpe_keeps_titles(
    store: Store, path: Path, clock: Clock, message_id: MessageId
) -> None:
    change = store.label(message_id, "idée ✓")
    assert change is not None
    assert (change.kind, change.before, change.after) == ("label", None, "idée ✓")
    assert change.message_ids == (message_id,)
    assert change.created_at == clock.now
    assert rows(path, "SELECT title FROM messages") == [("idée ✓",)]


def test_a_label_is_removed(store: Store, message_id: MessageId) -> None:
    store.label(message_id, "x")
    change = store.label(message_id, None)
    assert change is not None
    assert (change.before, change.after) == ("x", None)
    assert title(store) is None


def test_setting_the_same_label_again_is_no_change(
    store: Store, message_id: MessageId
) -> None:
    assert store.label(message_id, None) is None
    store.label(message_id, "x")
    assert store.label(message_id, "x") is None
    store.undo()
    assert title(store) is None


def test_labelling_an_unknown_message_is_an_error(
    store: Store, message_id: MessageId
) -> None:
    with pytest.raises(MessageNotFoundError):
        store.label(MessageId("nobody"), "x")
    with pytest.raises(NothingToUndoError):
        store.undo()


def test_a_label_with_half_a_character_is_kept_readable(
    store: Store, message_id: MessageId
) -> None:
    change = store.label(message_id, "caf\udce9")
    assert change is not None
    assert title(store) == "caf\ufffd"
    store.undo()
    assert title(store) is None


def test_labels_are_undone_and_redone_step_by_step(
    store: Store, message_id: MessageId
) -> None:
    store.label(message_id, "one")
    store.label(message_id, "two")
    seen = []
    for step in (store.undo, store.undo, store.redo, store.redo, store.undo):
        step()
        seen.append(title(store))
    assert seen == ["one", None, "one", "two", "one"]


def test_labels_and_deletes_are_undone_in_turn(
    store: Store, message_id: MessageId
) -> None:
    store.label(message_id, "one")
    store.delete([message_id])
    store.undo()
    assert title(store) == "one"
    store.undo()
    assert title(store) is None
    store.redo()
    assert title(store) == "one"
    store.redo()
    assert store.list_messages() == []


def test_undo_leaves_a_label_that_another_program_has_set_since(
    store: Store, path: Path, message_id: MessageId
) -> None:
    store.label(message_id, "ours")
    relabelled_elsewhere(path, "theirs")
    with pytest.raises(NothingToUndoError):
        store.undo()
    assert title(store) == "theirs"


def test_undo_passes_over_a_label_of_another_program_to_what_was_before(
    store: Store, path: Path, message_id: MessageId
) -> None:
    [doomed] = store.save([draft("b")])
    store.delete([doomed])
    store.label(message_id, "ours")
    relabelled_elsewhere(path, "theirs")
    assert store.undo().kind == "delete"
    assert [m.title for m in store.get([message_id, doomed])] == ["theirs", None]


def test_redo_leaves_a_label_that_another_program_has_set_since(
    store: Store, path: Path, message_id: MessageId
) -> None:
    store.label(message_id, "ours")
    store.undo()
    relabelled_elsewhere(path, "theirs")
    with pytest.raises(NothingToUndoError):
        store.redo()
    assert title(store) == "theirs"


def test_the_label_of_a_message_that_is_gone_is_not_undone_or_redone(
    store: Store, path: Path, message_id: MessageId
) -> None:
    [other] = store.save([draft("b")])
    store.label(message_id, "one")
    store.label(other, "two")
    store.undo()
    with other_program(path) as connection:
        connection.execute("DELETE FROM blocks")
        connection.execute("DELETE FROM messages")
    with pytest.raises(NothingToUndoError):
        store.redo()
    with pytest.raises(NothingToUndoError):
        store.undo()


def test_labels_are_undone_after_a_restart(path: Path) -> None:
    with Store(path) as store:
        [message_id] = store.save([draft("a", title="first")])
        store.label(message_id, "second")
    with Store(path) as store:
        store.undo()
        assert title(store) == "first"
