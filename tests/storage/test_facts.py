"""What is known of replies: kept, counted once, and gone with its message."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from convotui.storage import MessageId, ReplyFacts, ReplyTotals, Store, Usage
from tests.conftest import Clock

from .helpers import chain, draft, other_program

FULL = ReplyFacts(
    model="openai/gpt-5",
    input_tokens=5419,
    output_tokens=258,
    cached_tokens=5632,
    reasoning_tokens=17,
    cost=0.01731,
    first_token_seconds=0.25,
    duration_seconds=3.5,
    finish_reason="stop",
    state="interrupted",
)


def local_day(time: datetime) -> str:
    return time.replace(tzinfo=UTC).astimezone().date().isoformat()


def delete_elsewhere(path: Path, message_id: MessageId) -> None:
    with other_program(path) as connection:
        connection.execute("DELETE FROM blocks WHERE message_id = ?", (message_id,))
        connection.execute("DELETE FROM messages WHERE id = ?", (message_id,))


@pytest.mark.parametrize("facts", [FULL, ReplyFacts(), ReplyFacts(input_tokens=0)])
def test_facts_come_back_as_they_were_saved(store: Store, facts: ReplyFacts) -> None:
    [message_id] = store.save([draft("a", role="assistant", facts=facts)])
    assert store.get([message_id])[0].facts == facts


def test_facts_are_replaced_as_a_whole(store: Store) -> None:
    [message_id] = store.save([draft("a", role="assistant", facts=FULL)])
    store.set_facts(message_id, ReplyFacts(model="other"))
    assert store.get([message_id])[0].facts == ReplyFacts(model="other")


def test_facts_can_follow_later(store: Store) -> None:
    [message_id] = store.save([draft("a", role="assistant")])
    assert store.get([message_id])[0].facts is None
    store.set_facts(message_id, FULL)
    assert store.get([message_id])[0].facts == FULL
    assert store.thread(message_id)[0].facts == FULL
    assert store.list_messages()[0].facts == FULL


def test_usage_adds_up_each_day_and_model(store: Store, clock: Clock) -> None:
    small, large = "small", "large"
    first, second = datetime(2026, 1, 1, 12), datetime(2026, 1, 3, 12)
    store.save(
        [
            draft("question", at=first),
            draft("a", at=first, facts=ReplyFacts(small, 1, 2, 3, cost=0.5)),
            draft("b", at=first, facts=ReplyFacts(small, 10, 20, 30, cost=0.25)),
            draft("c", at=first, facts=ReplyFacts(large, 100, cost=1.0)),
            draft("d", at=second, facts=ReplyFacts(small, 1000)),
        ]
    )
    assert sorted(store.usage(), key=lambda used: (used.day, used.model or "")) == [
        Usage(local_day(first), None, 1, 0, 0, 0, 0.0),
        Usage(local_day(first), large, 1, 100, 0, 0, 1.0),
        Usage(local_day(first), small, 2, 11, 22, 33, 0.75),
        Usage(local_day(second), small, 1, 1000, 0, 0, 0.0),
    ]


def test_usage_adds_up_any_number_of_messages(path: Path) -> None:
    first, second = datetime(2026, 1, 1, 12), datetime(2026, 1, 3, 12)
    with Store(path) as store:
        store.save([draft("question", at=first)])
    count = 60_000
    with other_program(path) as connection:
        connection.execute(
            "WITH RECURSIVE n(n) AS (VALUES(1) UNION ALL SELECT n + 1 FROM n LIMIT ?)"
            " INSERT INTO messages (rowid, id, role, created_at)"
            " SELECT 1000 * n - 9000, n, 'assistant', iif(n % 2, ?, 'never') FROM n",
            (count, str(second)),
        )
        connection.execute(
            "INSERT INTO convotui_replies"
            " (message_id, model, input_tokens, cost, state)"
            " SELECT id, iif(id % 3, 'small', NULL), 1, 0.5, 'complete'"
            " FROM messages WHERE role = 'assistant'"
        )
    with Store(path) as store:
        used = store.usage()
    assert used == [
        Usage("", None, 10_000, 10_000, 0, 0, 5_000.0),
        Usage("", "small", 20_000, 20_000, 0, 0, 10_000.0),
        Usage(local_day(first), None, 1, 0, 0, 0, 0.0),
        Usage(local_day(second), None, 10_000, 10_000, 0, 0, 5_000.0),
        Usage(local_day(second), "small", 20_000, 20_000, 0, 0, 10_000.0),
    ]


def test_costs_without_end_cost_nothing(path: Path) -> None:
    with Store(path) as store:
        ids = store.save([draft(text, facts=FULL) for text in ("much", "less", "some")])
    with other_program(path) as connection:
        for message_id, cost in zip(ids, (9e999, -9e999, 1.0), strict=True):
            connection.execute(
                "UPDATE convotui_replies SET cost = ? WHERE message_id = ?",
                (cost, message_id),
            )
    with Store(path) as store:
        assert [one.cost for one in store.usage()] == [0.0]


def test_a_message_shared_by_many_branches_costs_once(store: Store) -> None:
    [root] = store.save([draft("a", role="assistant", facts=ReplyFacts(cost=1.0))])
    store.save([draft("fork", root) for _ in range(5)])
    assert sum(used.cost for used in store.usage()) == 1.0
    assert sum(used.messages for used in store.usage()) == 6


def test_totals_name_each_reply_of_which_something_is_known(store: Store) -> None:
    ids = store.save(chain(["a", "b", "c", "d"]))
    store.set_facts(ids[1], FULL)
    store.set_facts(ids[3], ReplyFacts())
    assert sorted(store.reply_totals()) == sorted(
        [
            ReplyTotals(ids[1], "openai/gpt-5", 5419, 258, 0.01731),
            ReplyTotals(ids[3], None, 0, 0, 0.0),
        ]
    )


def test_deleted_replies_count_no_more_until_they_come_back(store: Store) -> None:
    [_, reply] = store.save(chain(["a", "b"]))
    store.set_facts(reply, FULL)
    before = store.usage(), store.reply_totals()
    store.delete([reply])
    assert sum(used.cost for used in store.usage()) == 0
    assert store.reply_totals() == []
    store.undo()
    assert (store.usage(), store.reply_totals()) == before
    assert store.get([reply])[0].facts == FULL


def test_facts_are_gone_when_the_trash_is_emptied(store: Store, path: Path) -> None:
    [kept, reply] = store.save([draft("a", facts=FULL), draft("b", facts=FULL)])
    store.delete([reply])
    store.empty_trash()
    with other_program(path) as connection:
        left = connection.execute("SELECT message_id FROM convotui_replies").fetchall()
    assert left == [(kept,)]


def test_facts_of_what_another_program_deleted_are_ignored_and_swept(
    store: Store, path: Path
) -> None:
    [kept, gone] = store.save([draft("a", facts=FULL), draft("b", facts=FULL)])
    delete_elsewhere(path, gone)
    assert [totals.id for totals in store.reply_totals()] == [kept]
    assert sum(used.cost for used in store.usage()) == FULL.cost
    assert store.health().stray_facts == 1
    assert store.health().is_sound
    store.sweep()
    assert store.health().stray_facts == 0
    assert store.get([kept])[0].facts == FULL


def test_sweeping_keeps_what_the_trash_still_needs(store: Store) -> None:
    [gone] = store.save([draft("b", facts=FULL)])
    store.delete([gone])
    assert store.health().stray_facts == 0
    store.sweep()
    store.undo()
    assert store.get([gone])[0].facts == FULL
