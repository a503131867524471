"""Threads as other programs take them: what each demands holds for any thread."""

from __future__ import annotations

import base64
import json
import re
from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from convotui.conversations.exporting import ExportKind, export_pieces
from convotui.export.left_out import LeftOut
from convotui.storage.records import Block, ChatMessage, ReplyFacts

from .samples import BEGUN, PNG, every_kind_of_block, message
from .trees import call, image

PDF = Block("JVBERi0=", modality=1, mime_type="application/pdf")
SOUND = Block("AAAA", modality=2, mime_type="audio/mpeg")
ANY_BLOCK = st.sampled_from(
    [
        Block("words"),
        Block(" \n"),
        Block(""),
        Block("hm", "thinking"),
        Block("secret", "redacted_thinking"),
        Block("rules", "hidden"),
        Block("{}", "metadata"),
        call("a"),
        call("b", parameters=[1]),
        call("a", parameters={"x": 1e400}),
        call(None),
        call("ä b" * 40, name="mail:send"),
        Block("no JSON", "tool_call", id="c"),
        Block('{"name": {}}', "tool_call"),
        Block(
            '{"name": "deep", "parameters":' + "[" * 900 + "]" * 900 + "}", "tool_call"
        ),
        image(),
        image("no base64!"),
        PDF,
        SOUND,
        Block("AAAA", modality=7, mime_type=""),
    ]
)
RESULTS = st.builds(
    Block,
    st.sampled_from(["found", "", '{"a": NaN}']),
    id=st.sampled_from(["a", "b", "c", "nobody's", None]),
    mime_type=st.sampled_from(["text/plain", "application/json"]),
)
MESSAGES = st.one_of(
    st.builds(
        lambda role, blocks: message("m", None, *blocks, role=role),
        st.sampled_from(["user", "assistant", "assistant", "system", "odd"]),
        st.lists(ANY_BLOCK, max_size=4),
    ),
    st.builds(
        lambda blocks, error: message(
            "r", None, *blocks, role="tool_result", error=error
        ),
        st.lists(RESULTS, max_size=2),
        st.booleans(),
    ),
)
THREADS = st.lists(MESSAGES, max_size=8)
MANY = settings(deadline=None, max_examples=300)


def written(kind: ExportKind, *thread: ChatMessage) -> Any:
    """What a strict program reads of an export."""
    text = "".join(export_pieces(thread, kind, ""))

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is no JSON")

    return json.loads(text, parse_constant=refuse)


def left_out(kind: ExportKind, *thread: ChatMessage) -> str:
    lost = LeftOut()
    "".join(export_pieces(thread, kind, "", left_out=lost))
    return str(lost)


def user(*blocks: Block | str) -> ChatMessage:
    return message("u", None, *blocks)


def assistant(*blocks: Block | str) -> ChatMessage:
    return message("a", None, *blocks, role="assistant")


def result(
    call_id: str | None, *blocks: Block | str, error: bool = False
) -> ChatMessage:
    named = [Block(b, id=call_id) if isinstance(b, str) else b for b in blocks]
    return message("r", None, *named, role="tool_result", error=error)


def system(text: str) -> ChatMessage:
    return user(Block(text, "hidden"))


@MANY
@given(THREADS)
def test_openai_has_a_result_for_each_call_and_none_more(
    thread: list[ChatMessage],
) -> None:
    waiting: list[str] = []
    for sent in written("openai", *thread):
        assert sent["role"] in ("system", "user", "assistant", "tool")
        if sent["role"] == "tool":
            waiting.remove(sent["tool_call_id"])
        elif sent["role"] != "system":
            assert waiting == []
        for made in sent.get("tool_calls", []):
            assert made["function"]["name"]
            waiting.append(made["id"])


