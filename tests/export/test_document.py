"""convotui's own documents read back as what was written."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from convotui.export.document import DocumentError, dumps, loads
from convotui.storage.records import (
    UNKNOWN_TIME,
    Block,
    ChatMessage,
    MessageId,
    ReplyFacts,
)
from convotui.text import visible

from .samples import chain, every_kind_of_block, message

# Half a character may stand alone; two halves together would be read as a whole one.
half = st.characters(categories=["Cs"])
text = st.one_of(st.text(), half)
integers = st.integers(-(2**63), 2**63 - 1)
seconds = st.floats(allow_nan=False, allow_infinity=False)
blocks = st.builds(
    Block,
    text,
    type=text,
    modality=integers,
    mime_type=text,
    id=st.none() | text,
    extra_fields=st.none() | text,
)
facts = st.builds(
    ReplyFacts,
    st.none() | text,
    st.none() | integers,
    st.none() | integers,
    st.none() | integers,
    st.none() | integers,
    st.none() | seconds,
    st.none() | seconds,
    st.none() | seconds,
    st.none() | text,
    st.sampled_from(["complete", "streaming", "interrupted", "failed"]),
    st.none() | text,
)
messages = st.builds(
    ChatMessage,
    text.map(MessageId),
    st.none() | text.map(MessageId),
    text,
    st.lists(blocks, max_size=3).map(tuple),
    st.datetimes(),
    st.none() | text,
    st.booleans(),
    st.none() | facts,
)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["id", "content", "state", "x"]), inner)
    ),
    max_leaves=4,
)


def document(messages: list[ChatMessage]) -> str:
    return "".join(dumps(messages))


@settings(deadline=None)
@given(st.lists(messages, max_size=3))
def test_any_messages_are_read_back_equal(messages: list[ChatMessage]) -> None:
    assert loads(document(messages)) == messages


def test_a_document_has_a_message_to_a_line() -> None:
    tree = [
        message("a", None, "É\n\x1b\u202e", title="T"),
        message("b", "a", role="assistant", facts=ReplyFacts("gpt-5", 1, cost=0.5)),
    ]
    tree[1] = replace(tree[1], created_at=UNKNOWN_TIME)

    assert document(tree).splitlines() == [
        '{"format": "convotui", "version": 1, "messages": [',
        '{"id": "a", "parent_id": null, "role": "user", "blocks": [{"content": '
        '"É\\n\\u001b\\u202e", "type": "content", "modality": 0, "mime_type": '
        '"text/plain", "id": null, "extra_fields": null}], "created_at": '
        '"2026-02-14 09:31:00", "title": "T", "tool_result_error": false, '
        '"facts": null},',
        '{"id": "b", "parent_id": "a", "role": "assistant", "blocks": [], '
        '"created_at": null, "title": null, "tool_result_error": false, "facts": '
        '{"model": "gpt-5", "input_tokens": 1, "output_tokens": null, '
        '"cached_tokens": null, "reasoning_tokens": null, "cost": 0.5, '
        '"first_token_seconds": null, "duration_seconds": null, '
        '"finish_reason": null, "state": "complete", "error": null}}',
        "]}",
    ]


def test_no_messages_are_a_document() -> None:
    assert loads(document([])) == []


@given(st.text() | half)
def test_a_document_can_be_shown_and_stored_anywhere(content: str) -> None:
    written = document([message("a", None, content)])
    assert visible(written) == written
    assert written.encode()


def test_numbers_that_json_cannot_hold_become_unknown() -> None:
    odd = message("a", facts=ReplyFacts(cost=float("inf"), duration_seconds=2.5))
    assert loads(document([odd]))[0].facts == ReplyFacts(duration_seconds=2.5)


def test_a_hundred_thousand_messages_are_written_one_by_one() -> None:
    pieces = dumps(iter(chain(100_000)))
    assert next(pieces).startswith('{"format"')
    assert sum('"id"' in piece for piece in pieces) == 100_000


def test_what_may_be_unknown_may_be_missing_and_more_keys_do_no_harm() -> None:
    given = {
        "format": "convotui",
        "version": 1,
        "written_by": "another program",
        "messages": [
            {"id": "a", "role": "user", "blocks": [{"content": "x", "y": 1}], "z": []}
        ],
    }
    assert loads("\ufeff" + json.dumps(given)) == [
        message("a", None, "x", created_at=UNKNOWN_TIME)
    ]


def test_times_are_read_to_the_microsecond() -> None:
    exact = message("a", created_at=datetime(2026, 2, 14, 9, 31, 5, 42))
    assert '"2026-02-14 09:31:05.000042"' in document([exact])
    assert loads(document([exact])) == [exact]


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("", "Not a JSON document: line 1, column 1"),
        ("{\n  'a'", "Not a JSON document: line 2, column 3"),
        ("[" * 100_000, "Not a JSON document that can be read"),
        ("9" * 5_000, "Not a JSON document that can be read"),
        ("[]", "Not a convotui document"),
        ('{"format": "chat"}', "Not a convotui document"),
        ('{"format": "convotui"}', "A convotui document without a version"),
        ('{"format": "convotui", "version": true}', "without a version"),
        ('{"format": "convotui", "version": 2}', "Written by a newer version"),
        ('{"format": "convotui", "version": 1}', "without a list of messages"),
    ],
)
def test_what_is_no_document_of_ours_is_refused(written: str, says: str) -> None:
    with pytest.raises(DocumentError, match=says):
        loads(written)


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        ([1], 5, "Message 2 is not an object"),
        ([1, "id"], None, "Message 2: 'id' is not text"),
        ([1, "parent_id"], 7, "Message 2: 'parent_id' is not text"),
        ([1, "blocks"], {}, "Message 2: 'blocks' is not a list"),
        ([1, "created_at"], "2026-02-30 00:00:00", "'created_at' is not a time"),
        ([1, "created_at"], "2026-02-14T00:00:00", "'created_at' is not a time"),
        ([1, "created_at"], "2026-02-14 00:00:00Z", "'created_at' is not a time"),
        ([1, "tool_result_error"], 0, "'tool_result_error' is not true or false"),
        ([1, "facts"], [], "Message 2, facts is not an object"),
        (
            [1, "facts", "cost"],
            "free",
            "Message 2, facts: 'cost' is not a number",
        ),
        ([1, "facts", "cost"], float("nan"), "'cost' is not a"),
        ([1, "facts", "cost"], 10**400, "'cost' is not a number that can be kept"),
        ([1, "facts", "input_tokens"], 2**63, "not a number that can be kept"),
        ([1, "facts", "input_tokens"], True, "not a whole number"),
        ([1, "facts", "state"], "lost", "'state' is not a known state"),
        ([1, "blocks", 0], "x", "Message 2, block 1 is not an object"),
        (
            [1, "blocks", 0, "content"],
            None,
            "Message 2, block 1: 'content' is not text",
        ),
        ([1, "blocks", 0, "modality"], 1.5, "'modality' is not a whole number"),
        ([1, "blocks", 0, "extra_fields"], {}, "'extra_fields' is not text"),
    ],
)
def test_a_wrong_field_is_named(path: list[Any], value: object, says: str) -> None:
    with pytest.raises(DocumentError, match=f"{re.escape(says)}"):
        loads(changed(path, value))


@settings(deadline=None)
@given(st.data(), ANYTHING)
def test_a_changed_document_is_read_or_refused(data: st.DataObject, value: Any) -> None:
    path: list[Any] = [1]
    node = json.loads(document(every_kind_of_block()))["messages"][1]
    while isinstance(node, dict | list) and node and data.draw(st.booleans()):
        keys = list(node) if isinstance(node, dict) else list(range(len(node)))
        path.append(data.draw(st.sampled_from(keys)))
        node = node[path[-1]]
    with suppress(DocumentError):
        assert len(loads(changed(path, value))) == 5


@given(st.data())
def test_a_broken_document_is_refused(data: st.DataObject) -> None:
    whole = document(every_kind_of_block())
    cut = data.draw(st.integers(0, len(whole) - 4))
    with pytest.raises(DocumentError):
        loads(whole[:cut])


def changed(path: list[Any], value: object) -> str:
    """A document in which one value is another."""
    found = json.loads(document(every_kind_of_block()))
    node = found["messages"]
    for key in path[:-1]:
        node = node[key]
    node[path[-1]] = value
    return json.dumps(found)
