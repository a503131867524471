"""What conversations add up to: every reply once, whoever shares it."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convotui.conversations.cleaning import clean, find_old
from convotui.conversations.listing import list_tree
from convotui.conversations.summaries import Totals, add_up, summarise
from convotui.storage import ReplyFacts, Store, Usage
from convotui.tree import Filter
from tests.storage.helpers import add_message, draft, other_program, seed_file

REPLY = ReplyFacts("m", input_tokens=10, output_tokens=1, cost=0.5)


def test_a_reply_that_many_branches_share_counts_once(store: Store) -> None:
    root, reply = store.save(
        [draft("hello"), draft("hi", 0, role="assistant", facts=REPLY)]
    )
    store.save([draft(f"branch {n}", reply) for n in range(10)])

    [summary] = summarise(store)

    assert summary.id == root
    assert summary.messages == 12
    assert (summary.input_tokens, summary.output_tokens) == (10, 1)
    assert summary.cost == 0.5


def test_conversations_do_not_share_what_they_cost(store: Store) -> None:
    for name in ("first", "second"):
        store.save([draft(name), draft("hi", 0, role="assistant", facts=REPLY)])

    assert [(s.title, s.cost) for s in summarise(store)] == [
        ("first", 0.5),
        ("second", 0.5),
    ]


def test_the_title_is_the_first_label_from_the_top(store: Store) -> None:
    [root] = store.save([draft("hello")])
    [first] = store.save([draft("a", root)])
    store.save([draft("b", first, title="below")])
    store.label(first, "above")

    [summary] = summarise(store)

    assert (summary.title, summary.is_labelled) == ("above", True)


def test_unknown_facts_are_no_numbers(store: Store) -> None:
    store.save([draft("hi", role="assistant", facts=ReplyFacts(state="failed"))])

    [summary] = summarise(store)

    assert summary.model is None
    assert (summary.input_tokens, summary.output_tokens, summary.cost) == (0, 0, 0)


def test_a_limit_keeps_the_most_recently_active(store: Store) -> None:
    store.save([draft(str(n)) for n in range(5)])

    assert [s.title for s in summarise(store, limit=2)] == ["3", "4"]
    assert summarise(store, limit=0) == []


def test_old_is_what_nobody_has_touched_since(store: Store) -> None:
    long_ago, recently = datetime(2026, 1, 1), datetime(2026, 2, 1)
    [old] = store.save([draft("old", at=long_ago)])
    [kept] = store.save([draft("kept", at=long_ago)])
    store.save([draft("still going", kept, at=recently)])

    assert [found.id for found in find_old(store, recently)] == [old]
    assert find_old(store, long_ago) == []
    assert len(find_old(store, recently + timedelta(seconds=1))) == 2


def test_a_conversation_of_unknown_age_is_not_old(path: Path) -> None:
    seed_file(path)
    with other_program(path) as connection:
        add_message(connection, "aaaaaa", "when?", at="a while ago")
    with Store(path) as store:
        assert find_old(store, datetime(2999, 1, 1)) == []


def test_cleaning_nothing_is_no_change(store: Store) -> None:
    store.save([draft("hello")])

    assert clean(store, []) is None


def test_cleaning_is_one_change(store: Store) -> None:
    store.save([draft(str(n)) for n in range(3)])

    change = clean(store, summarise(store))

    assert change is not None
    assert change.message_count == 3
    assert list(list_tree(store)) == []
    store.undo()
    assert len(list(list_tree(store))) == 3


def test_rows_come_in_order_however_many_there_are(store: Store) -> None:
    store.save([draft(str(n), n - 1 if n else None) for n in range(4500)])

    rows = list(list_tree(store, limit=4400))

    assert [row.preview.text for row in rows] == [str(n) for n in range(100, 4500)]
    assert rows[0].depth == 100
    assert [row.is_leaf for row in rows[-2:]] == [False, True]


def test_a_filter_counts_generations_among_what_it_leaves(store: Store) -> None:
    store.save(
        [draft("a"), draft("b", 0, role="assistant"), draft("c", 1), draft("d", 2)]
    )

    rows = list(list_tree(store, Filter.PROMPTS))

    assert [(row.preview.text, row.depth) for row in rows] == [
        ("a", 0),
        ("c", 1),
        ("d", 2),
    ]


USAGE = st.builds(
    Usage,
    day=st.sampled_from(["", "2026-01-01", "2026-01-02"]),
    model=st.sampled_from([None, "a", "b"]),
    messages=st.integers(1, 100),
    input_tokens=st.integers(0, 1000),
    output_tokens=st.integers(0, 1000),
    cached_tokens=st.integers(0, 1000),
    cost=st.integers(0, 100).map(float),
)


@given(st.lists(USAGE))
def test_days_add_up_to_everything(usage: list[Usage]) -> None:
    statistics = add_up(usage)

    assert sum(day.messages for day in statistics.days.values()) == (
        statistics.total.messages
    )
    assert sum(day.cost for day in statistics.days.values()) == statistics.total.cost
    assert sum(m.output_tokens for m in statistics.models.values()) == sum(
        entry.output_tokens for entry in usage if entry.model is not None
    )
    assert list(statistics.days) == sorted(statistics.days)


def test_the_most_expensive_model_comes_first() -> None:
    statistics = add_up(
        Usage("2026-01-01", model, 1, 0, 0, 0, cost)
        for model, cost in [("cheap", 0.1), ("dear", 9.0), ("also cheap", 0.1)]
    )

    assert list(statistics.models) == ["dear", "also cheap", "cheap"]


def test_nothing_adds_up_to_nothing() -> None:
    statistics = add_up([])

    assert statistics.total == Totals()
    assert statistics.models == statistics.days == {}


@pytest.mark.parametrize("by", Filter)
def test_an_empty_store_has_no_conversations(by: Filter, store: Store) -> None:
    assert summarise(store, by) == []
    assert list(list_tree(store, by)) == []
