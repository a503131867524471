"""Messages that arrive from elsewhere: each once, in its place, and nothing lost."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import apsw
import pytest

from convotui.storage import (
    Arrival,
    Block,
    Intake,
    MessageId,
    Origin,
    ReplyFacts,
    Role,
    Store,
)

from .helpers import draft, rows


def said(
    key: str, text: str | None = None, parent: str | None = None, role: Role = "user"
) -> Arrival:
    return Arrival(key, role, [Block(text or key)], parent)


def take(store: Store, *arrivals: Arrival) -> Intake:
    return store.origins.take_in("other", "talk", arrivals)


def tree(store: Store) -> list[str]:
    found = store.list_messages(ascending=True)
    said = {message.id: message.text for message in found}
    return [f"{m.text}<{said[m.parent_id]}" if m.parent_id else m.text for m in found]


def ids(store: Store) -> dict[str, MessageId]:
    return {message.text: message.id for message in store.list_messages()}


def test_what_is_new_hangs_where_it_belongs(store: Store) -> None:
    assert take(store, said("a"), said("b", parent="a")) == Intake(new=2)

    grown = take(
        store,
        said("a"),
        said("b", parent="a"),
        said("c", parent="b"),
        said("d", parent="a"),
    )

    assert grown == Intake(new=2, known=2)
    assert tree(store) == ["a", "b<a", "c<b", "d<a"]


def test_a_comparison_tells_the_same_and_does_nothing(store: Store, path: Path) -> None:
    arrivals = [said("a"), said("b", parent="a"), said("a")]

    assert store.origins.compare("other", "talk", arrivals) == Intake(new=2, known=1)
    assert not path.exists()


def test_other_conversations_are_others(store: Store) -> None:
    for source, conversation in (("x", "1"), ("x", "2"), ("y", "1")):
        store.origins.take_in(source, conversation, [said("a")])

    assert tree(store) == ["a", "a", "a"]


def test_where_a_message_came_from_is_kept(store: Store) -> None:
    take(store, replace(said("a"), meta={"mood": ["good", {"ü": 1}]}))
    [own] = store.save([draft("typed here")])
    [provenance] = store.origins.of(list(ids(store).values())).values()

    assert provenance.origin == Origin("other", "talk", "a")
    assert provenance.meta == {"mood": ["good", {"ü": 1}]}
    assert store.origins.of([own]) == {}


def test_what_a_message_goes_on_from_is_found_whatever_came_first(store: Store) -> None:
    later = replace(said("later"), continues=Origin("other", "before", "end"))
    take(store, later)
    name = ids(store)["later"]
    assert store.origins.of([name])[name].continues is None

    store.origins.take_in("other", "before", [said("end")])

    assert store.origins.of([name])[name].continues == ids(store)["end"]


def test_a_message_that_says_more_grows(store: Store) -> None:
    time = datetime(2026, 1, 1)
    reply = replace(said("b", "Once upon", "a", "assistant"), created_at=time)
    take(store, said("a"), reply)
    name = ids(store)["Once upon"]
    longer = replace(reply, blocks=[Block("Once upon a time"), Block("there was")])

    assert take(store, said("a"), longer) == Intake(known=1, grown=1)
    assert store.get([name])[0].blocks == tuple(longer.blocks)
    assert take(store, said("a"), longer) == Intake(known=2)
    assert [hit.id for hit in store.search("time")] == [name]


def test_a_message_of_another_time_that_says_more_is_another(store: Store) -> None:
    first = replace(said("1", "hi"), created_at=datetime(2026, 1, 1))
    other = replace(said("1", "hi there"), created_at=datetime(2026, 1, 2))

    assert take(store, first) == Intake(new=1)
    assert take(store, other) == Intake(new=1)
    assert tree(store) == ["hi", "hi there"]


def test_a_message_that_says_something_else_comes_in_beside(store: Store) -> None:
    take(store, said("a"), said("b", "first", "a"), said("c", parent="b"))

    changed = [said("a"), said("b", "second", "a"), said("d", parent="b")]

    assert take(store, *changed) == Intake(new=2, known=1)
    assert tree(store) == ["a", "first<a", "c<first", "second<a", "d<second"]
    assert take(store, *changed) == Intake(known=3)


def test_two_messages_with_one_key_are_both_kept(store: Store) -> None:
    twins = [said("a", "one"), said("a", "two"), said("a", "one")]

    assert take(store, *twins) == Intake(new=2, known=1)
    assert take(store, *twins) == Intake(known=3)
    assert tree(store) == ["one", "two"]


def test_what_was_deleted_stays_deleted(store: Store) -> None:
    thread = [said("a"), said("b", parent="a"), said("c", parent="b")]
    take(store, *thread)
    store.delete([ids(store)["b"]], recursive=True)

    assert take(store, *thread, said("d", parent="c")) == Intake(new=1, known=3)
    assert tree(store) == ["a", "d<a"]


def test_what_was_destroyed_can_come_again(store: Store) -> None:
    take(store, said("a"))
    store.delete([ids(store)["a"]])
    store.empty_trash()

    assert take(store, said("a")) == Intake(new=1)


def test_where_destroyed_messages_came_from_is_forgotten(
    store: Store, path: Path
) -> None:
    take(store, said("a"), said("b"))
    store.delete([ids(store)["a"]])
    store.empty_trash()

    assert rows(path, "SELECT key FROM convotui_origins") == [("b",)]


def test_an_id_goes_to_the_first_that_comes_with_it(store: Store) -> None:
    same = MessageId("same")
    twins = [replace(said("a"), id=same), replace(said("b", parent="a"), id=same)]

    assert take(store, *twins) == Intake(new=2)
    assert take(store, *twins) == Intake(known=2)
    assert ids(store)["a"] == "same"
    assert tree(store) == ["a", "b<a"]


def test_the_same_id_and_words_elsewhere_are_another_message(store: Store) -> None:
    here = [said("here"), replace(said("x", parent="here"), id=MessageId("x"))]
    there = [said("there"), replace(said("x", parent="there"), id=MessageId("x"))]

    assert take(store, *here) == Intake(new=2)
    assert take(store, *there) == Intake(new=2)
    assert take(store, *here, said("there")) == Intake(known=3)
    assert tree(store) == ["here", "x<here", "there", "x<there"]


def test_what_becomes_known_later_is_taken_over(store: Store) -> None:
    first = replace(said("a"), facts=ReplyFacts("m", cost=1.5), meta={"total": 1})
    take(store, first)
    known = take(
        store,
        replace(first, facts=ReplyFacts("m"), meta={}),
        replace(said("b", parent="a"), facts=ReplyFacts("m", cost=2.0)),
    )

    assert known == Intake(new=1, known=1)
    assert sum(totals.cost for totals in store.usage()) == 2.0
    name = ids(store)["a"]
    assert store.origins.of([name])[name].meta == {}


def test_an_error_on_the_way_leaves_nothing(store: Store, path: Path) -> None:
    def broken() -> Iterator[Arrival]:
        for number in range(2_500):
            yield said(str(number))
        raise RuntimeError("the cable was cut")

    store.save([draft("before")])
    with pytest.raises(RuntimeError, match="cable"):
        store.origins.take_in("other", "talk", broken())

    assert tree(store) == ["before"]
    assert rows(path, "SELECT count(*) FROM convotui_origins") == [(0,)]


def test_nothing_makes_no_file(store: Store, path: Path) -> None:
    assert store.origins.take_in("other", "talk", []) == Intake()
    assert not path.exists()


def test_replies_find_their_parents_across_batches(store: Store) -> None:
    chain = [said(str(n), parent=str(n - 1) if n else None) for n in range(2_500)]

    assert take(store, *chain) == Intake(new=2_500)
    last = ids(store)["2499"]
    assert [m.text for m in store.thread(last)] == [str(n) for n in range(2_500)]
    assert take(store, *chain) == Intake(known=2_500)


def test_a_batch_is_compared_in_few_statements(store: Store) -> None:
    chain = [
        replace(said(str(n), parent=str(n - 1) if n else None), id=MessageId(f"m{n}"))
        for n in range(900)
    ]
    take(store, *chain)
    store.outline()
    counts = []
    for size in (20, 900):
        ran: list[str] = []
        with watched(ran):
            store.origins.compare("elsewhere", "talk", chain[:size])
        counts.append(len(ran))

    assert counts[0] == counts[1] > 0


@contextmanager
def watched(ran: list[str]) -> Iterator[None]:
    """Note what statements run on any connection."""

    def note(cursor: object, sql: str, bindings: object) -> bool:
        ran.append(sql)
        return True

    connections = [one for one in apsw.connections() if one.filename]
    for connection in connections:
        connection.exec_trace = note
    yield
    for connection in connections:
        connection.exec_trace = None


@pytest.mark.parametrize("key", ["\0", "a\0b", "\ud800", "x" * 100_000, "'; --", "%"])
def test_any_key_will_do(key: str, store: Store) -> None:
    arrivals = [said(key, "root"), said("reply", parent=key)]

    assert store.origins.take_in(key, key, arrivals) == Intake(new=2)
    assert store.origins.take_in(key, key, arrivals) == Intake(known=2)
    assert tree(store) == ["root", "reply<root"]


def test_a_file_of_an_older_version_is_compared_and_then_written(path: Path) -> None:
    with Store(path) as store:
        store.save([draft("before")])
    rows(path, "DROP TABLE convotui_origins")
    rows(path, "UPDATE convotui_meta SET value = '1' WHERE key = 'schema_version'")

    with Store(path) as store:
        assert store.origins.compare("other", "talk", [said("a")]) == Intake(new=1)
        assert take(store, said("a")) == Intake(new=1)
        assert take(store, said("a")) == Intake(known=1)
