"""What one row of a listing shows of a message."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convotui.storage import Block, Draft, MessageId, ReplyFacts, ReplyState, Store
from convotui.storage.beginnings import first_words

from .helpers import add_message, draft, other_program, seed_file

CALL = '{"name":"read_file","parameters":{"path":"README.md"}}'


def shown(store: Store, *blocks: Block) -> str:
    [message_id] = store.save([Draft(role="assistant", blocks=blocks)])
    [row] = store.previews([message_id])
    return row.text


@pytest.mark.parametrize(
    ("blocks", "text"),
    [
        ([Block("  several\n\n lines\tof it ")], "several lines of it"),
        ([Block("hm", type="thinking"), Block("Yes.")], "Yes."),
        ([Block("hm", type="thinking"), Block(" \n")], "hm"),
        ([Block("", mime_type=""), Block("second")], "second"),
        ([Block(CALL, type="tool_call")], 'read_file {"path":"README.md"}'),
        ([Block(CALL, type="tool_call"), Block("Reading.")], "Reading."),
        ([Block("not JSON", type="tool_call")], "not JSON"),
        ([Block('{"name":"now","parameters":{}}', type="tool_call")], "now {}"),
        ([Block("QQ==", modality=1, mime_type="image/png")], "[image/png]"),
        ([Block("QQ==", modality=1, mime_type="image/png"), Block("See")], "See"),
        ([Block("opaque", type="redacted_thinking")], ""),
        ([Block("{}", type="metadata")], "{}"),
        ([], ""),
        ([Block("before\x00after")], "before\x00after"),
    ],
)
def test_a_row_begins_with_what_was_said_or_done(
    store: Store, blocks: list[Block], text: str
) -> None:
    assert shown(store, *blocks) == text


def test_a_row_shows_no_more_than_the_beginning(store: Store) -> None:
    text = shown(store, Block("word " * 100_000))
    assert text.startswith("word word word")
    assert len(text) <= 300


def test_a_long_tool_call_is_still_named(store: Store) -> None:
    call = '{"name":"write_file","parameters":{"text":"' + "x" * 10_000 + '"}}'
    text = shown(store, Block(call, type="tool_call"))
    assert text.startswith('write_file {"text":"xxx')


def test_a_row_shows_label_model_cost_state_and_error(store: Store) -> None:
    facts = ReplyFacts(model="small", cost=0.25, state="interrupted")
    store.save(
        [
            draft("plain"),
            draft("known", title="label", role="assistant", facts=facts),
            Draft(role="tool_result", blocks=[Block("x")], tool_result_error=True),
        ]
    )
    plain, known, failed = store.list_rows(ascending=True)
    assert (plain.title, plain.model, plain.cost, plain.state) == (
        None,
        None,
        None,
        "complete",
    )
    assert (known.title, known.model, known.cost, known.state) == (
        "label",
        "small",
        0.25,
        "interrupted",
    )
    assert not plain.tool_result_error
    assert failed.tool_result_error
    assert failed.role == "tool_result"


def test_rows_can_be_asked_for_by_the_beginning_of_their_ids(store: Store) -> None:
    store.save([draft(name, id=name) for name in ("abc", "abd", "b%_", "Abc", "ab")])
    assert {row.id for row in store.list_rows(id_prefix="ab")} == {"abc", "abd", "ab"}
    assert [row.id for row in store.list_rows(id_prefix="ab", limit=1)] == ["ab"]
    assert store.list_rows(id_prefix="%") == []


def test_a_message_that_is_asked_for_twice_is_one_row_each_time(store: Store) -> None:
    [one, two] = store.save([draft("one"), draft("two")])
    rows = store.previews([one, two, one])
    assert [row.text for row in rows] == ["one", "two", "one"]


@given(st.text("ab \n\t\xa0é日\x1b", max_size=400))
def test_first_words_are_a_text_on_one_line(text: str) -> None:
    assert first_words(text.encode()) == " ".join(text[:300].split())


@pytest.mark.parametrize("numbers", [(2, 1), ("b", "a"), ("a", 7), (b"a", "b")])
def test_blocks_are_read_in_their_order_whatever_numbers_them(
    path: Path, numbers: tuple[object, object]
) -> None:
    seed_file(path)
    with other_program(path) as connection:
        add_message(connection, "m", "second")
        connection.execute("UPDATE blocks SET sequence_order = ?", numbers[:1])
        connection.execute(
            "INSERT INTO blocks (message_id, block_type, modality_type, mime_type,"
            " content, sequence_order) VALUES ('m', 'content', 0, '', 'first', ?)",
            numbers[1:],
        )
    with Store(path) as store:
        assert [row.text for row in store.previews([MessageId("m")])] == ["first"]


def test_a_line_is_a_row_without_model_and_cost(store: Store) -> None:
    states: tuple[ReplyState, ...] = get_args(ReplyState)
    ids = store.save(
        [
            draft("plain", title="label"),
            Draft("assistant", [Block("hm", type="thinking"), Block("Yes.")]),
            Draft("tool_result", [], tool_result_error=True),
            *(
                draft(
                    state, role="assistant", facts=ReplyFacts("m", cost=1, state=state)
                )
                for state in states
            ),
        ]
    )
    wanted = [*ids[::-1], MessageId("gone")]
    assert {row.state for row in store.previews(wanted)} == set(states)
    assert store.line_reader()(wanted) == [
        row._replace(model=None, cost=None) for row in store.previews(wanted)
    ]
