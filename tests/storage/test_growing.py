"""A reply that is being written: kept as it comes, and shown as what it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest

from convotui.storage import (
    BEAT_LIFETIME,
    Block,
    ChatMessage,
    Draft,
    InvalidTextError,
    MessageId,
    MessageNotFoundError,
    ReplyFacts,
    Store,
    utc_now,
)
from tests.conftest import Clock

from .helpers import add_message, draft, is_whole, other_program, rows, texts
from .processes import hear, start

STREAMING = ReplyFacts("m", state="streaming")
DONE = ReplyFacts("m", 10, 20, cost=0.5, finish_reason="stop")


def begin(store: Store, *, facts: ReplyFacts = STREAMING) -> tuple[MessageId, ...]:
    """Ask something, and have the reply begin in the same moment."""
    reply = Draft("assistant", [], parent=0, facts=facts)
    return tuple(store.save([draft("a question"), reply]))


def said(text: str) -> list[Block]:
    return [Block("hm", type="thinking"), Block(text)]


def found(store: Store, word: str) -> list[MessageId]:
    return [hit.id for hit in store.search(word)]


def facts_of(store: Store, message_id: MessageId) -> ReplyFacts:
    return known(store.get([message_id]))


def known(messages: list[ChatMessage]) -> ReplyFacts:
    """The facts of the newest of these messages."""
    facts = max(messages, key=lambda message: message.created_at).facts
    assert facts is not None
    return facts


STATES: dict[str, Callable[[Store, MessageId], str]] = {
    "get": lambda store, reply: facts_of(store, reply).state,
    "list_messages": lambda store, reply: known(store.list_messages(limit=1)).state,
    "thread": lambda store, reply: known(store.thread(reply)[1:]).state,
    "subtree": lambda store, reply: known(store.subtree(reply)).state,
    "previews": lambda store, reply: store.previews([reply])[0].state,
    "list_rows": lambda store, reply: store.list_rows()[0].state,
}
"""Every way to learn the state of the newest reply."""


def test_a_reply_is_what_it_grew_to_last(store: Store) -> None:
    question, reply = begin(store)
    assert store.get([reply])[0].blocks == ()
    for blocks in ([Block("hm", type="thinking")], said("He"), said("Hello")):
        store.grow(reply, blocks, STREAMING)
        assert store.thread(reply)[1].blocks == tuple(blocks)
    store.grow(reply, [Block("Hello!")], DONE)
    assert [message.id for message in store.thread(reply)] == [question, reply]
    assert store.thread(reply)[1].blocks == (Block("Hello!"),)
    assert facts_of(store, reply) == DONE


def test_growing_does_not_move_a_reply_in_time(store: Store, path: Path) -> None:
    _, reply = begin(store)
    before = store.get([reply])[0].created_at
    later = store.save([draft("later")])
    store.grow(reply, said("Hello"), DONE)
    assert store.get([reply])[0].created_at == before
    assert store.outline().ids[-1:] == later
    times = f"SELECT DISTINCT created_at FROM blocks WHERE message_id = '{reply}'"
    assert rows(path, times) == [(str(before),)]


def test_a_reply_is_found_by_what_it_says_now(store: Store) -> None:
    _, reply = begin(store)
    store.grow(reply, said("crocus"), STREAMING)
    assert found(store, "crocus") == [reply]
    store.grow(reply, said("crocus narcissus"), STREAMING)
    assert found(store, "narcissus") == [reply]
    store.grow(reply, said("tulip"), STREAMING)
    assert found(store, "narcissus") == []
    unindexed = store.health().unindexed
    store.grow(reply, said("tulip lily"), DONE)
    assert (found(store, "lily"), found(store, "crocus")) == ([reply], [])
    assert store.health().unindexed == unindexed - 1


def test_a_failed_reply_says_why(store: Store) -> None:
    _, reply = begin(store)
    failed = ReplyFacts("m", state="failed", error="The provider was too busy.")
    store.grow(reply, said("Hel"), failed)
    assert facts_of(store, reply) == failed
    assert store.previews([reply])[0].state == "failed"


def test_half_characters_in_what_is_known_do_no_harm(store: Store) -> None:
    _, reply = begin(store)
    store.grow(reply, [Block("\ud83d")], ReplyFacts("\ud83d", error="\udc00"))
    assert store.get([reply])[0].text == "\ufffd"
    assert facts_of(store, reply) == ReplyFacts("\ufffd", error="\ufffd")


def test_a_block_that_is_too_long_leaves_the_reply_as_it_was(store: Store) -> None:
    _, reply = begin(store)
    store.grow(reply, said("Hello"), STREAMING)
    with pytest.raises(InvalidTextError):
        store.grow(reply, [Block("x" * 100_000_000)], DONE)
    assert store.get([reply])[0].text == "Hello"


@pytest.mark.parametrize("look", STATES)
def test_a_reply_streams_as_long_as_somebody_writes_it(
    path: Path, clock: Clock, look: str
) -> None:
    clock.stop()
    with Store(path, clock=clock) as writer, Store(path, clock=clock) as reader:
        _, reply = begin(writer)
        keeps: list[Callable[[], object]] = [
            lambda: writer.grow(reply, said("Hello"), STREAMING),
            lambda: writer.beat([reply]),
            lambda: writer.set_facts(reply, STREAMING),
        ]
        for keep in keeps:
            assert STATES[look](reader, reply) == "streaming"
            clock.now += BEAT_LIFETIME
            assert STATES[look](reader, reply) == "streaming"
            clock.now += timedelta(seconds=1)
            assert STATES[look](reader, reply) == "interrupted"
            keep()
        assert STATES[look](reader, reply) == "streaming"
        writer.grow(reply, said("Hello"), DONE)
        clock.now += 2 * BEAT_LIFETIME
        assert STATES[look](reader, reply) == "complete"


def test_a_clock_that_was_set_back_keeps_no_reply_streaming(
    store: Store, clock: Clock
) -> None:
    clock.stop()
    _, reply = begin(store)
    clock.now -= timedelta(hours=1)
    assert facts_of(store, reply).state == "interrupted"


def test_a_beat_leaves_what_is_done_as_it_is(store: Store) -> None:
    _, reply = begin(store, facts=DONE)
    store.beat([reply, MessageId("nobody")])
    assert facts_of(store, reply) == DONE
    assert store.health().stray_facts == 0


def test_what_comes_after_a_delete_is_in_the_trash(store: Store, path: Path) -> None:
    question, reply = begin(store)
    store.grow(reply, said("Hel"), STREAMING)
    store.delete([question], recursive=True)
    store.grow(reply, said("Hello there"), STREAMING)
    store.grow(reply, said("Hello there, gardener"), DONE)
    assert store.list_messages() == []
    assert found(store, "gardener") == []
    assert store.health().trashed_messages == 2
    store.undo()
    assert store.thread(reply)[1].blocks == tuple(said("Hello there, gardener"))
    assert facts_of(store, reply) == DONE
    assert found(store, "gardener") == [reply]
    assert store.health().unindexed == 0
    assert is_whole(path)


def test_a_reply_goes_on_where_an_undo_has_put_it(store: Store) -> None:
    _, reply = begin(store)
    store.delete([reply])
    store.grow(reply, said("Hel"), STREAMING)
    store.undo()
    store.grow(reply, said("Hello"), DONE)
    assert store.get([reply])[0].text == "Hello"
    assert found(store, "Hello") == [reply]


def test_a_reply_that_another_process_deleted_grows_in_the_trash(
    store: Store, path: Path
) -> None:
    _, reply = begin(store)
    with Store(path) as other:
        other.delete([reply])
        store.grow(reply, said("Hello"), DONE)
        assert other.undo().message_ids == (reply,)
        assert other.get([reply])[0].text == "Hello"


def test_a_reply_grows_in_the_newest_of_its_deletes(store: Store, path: Path) -> None:
    _, reply = begin(store)
    store.delete([reply])
    with other_program(path) as connection:
        add_message(connection, reply, "theirs")
    store.delete([reply])
    store.grow(reply, said("Hello"), DONE)
    store.undo()
    assert store.get([reply])[0].text == "Hello"


def empty_the_trash(store: Store, path: Path, reply: MessageId) -> None:
    store.delete([reply])
    store.empty_trash()


def delete_elsewhere(store: Store, path: Path, reply: MessageId) -> None:
    with other_program(path) as connection:
        connection.execute("DELETE FROM messages WHERE id = ?", (reply,))


@pytest.mark.parametrize("lose", [empty_the_trash, delete_elsewhere])
def test_a_reply_that_is_gone_is_told_and_leaves_nothing(
    store: Store, path: Path, lose: Callable[[Store, Path, MessageId], None]
) -> None:
    _, reply = begin(store)
    lose(store, path, reply)
    with pytest.raises(MessageNotFoundError, match=reply):
        store.grow(reply, said("Hello"), DONE)
    assert texts(store) == ["a question"]
    assert rows(path, "SELECT count(*) FROM blocks") == [(1,)]


def test_growing_makes_no_file(path: Path) -> None:
    with Store(path) as store:
        with pytest.raises(MessageNotFoundError):
            store.grow(MessageId("nobody"), said("Hello"), DONE)
        store.beat([MessageId("nobody")])
    assert not path.exists()


def test_a_reply_grows_in_memory(clock: Clock) -> None:
    clock.stop()
    with Store(None, clock=clock) as incognito:
        _, reply = begin(incognito)
        incognito.grow(reply, said("Hello"), STREAMING)
        assert incognito.previews([reply])[0].text == "Hello"
        clock.now += 2 * BEAT_LIFETIME
        assert facts_of(incognito, reply) == replace(STREAMING, state="interrupted")


KILLED_WHILE_STREAMING = """
streaming = ReplyFacts("m", state="streaming")
store = Store(path)
_, reply = store.save(
    [said("a question"), Draft("assistant", [], parent=0, facts=streaming)]
)
words = []
for number in range(10**9):
    words.append(f"word{number}")
    store.grow(reply, [Block(" ".join(words))], streaming)
    print(number, flush=True)
"""


@pytest.mark.parametrize("attempt", range(15))
def test_a_killed_process_loses_nothing_that_the_store_has_taken(
    path: Path, attempt: int
) -> None:
    last = Random(attempt).randrange(60)
    victim = start(KILLED_WHILE_STREAMING, path)
    while (taken := int(hear(victim))) < last:
        pass
    victim.kill()
    victim.communicate()
    with Store(path, clock=lambda: utc_now() + 2 * BEAT_LIFETIME) as store:
        question, reply = store.list_messages(ascending=True)
        words = reply.text.split()
        assert question.text == "a question"
        assert words == [f"word{number}" for number in range(len(words))]
        assert len(words) > taken
        assert reply.facts == ReplyFacts("m", state="interrupted")
        assert found(store, words[-1]) == [reply.id]
        assert store.health().is_sound
    assert is_whole(path)
