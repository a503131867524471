"""Totals of a thread and of a subtree: every message once, whoever shares it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from convotui.conversations.summaries import (
    Totals,
    add_up,
    subtree_totals,
    thread_totals,
    total_of,
)
from convotui.storage import Draft, MessageId, MessageNotFoundError, ReplyFacts, Store
from tests.storage.helpers import add_message, draft, other_program, seed_file

REPLY = ReplyFacts("m", 10, 2, 3, cost=0.5)


def answer(parent: MessageId | int) -> Draft:
    return draft("answer", parent, role="assistant", facts=REPLY)


def totals(messages: int, replies: int) -> Totals:
    return Totals(messages, 10 * replies, 2 * replies, 3 * replies, 0.5 * replies)


def test_forks_count_what_they_share_once(store: Store) -> None:
    root, shared = store.save([draft("question"), answer(0)])
    left, right = (
        store.save([draft("one way", shared), answer(0)])[1],
        store.save([draft("another", shared), answer(0)])[1],
    )
    for leaf in (left, right):
        assert thread_totals(store, leaf) == totals(4, 2)
        assert subtree_totals(store, leaf) == totals(1, 1)
    assert thread_totals(store, root) == totals(1, 0)
    assert subtree_totals(store, root) == totals(6, 3)
    assert subtree_totals(store, shared) == totals(5, 3)
    assert add_up(store.usage()).total == totals(6, 3)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 20), st.booleans()), min_size=1, max_size=20))
def test_totals_are_those_of_the_messages(shape: list[tuple[int, bool]]) -> None:
    with Store(None) as store:
        ids = store.save(
            [
                answer(parent)
                if is_reply and parent < number
                else draft("text", parent if parent < number else None)
                for number, (parent, is_reply) in enumerate(shape)
            ]
        )
        for message_id in ids:
            for messages, added in (
                (store.thread(message_id), thread_totals(store, message_id)),
                (store.subtree(message_id), subtree_totals(store, message_id)),
            ):
                assert added.messages == len(messages)
                known = total_of(messages)
                assert added == totals(len(messages), known.messages)


@pytest.mark.parametrize("count", [thread_totals, subtree_totals])
def test_a_message_that_is_gone_has_no_totals(
    store: Store, count: Callable[[Store, MessageId], Totals]
) -> None:
    [message_id] = store.save([draft("text")])
    store.delete([message_id])
    with pytest.raises(MessageNotFoundError):
        count(store, message_id)


def test_messages_in_a_ring_count_once(path: Path) -> None:
    seed_file(path)
    with other_program(path) as connection:
        add_message(connection, "a", parent="b")
        add_message(connection, "b", parent="a")
        add_message(connection, "c", parent="b")
    with Store(path) as store:
        a = MessageId("a")
        assert thread_totals(store, a).messages == 2
        assert subtree_totals(store, a).messages == 3


def test_numbers_that_are_none_do_no_harm(store: Store, path: Path) -> None:
    [message_id] = store.save([draft("text", facts=REPLY)])
    for value in ("'many'", "9e999", "-9e999", "x'00ff'", "NULL"):
        with other_program(path) as connection:
            connection.execute(f"UPDATE convotui_replies SET input_tokens = {value}")
        assert thread_totals(store, message_id).input_tokens == 0
        assert add_up(store.usage()).total.cost == 0.5
