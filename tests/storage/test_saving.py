"""What a save puts into the file, and what a refused one leaves out of it."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from convotui.storage import (
    Block,
    DamagedError,
    Draft,
    InvalidTextError,
    MessageId,
    MessageNotFoundError,
    StorageError,
    Store,
)
from tests.conftest import Clock

from .helpers import (
    add_message,
    chain,
    draft,
    is_whole,
    other_program,
    rows,
    seed_file,
    texts,
)


def test_a_single_root_has_no_parent(store: Store) -> None:
    [message_id] = store.save([draft("hello")])
    [message] = store.list_messages()
    assert message.id == message_id
    assert message.parent_id is None
    assert message.role == "user"
    assert message.text == "hello"
    assert message.title is None
    assert not message.tool_result_error
    assert message.facts is None


def test_ids_come_back_in_the_order_of_the_messages(store: Store) -> None:
    ids = store.save([draft(text) for text in "abc"])
    assert len(set(ids)) == 3
    assert [message.text for message in store.get(ids)] == ["a", "b", "c"]


def test_a_reply_hangs_from_a_message_that_was_saved_before(store: Store) -> None:
    [root] = store.save([draft("question")])
    [reply] = store.save([draft("answer", root, role="assistant")])
    assert [message.id for message in store.thread(reply)] == [root, reply]


def test_a_reply_hangs_from_an_earlier_message_of_the_same_save(store: Store) -> None:
    ids = store.save([draft("a"), draft("b", 0), draft("c", 0), draft("d", 1)])
    parents = [message.parent_id for message in store.get(ids)]
    assert parents == [None, ids[0], ids[0], ids[1]]


def test_a_reply_names_an_earlier_message_of_the_same_save_by_its_id(
    store: Store,
) -> None:
    ids = store.save([draft("a", id="theOne"), draft("b", MessageId("theOne"))])
    assert [message.parent_id for message in store.get(ids)] == [None, "theOne"]


def test_a_reply_in_a_save_hangs_from_what_another_program_added(path: Path) -> None:
    seed_file(path)
    with other_program(path) as connection:
        add_message(connection, "byCpe1", "question")
    with Store(path) as store:
        [reply] = store.save([draft("answer", MessageId("byCpe1"))])
        assert [message.text for message in store.thread(reply)] == [
            "question",
            "answer",
        ]


def test_titles_are_kept(store: Store) -> None:
    ids = store.save([draft("a", title="subagent:review:x1"), draft("b", title="été")])
    titles = [message.title for message in store.get(ids)]
    assert titles == ["subagent:review:x1", "été"]


def test_blocks_are_kept_in_their_order(store: Store) -> None:
    blocks = [Block(str(number)) for number in range(12)]
    [message_id] = store.save([Draft(role="user", blocks=blocks)])
    assert store.get([message_id])[0].blocks == tuple(blocks)


def test_a_message_may_have_no_blocks(store: Store) -> None:
    [message_id] = store.save([Draft(role="assistant", blocks=[])])
    [message] = store.get([message_id])
    assert message.blocks == ()
    assert message.text == ""


@pytest.mark.parametrize("parent", ["nobody", -1, 1, 2, 7])
def test_a_bad_parent_in_the_middle_leaves_nothing(
    store: Store, path: Path, parent: str | int
) -> None:
    store.save([draft("before")])
    bad = parent if isinstance(parent, int) else MessageId(parent)
    with pytest.raises(MessageNotFoundError):
        store.save([draft("one"), draft("two", bad), draft("three", 0)])
    assert texts(store) == ["before"]
    assert rows(path, "SELECT content FROM blocks") == [("before",)]
    assert store.search("one") == []


def test_a_parent_in_the_trash_is_no_parent(store: Store) -> None:
    [gone] = store.save([draft("gone")])
    store.delete([gone])
    with pytest.raises(MessageNotFoundError):
        store.save([draft("reply", gone)])
    assert texts(store) == []


def test_a_role_that_cpe_does_not_know_is_refused(store: Store) -> None:
    bad = Draft(role="system", blocks=[Block("two")])  # type: ignore[arg-type]
    with pytest.raises(InvalidTextError, match="system"):
        store.save([draft("one"), bad])
    assert texts(store) == []


def test_a_block_that_is_too_large_is_refused_and_nothing_is_saved(
    store: Store,
) -> None:
    store.save([draft("before")])
    huge = Draft(role="user", blocks=[Block("QUFB" * 26_000_000, modality=1)])
    with pytest.raises(StorageError) as caught:
        store.save([draft("one"), huge])
    assert texts(store) == ["before"]
    assert not isinstance(caught.value, DamagedError)
    assert store.health().is_sound


def test_saving_nothing_saves_nothing(store: Store) -> None:
    assert store.save([]) == []
    assert store.list_messages() == []


def test_what_was_saved_is_there_after_a_restart(path: Path) -> None:
    with Store(path) as store:
        ids = store.save(chain(["a", "b", "c"]))
        before = store.thread(ids[2])
    with Store(path) as store:
        assert store.thread(ids[2]) == before
    assert is_whole(path)


def test_what_was_saved_is_there_before_the_store_is_closed(
    store: Store, path: Path
) -> None:
    store.save([draft("at once")])
    assert rows(path, "SELECT content FROM blocks") == [("at once",)]


def test_times_are_stored_as_utc_text_that_sorts(
    store: Store, path: Path, clock: Clock
) -> None:
    clock.now = datetime(2026, 3, 1, 23, 59, 58)
    store.save([draft("whole second")])
    clock.step = timedelta(microseconds=1)
    store.save([draft("a little later")])
    expected = [("2026-03-01 23:59:59",), ("2026-03-01 23:59:59.000001",)]
    for table in ("messages", "blocks"):
        assert rows(path, f"SELECT created_at FROM {table} ORDER BY 1") == expected
    assert texts(store) == ["whole second", "a little later"]


def test_the_clock_of_the_computer_is_read_as_utc(path: Path) -> None:
    with Store(path) as store:
        store.save([draft("now")])
    [(age,)] = rows(
        path,
        "SELECT abs(julianday('now') - julianday(created_at)) * 24 FROM messages",
    )
    assert age < 0.5


def test_a_time_that_is_given_is_kept(store: Store, clock: Clock) -> None:
    then = datetime(2001, 2, 3, 4, 5, 6, 789)
    [message_id] = store.save([draft("old", at=then)])
    assert store.get([message_id])[0].created_at == then


def test_messages_of_one_save_keep_their_order_though_they_share_a_time(
    store: Store,
) -> None:
    store.save([draft(f"{number:04}") for number in range(500)])
    assert len({message.created_at for message in store.list_messages()}) == 1
    assert texts(store) == [f"{number:04}" for number in range(500)]