@MANY
@given(THREADS)
def test_converse_gets_turns_that_it_takes(thread: list[ChatMessage]) -> None:
    turns = written("bedrock", *thread)["messages"]
    if not turns:
        return
    assert turns[0]["role"] == "user"
    assert all(one["role"] != other["role"] for one, other in pairwise(turns))
    ids = []
    for turn, after in zip(turns, [*turns[1:], {"content": []}], strict=True):
        parts = turn["content"]
        assert parts
        assert all(part["text"].strip() for part in parts if "text" in part)
        called = [p["toolUse"] for p in parts if "toolUse" in p]
        assert all(isinstance(use["input"], dict) for use in called)
        assert all(re.fullmatch(r"[\w-]{1,64}", use["name"]) for use in called)
        answered = [p for p in after["content"] if "toolResult" in p]
        assert after["content"][: len(answered)] == answered
        given_ids = [p["toolResult"]["toolUseId"] for p in answered]
        own_ids = [use["toolUseId"] for use in called]
        if turn is not turns[-1]:
            assert sorted(given_ids) == sorted(own_ids)
        ids += own_ids
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", own) for own in ids)


@MANY
@given(THREADS)
def test_amazon_q_gets_pairs_that_it_loads(thread: list[ChatMessage]) -> None:
    state = written("q", *thread)
    history = state["history"]

    assert state["valid_history_range"] == [0, len(history)]
    calls: list[str] = []
    for user in [*(entry["user"] for entry in history), state["next_message"]]:
        if user is None:
            continue
        assert user.keys() == {
            "additional_context",
            "env_context",
            "content",
            "timestamp",
            "images",
        }
        [(kind, content)] = user["content"].items()
        assert kind in ("Prompt", "ToolUseResults", "CancelledToolUses")
        results = [r["tool_use_id"] for r in content.get("tool_use_results", [])]
        assert sorted(results) == sorted(calls)
        entry = next((e for e in history if e["user"] is user), None)
        [(kind, reply)] = entry["assistant"].items() if entry else [("Response", {})]
        assert kind in ("Response", "ToolUse")
        calls = [use["id"] for use in reply.get("tool_uses", [])]


