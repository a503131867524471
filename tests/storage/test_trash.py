"""What lies in the trash, how it comes back, and how it is gone for good."""

from __future__ import annotations

from pathlib import Path

import pytest

from convotui.storage import (
    Block,
    Change,
    Draft,
    IdTakenError,
    MessageId,
    NothingToUndoError,
    ReplyFacts,
    Store,
)
from tests.conftest import Clock

from .helpers import (
    add_message,
    chain,
    draft,
    is_whole,
    other_program,
    texts,
    trashed,
)


def delete(store: Store, *message_ids: MessageId) -> Change:
    change = store.delete(message_ids, recursive=True)
    assert change is not None
    return change


def test_the_trash_lists_deletes_newest_first(store: Store, clock: Clock) -> None:
    ids = store.save(chain(["a", "b", "c", "d"]))
    first = delete(store, ids[2])
    first_at = clock.now
    second = delete(store, ids[0])
    assert trashed(store) == [second, first]
    assert (first.message_ids, first.message_count) == ((ids[2],), 2)
    assert (second.message_ids, second.message_count) == ((ids[0],), 2)
    assert first.created_at == first_at


def test_an_entry_begins_with_what_the_deleted_message_said(store: Store) -> None:
    [_, answer, *_] = store.save(
        [
            draft("question"),
            Draft(
                role="assistant",
                blocks=[
                    Block("hm", type="thinking"),
                    Block("first\nwords"),
                    Block("last words"),
                ],
                parent=0,
            ),
            draft("and then?", 1),
        ]
    )
    delete(store, answer)
    assert [entry.text for entry in store.trash()] == ["first words"]


def test_labels_are_not_in_the_trash(store: Store) -> None:
    [message_id] = store.save([draft("a")])
    change = store.label(message_id, "label")
    assert change is not None
    assert store.trash() == []
    with pytest.raises(NothingToUndoError):
        store.restore(change.id)


def test_an_older_entry_is_restored_and_the_newer_one_stays(store: Store) -> None:
    ids = store.save([draft(text) for text in "abc"])
    first, second = delete(store, ids[0]), delete(store, ids[1])
    assert store.restore(first.id) == first
    assert texts(store) == ["a", "c"]
    assert trashed(store) == [second]
    store.undo()
    assert texts(store) == ["a", "b", "c"]


def test_what_is_not_in_the_trash_cannot_be_restored(store: Store) -> None:
    [message_id] = store.save([draft("a")])
    change = delete(store, message_id)
    with pytest.raises(NothingToUndoError, match="99"):
        store.restore(99)
    store.restore(change.id)
    with pytest.raises(NothingToUndoError):
        store.restore(change.id)
    assert texts(store) == ["a"]


def test_a_reply_is_not_restored_before_its_parent(store: Store) -> None:
    ids = store.save(chain(["a", "b", "c"]))
    reply, parent = delete(store, ids[2]), delete(store, ids[1])
    with pytest.raises(NothingToUndoError, match=rf"\b{parent.id}\b") as caught:
        store.restore(reply.id)
    assert ids[1] in str(caught.value)
    assert texts(store) == ["a"]
    store.restore(parent.id)
    store.restore(reply.id)
    assert [message.text for message in store.thread(ids[2])] == ["a", "b", "c"]


def test_a_reply_whose_parent_another_program_deleted_comes_back_as_a_root(
    store: Store,
) -> None:
    ids = store.save(chain(["a", "b", "c"]))
    delete(store, ids[2])
    with other_program(store.path) as connection:
        connection.execute("DELETE FROM blocks WHERE message_id = ?", (ids[1],))
        connection.execute("DELETE FROM messages WHERE id = ?", (ids[1],))
    store.undo()
    [restored] = store.get([ids[2]])
    assert restored.parent_id is None
    assert restored.text == "c"
    assert is_whole(store.path)


