"""What one row of a listing shows of a message."""

from __future__ import annotations

import pytest

from convotui.storage import Block, Draft, ReplyFacts, Store

from .helpers import draft

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