def test_openai_messages() -> None:
    asked = user("What is this?", image(), PDF, SOUND)
    called = assistant(
        Block("hm", "thinking"), "I look.", call("c1", "look", {"at": 1})
    )
    thread = [
        system("Be short."),
        asked,
        called,
        result("c1", "dot"),
        assistant("A dot."),
    ]

    assert written("openai", *thread) == [
        {"role": "system", "content": "Be short."},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "What is this?"},
                {
                    "type": "image_url",
                    "image_url": {"url": f"data:image/png;base64,{PNG}"},
                },
                {
                    "type": "file",
                    "file": {
                        "filename": "file.pdf",
                        "file_data": "data:application/pdf;base64,JVBERi0=",
                    },
                },
                {
                    "type": "input_audio",
                    "input_audio": {"data": "AAAA", "format": "mp3"},
                },
            ],
        },
        {
            "role": "assistant",
            "content": "I look.",
            "tool_calls": [
                {
                    "id": "c1",
                    "type": "function",
                    "function": {"name": "look", "arguments": '{"at": 1}'},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "dot"},
        {"role": "assistant", "content": "A dot."},
    ]


def test_pictures_of_tools_come_after_all_results() -> None:
    called = assistant(call("a"), call("b"))
    sent = written(
        "openai", called, result("a", image()), result("b", "x"), user("so?")
    )

    assert [one["role"] for one in sent[1:]] == ["tool", "tool", "user", "user"]
    assert sent[3]["content"][0]["type"] == "image_url"


def test_converse_messages() -> None:
    signed = '{"anthropic_thinking_signature":"c2ln"}'
    called = assistant(
        Block("hm", "thinking", extra_fields=signed), call("c1", "look", {"at": 1})
    )
    thread = [
        system("Be short."),
        user("Look."),
        user(image()),
        called,
        result("c1", "dot", error=True),
        user("And?"),
        assistant("A dot."),
        assistant("Really."),
    ]

    assert written("bedrock", *thread) == {
        "system": [{"text": "Be short."}],
        "messages": [
            {
                "role": "user",
                "content": [
                    {"text": "Look."},
                    {"image": {"format": "png", "source": {"bytes": PNG}}},
                ],
            },
            {
                "role": "assistant",
                "content": [
                    {
                        "reasoningContent": {
                            "reasoningText": {"text": "hm", "signature": "c2ln"}
                        }
                    },
                    {
                        "toolUse": {
                            "toolUseId": "c1",
                            "name": "look",
                            "input": {"at": 1},
                        }
                    },
                ],
            },
            {
                "role": "user",
                "content": [
                    {
                        "toolResult": {
                            "toolUseId": "c1",
                            "content": [{"text": "dot"}],
                            "status": "error",
                        }
                    },
                    {"text": "And?"},
                ],
            },
            {"role": "assistant", "content": [{"text": "A dot."}, {"text": "Really."}]},
        ],
    }


def test_the_state_that_amazon_q_loads() -> None:
    asked = user(
        Block("Look.", extra_fields='{"q_additional_context":"from a hook"}'), image()
    )
    used = Block(
        '{"name":"look","parameters":{"at":1}}',
        "tool_call",
        id="c1",
        extra_fields='{"orig_name":"eye___look"}',
    )
    facts = ReplyFacts("claude", first_token_seconds=0.25, duration_seconds=2)
    replied = message(
        "m1",
        None,
        "Yes.",
        used,
        role="assistant",
        facts=facts,
        created_at=BEGUN + timedelta(seconds=3),
    )
    found = result("c1", Block('{"dot": true}', mime_type="application/json", id="c1"))
    state = written("q", asked, replied, found)
    [entry] = state["history"]

    assert state["model"] == "claude"
    picture = {"format": "Png", "source": {"Bytes": [*base64.b64decode(PNG)]}}
    assert entry["user"] == {
        "additional_context": "from a hook",
        "env_context": {"env_state": None},
        "content": {"Prompt": {"prompt": "Look."}},
        "timestamp": "2026-02-14T09:31:00+00:00",
        "images": [picture],
    }
    use = {
        "id": "c1",
        "name": "look",
        "orig_name": "eye___look",
        "args": {"at": 1},
        "orig_args": {"at": 1},
    }
    assert entry["assistant"] == {
        "ToolUse": {"message_id": None, "content": "Yes.", "tool_uses": [use]}
    }
    assert entry["request_metadata"] == {
        "request_id": None,
        "message_id": "m1",
        "request_start_timestamp_ms": 1771061461000,
        "stream_end_timestamp_ms": 1771061463000,
        "time_to_first_chunk": {"secs": 0, "nanos": 250_000_000},
        "time_between_chunks": [],
        "user_prompt_length": 0,
        "response_size": 4,
        "chat_conversation_type": "ToolUse",
        "tool_use_ids_and_names": [["c1", "look"]],
        "model_id": "claude",
        "message_meta_tags": [],
    }
    answer = {"tool_use_id": "c1", "content": [{"Json": {"dot": True}}]}
    assert state["next_message"]["content"] == {
        "ToolUseResults": {"tool_use_results": [{**answer, "status": "Success"}]}
    }


def test_calls_that_nobody_answered_get_a_result_unless_they_are_the_last() -> None:
    called = [user("go"), assistant(call("a"), call("b"))]

    waiting = written("openai", *called)
    assert [one["role"] for one in waiting] == ["user", "assistant"]
    answered = written("openai", *called, result("b", "found"))
    assert [one.get("tool_call_id") for one in answered[2:]] == ["b", "a"]
    assert "no result" in answered[3]["content"]


def test_calls_with_one_id_are_told_apart() -> None:
    called = assistant(call("a"), call("a"))
    sent = written("openai", called, result("a", "one"), result("a", "two"))

    ids = [made["id"] for made in sent[0]["tool_calls"]]
    assert len(set(ids)) == 2
    assert [(one["tool_call_id"], one["content"]) for one in sent[1:]] == [
        (ids[0], "one"),
        (ids[1], "two"),
    ]


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        (
            "openai",
            "Left out, for want of a place: 3 blocks of thinking, 1 other block,"
            " 1 error mark.",
        ),
        (
            "bedrock",
            "Left out, for want of a place: 1 file, 1 block of thinking,"
            " 1 other block.",
        ),
        (
            "q",
            "Left out, for want of a place: 2 files, 3 blocks of thinking,"
            " 1 other block.",
        ),
    ],
)
def test_what_is_left_out_is_told(kind: ExportKind, told: str) -> None:
    assert left_out(kind, *every_kind_of_block()) == told


@pytest.mark.parametrize("kind", ["openai", "bedrock", "q"])
def test_of_words_and_calls_nothing_is_left_out(kind: ExportKind) -> None:
    thread = [user("go"), assistant("I look.", call("a")), result("a", "found")]

    assert left_out(kind, *thread) == ""