def test_an_id_given_away_by_another_program_is_not_overwritten(
    store: Store, path: Path
) -> None:
    [message_id] = store.save([draft("mine")])
    delete(store, message_id)
    with other_program(path) as connection:
        add_message(connection, message_id, "theirs")
    with pytest.raises(IdTakenError, match=message_id):
        store.undo()
    assert texts(store) == ["theirs"]
    assert len(store.trash()) == 1


def test_emptying_says_how_many_messages_are_gone(store: Store) -> None:
    ids = store.save([*chain(["a", "b", "c"]), draft("d")])
    delete(store, ids[1])
    delete(store, ids[3])
    assert store.empty_trash() == 3
    assert store.trash() == []
    assert store.empty_trash() == 0
    assert texts(store) == ["a"]


def test_what_was_emptied_cannot_be_undone(store: Store) -> None:
    delete(store, *store.save([draft("a")]))
    store.empty_trash()
    with pytest.raises(NothingToUndoError):
        store.undo()
    assert store.health().trashed_messages == 0


def test_only_what_was_deleted_before_a_time_is_emptied(
    store: Store, clock: Clock
) -> None:
    ids = store.save([draft("old"), draft("new")])
    delete(store, ids[0])
    recent = delete(store, ids[1])
    assert store.empty_trash(before=recent.created_at) == 1
    assert trashed(store) == [recent]
    store.undo()
    assert texts(store) == ["new"]


CANARY = "Xylophagous"


def canaries(path: Path) -> list[str]:
    """Where in the files the word is still to be read, however it is written."""
    found = []
    for file in path.parent.iterdir():
        held = file.read_bytes().lower()
        if CANARY.lower().encode() in held:
            found.append(file.name)
    return found


def doom(store: Store, kind: str) -> None:
    """Delete a message that has the word in it in one way or another."""
    blocks = [Block("plain")]
    if kind == "text":
        blocks = [Block(f"the {CANARY} beetle")]
    elif kind == "long text":
        blocks = [Block(f"the {CANARY} beetle, number {n}. " * 500) for n in range(20)]
    elif kind == "thinking":
        blocks = [Block(CANARY, type="thinking")]
    elif kind == "extra fields":
        blocks = [Block("x", extra_fields=f'{{"a":"{CANARY}"}}')]
    title = CANARY if kind == "title" else None
    facts = ReplyFacts(model=CANARY) if kind == "facts" else None
    [doomed] = store.save(
        [Draft(role="assistant", blocks=blocks, title=title, facts=facts)]
    )
    if kind == "label":
        store.label(doomed, CANARY)
    elif kind == "former label":
        store.label(doomed, CANARY)
        store.label(doomed, "harmless")
    delete(store, doomed)
    if kind == "undone and redone":
        store.undo()
        store.redo()


@pytest.mark.parametrize(
    "kind",
    [
        "text",
        "long text",
        "thinking",
        "extra fields",
        "title",
        "label",
        "former label",
        "facts",
        "undone and redone",
    ],
)
def test_nothing_of_what_was_emptied_can_be_read_in_the_file(
    path: Path, kind: str
) -> None:
    with Store(path) as store:
        store.save(chain([f"harmless words {number}" for number in range(200)]))
        doom(store, kind)
        store.save(chain([f"more harmless words {number}" for number in range(50)]))
        store.empty_trash()
        assert store.search(CANARY) == []
    assert canaries(path) == []


def test_many_messages_of_many_sizes_are_emptied_without_a_trace(path: Path) -> None:
    with Store(path) as store:
        for size in range(1, 60):
            kept, doomed = store.save(
                [
                    draft("harmless " * size, title="kept"),
                    draft(f"{CANARY}{size} " * size * 7, title=f"{CANARY}{size}"),
                ]
            )
            store.save([draft(f"{CANARY}-{size}", doomed), draft("kept", kept)])
            delete(store, doomed)
        store.empty_trash()
        assert len(store.list_messages()) == 118
        assert store.health().is_sound
    assert canaries(path) == []


def test_the_word_is_there_to_be_found_before_the_trash_is_emptied(path: Path) -> None:
    with Store(path) as store:
        doom(store, "text")
    assert canaries(path) == [path.name]
