"""Another provider's language: signed thoughts, and tools that nobody listed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from convotui.llm import (
    Endpoint,
    FinishPiece,
    Request,
    Text,
    TextPiece,
    Thinking,
    ThinkingPiece,
    ToolCall,
    ToolResult,
    Turn,
)
from tests.llm.asking import Reply, ask
from tests.llm.server import OpenAIServer, Script

MODEL = "anthropic/claude-sonnet-4-6"


def events(*deltas: tuple[str, dict[str, Any]]) -> Script:
    """Return a reply of Anthropic's: a block for each kind of delta, and the rest."""
    usage = {"input_tokens": 11, "output_tokens": 1}
    start = {"id": "m", "type": "message", "role": "assistant", "content": []}
    sent: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**start, "model": "x", "usage": usage}}
    ]
    for index, (kind, block) in enumerate(deltas):
        empty = {"type": kind, kind: ""}
        sent.append(
            {"type": "content_block_start", "index": index, "content_block": empty}
        )
        sent += [
            {
                "type": "content_block_delta",
                "index": index,
                "delta": {"type": f"{name}_delta", name: value},
            }
            for name, value in block.items()
        ]
        sent.append({"type": "content_block_stop", "index": index})
    sent.append(
        {
            "type": "message_delta",
            "delta": {"stop_reason": "end_turn", "stop_sequence": None},
            "usage": {"output_tokens": 7},
        }
    )
    sent.append({"type": "message_stop"})
    return Script(
        [
            f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()
            for event in sent
        ]
    )


async def asked(server: OpenAIServer, request: Request) -> tuple[Reply, Any]:
    server.script(
        events(
            ("thinking", {"thinking": "hm", "signature": "signed"}),
            ("text", {"text": "Yes."}),
        )
    )
    reply = await ask(Endpoint(MODEL, api_base=server.root_url), request)
    assert reply.error is None
    return reply, server.next_request().body


async def test_a_thought_comes_with_its_signature(server: OpenAIServer) -> None:
    reply, _ = await asked(server, Request([Turn("user", [Text("Well?")])]))

    thoughts = [it for it in reply.pieces if isinstance(it, ThinkingPiece)]
    assert "".join(thought.text for thought in thoughts) == "hm"
    assert [it.signature for it in thoughts if it.signature] == ["signed"]
    assert TextPiece("Yes.") in reply.pieces
    assert reply.pieces[-1] == FinishPiece("stop")
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (11, 7)
    assert reply.usage.cost == pytest.approx(11 * 3e-06 + 7 * 1.5e-05)


async def test_signed_thoughts_and_tools_go_back(server: OpenAIServer) -> None:
    request = Request(
        [
            Turn("user", [Text("Look.")]),
            Turn("assistant", [Thinking("hm", "signed"), ToolCall("c1", "see", "{}")]),
            Turn("user", [ToolResult("c1", "seen")]),
        ],
        system="Be brief.",
    )

    _, body = await asked(server, request)

    _, assistant, user = body["messages"]
    thought, call = assistant["content"]
    assert (thought["thinking"], thought["signature"]) == ("hm", "signed")
    assert (call["type"], call["id"], call["name"]) == ("tool_use", "c1", "see")
    assert user["content"][0]["tool_use_id"] == "c1"
    assert body["tools"] != []
    assert "Be brief." in json.dumps(body["system"])
