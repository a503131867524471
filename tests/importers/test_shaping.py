"""Trees and times that other programs have left in any state."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convotui.importers.shaping import (
    amount_of,
    chain,
    count_of,
    milliseconds,
    parents_first,
    time_of,
    url_block,
)
from convotui.storage import Arrival, Block

NOON = datetime(2026, 1, 1, 12)
KEYS = st.sampled_from("abcdef")


def said(key: str, parent: str | None = None, minute: int | None = None) -> Arrival:
    time = None if minute is None else NOON + timedelta(minutes=minute)
    return Arrival(key, "user", [Block(key)], parent, time)


def drawn(arrivals: list[Arrival]) -> list[str]:
    return [f"{a.key}<{a.parent}" if a.parent else a.key for a in arrivals]


def test_parents_come_first_and_the_rest_keeps_its_order() -> None:
    given = [said("c", "b"), said("x"), said("b", "a"), said("d", "b"), said("a")]

    assert drawn(parents_first(given, NOON)) == ["a", "b<a", "c<b", "x", "d<b"]


def test_a_missing_parent_makes_a_root() -> None:
    assert drawn(parents_first([said("b", "gone"), said("c", "b")], NOON)) == [
        "b",
        "c<b",
    ]


def test_a_ring_is_cut_above_its_first_message() -> None:
    ring = [said("a", "c"), said("b", "a"), said("c", "b"), said("d", "c")]

    assert drawn(parents_first(ring, NOON)) == ["a", "b<a", "c<b", "d<c"]
    assert drawn(parents_first([said("a", "a")], NOON)) == ["a"]


@given(st.dictionaries(KEYS, st.none() | KEYS | st.just("gone")))
def test_every_message_comes_once_and_after_its_parent(
    parents: dict[str, str | None],
) -> None:
    ordered = parents_first([said(k, p) for k, p in parents.items()], NOON)

    assert sorted(a.key for a in ordered) == sorted(parents)
    seen: set[str] = set()
    for arrival in ordered:
        assert arrival.parent is None or arrival.parent in seen
        assert arrival.parent in (parents[arrival.key], None)
        seen.add(arrival.key)


def test_a_thread_of_any_depth_is_put_in_order() -> None:
    deep = [said(str(n), str(n + 1)) for n in range(20_000)]

    assert parents_first(deep, NOON)[0].key == "19999"


def test_times_never_go_back_along_a_thread() -> None:
    minutes = [None, 5, 3, None, 9]
    thread = chain([said(str(n), None, m) for n, m in enumerate(minutes)], NOON)

    times = [message.created_at for message in thread]
    # The first one takes the earliest time that is known of any.
    assert times == [NOON + timedelta(minutes=m) for m in (3, 5, 5, 5, 9)]


def test_messages_without_any_time_have_the_files() -> None:
    assert {m.created_at for m in chain([said("a"), said("b")], NOON)} == {NOON}


def test_messages_without_keys_get_the_same_ones_again() -> None:
    texts = ["yes", "no", "yes"]
    whole = chain([Arrival("", "user", [Block(text)]) for text in texts], NOON)
    later = chain([Arrival("", "user", [Block(text)]) for text in texts[1:]], NOON)

    assert len({message.key for message in whole}) == 3
    assert later[0].key == whole[1].key


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (
            "2025-10-06T12:59:08.050017383-07:00",
            datetime(2025, 10, 6, 19, 59, 8, 50017),
        ),
        ("2026-01-07T05:34:31+00:00", datetime(2026, 1, 7, 5, 34, 31)),
        ("2026-02-14 10:30:00", datetime(2026, 2, 14, 10, 30)),
        ("2026-02-14T10:30:00Z", datetime(2026, 2, 14, 10, 30)),
        (1767268800.5, datetime(2026, 1, 1, 12, 0, 0, 500000)),
        ("0001-01-01T00:00:00+14:00", None),
        ("yesterday", None),
        (1e300, None),
        (float("nan"), None),
        (10**400, None),
        (True, None),
        (None, None),
        ([], None),
    ],
)
def test_a_time_is_read_or_unknown(value: object, expected: datetime | None) -> None:
    assert time_of(value) == expected


@given(st.integers() | st.floats() | st.text() | st.none() | st.booleans())
def test_no_number_is_too_strange(value: object) -> None:
    amount, count, time = amount_of(value), count_of(value), milliseconds(value)

    assert amount is None or abs(amount) < float("inf")
    assert count is None or abs(count) < 2**63
    assert time is None or time.tzinfo is None


def test_a_picture_in_an_address_is_taken_out_of_it() -> None:
    block = url_block("data:image/png;base64,aGk=")

    assert (block.modality, block.mime_type, block.content) == (1, "image/png", "aGk=")


@pytest.mark.parametrize(
    "address",
    ["https://example.org/a.png", "data:image/png;base64,***", None, {"a": 1}],
)
def test_an_address_without_a_picture_is_kept_as_text(address: object) -> None:
    block = url_block(address)

    assert block.is_text
    assert str(address if isinstance(address, str) else "") in block.content
