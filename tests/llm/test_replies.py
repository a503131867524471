"""What a reply is made of, asked of the real litellm and a server on loopback."""

from __future__ import annotations

import asyncio
import json
from contextlib import aclosing

import pytest

from convotui.llm import (
    FinishPiece,
    Request,
    Text,
    TextPiece,
    ThinkingPiece,
    ToolCallPiece,
    Turn,
    UsagePiece,
)
from convotui.llm.litellm_client import LitellmClient
from tests.llm.asking import HELLO, ask, at
from tests.llm.server import USAGE, Call, Event, OpenAIServer, Thought, say

HOSTILE = "\x1b]52;c;!\x07 [/bold] \u202e \x00 {{}} %s \ud800 </s> 🏴‍☠️ data: [DONE]"


async def test_a_reply_comes_in_pieces_with_its_count_and_its_end(
    server: OpenAIServer,
) -> None:
    server.script(say("Hel", "lo"))

    reply = await ask(at(server))

    assert reply.pieces == [
        TextPiece("Hel"),
        TextPiece("lo"),
        UsagePiece(input_tokens=11, output_tokens=7),
        FinishPiece("stop"),
    ]
    assert reply.error is None


async def test_each_piece_is_there_before_the_next_is_sent(
    server: OpenAIServer,
) -> None:
    gate = server.gate()
    server.script(say("first", gate, "second"))

    async with aclosing(LitellmClient().reply(at(server), HELLO)) as pieces:
        assert await anext(pieces) == TextPiece("first")
        gate.release()
        assert await anext(pieces) == TextPiece("second")


async def test_thinking_comes_apart_from_the_text(server: OpenAIServer) -> None:
    server.script(say(Thought("hm, "), Thought("yes"), "Yes."))

    reply = await ask(at(server))

    assert reply.pieces[:3] == [
        ThinkingPiece("hm, "),
        ThinkingPiece("yes"),
        TextPiece("Yes."),
    ]


async def test_tool_calls_come_in_fragments(server: OpenAIServer) -> None:
    server.script(
        say(
            Call(0, "call_1", "look", '{"at":'),
            Call(0, arguments=' "x"}'),
            Call(1, "call_2", "stop", "{}"),
            finish="tool_calls",
        )
    )

    reply = await ask(at(server))

    calls = [piece for piece in reply.pieces if isinstance(piece, ToolCallPiece)]
    assert calls == [
        ToolCallPiece(0, "call_1", "look", '{"at":'),
        ToolCallPiece(0, arguments=' "x"}'),
        ToolCallPiece(1, "call_2", "stop", "{}"),
    ]
    assert reply.pieces[-1] == FinishPiece("tool_calls")


async def test_everything_that_was_counted_is_told(server: OpenAIServer) -> None:
    details = {
        "prompt_tokens_details": {"cached_tokens": 5},
        "completion_tokens_details": {"reasoning_tokens": 3},
    }
    server.script(say("x", usage={**USAGE, **details}))

    usage = (await ask(at(server))).usage

    assert (usage.cached_tokens, usage.reasoning_tokens) == (5, 3)


async def test_what_was_not_counted_is_not_guessed(server: OpenAIServer) -> None:
    server.script(say(Thought("hm"), "x", usage=None))

    reply = await ask(at(server))

    assert not any(isinstance(piece, UsagePiece) for piece in reply.pieces)
    assert reply.pieces[-1] == FinishPiece("stop")


@pytest.mark.parametrize(
    ("model", "cached", "cost"),
    [
        ("openai/gpt-4o", 0, 11 * 2.5e-06 + 7 * 1e-05),
        ("openai/gpt-4o", 11, 11 * 1.25e-06 + 7 * 1e-05),
        ("dashscope/qwen-flash", 0, 11 * 5e-08 + 7 * 4e-07),
    ],
)
async def test_the_cost_is_that_of_the_price_list(
    server: OpenAIServer, model: str, cached: int, cost: float
) -> None:
    details = {"prompt_tokens_details": {"cached_tokens": cached}}
    server.script(say("x", usage={**USAGE, **details}))

    assert (await ask(at(server, model))).usage.cost == pytest.approx(cost)


@pytest.mark.parametrize("model", ["openai/scripted", "dashscope/qwen3-30b-a3b"])
async def test_what_has_no_price_has_no_cost(server: OpenAIServer, model: str) -> None:
    assert (await ask(at(server, model))).usage.cost is None


@pytest.mark.parametrize("told", [0.125, {"total_cost": 0.125}])
async def test_a_cost_that_the_server_tells_is_believed(
    server: OpenAIServer, told: object
) -> None:
    server.script(say("x", usage={**USAGE, "cost": told}))

    assert (await ask(at(server, "openai/gpt-4o"))).usage.cost == 0.125


async def test_a_reply_cut_by_its_limit_says_so(server: OpenAIServer) -> None:
    server.script(say("half a", finish="length"))

    reply = await ask(at(server))

    assert reply.pieces[-1] == FinishPiece("length")
    assert reply.error is None


async def test_hostile_text_arrives_as_it_was_sent(server: OpenAIServer) -> None:
    server.script(say(*HOSTILE))

    assert (await ask(at(server))).text == HOSTILE


async def test_half_a_character_in_a_question_does_not_stop_it(
    server: OpenAIServer,
) -> None:
    request = Request([Turn("user", [Text(HOSTILE)])])

    reply = await ask(at(server), request)

    assert reply.text == "You said: " + HOSTILE.replace("\ud800", "\ufffd")


async def test_characters_split_over_packets_are_put_together(
    server: OpenAIServer,
) -> None:
    event = {"choices": [{"index": 0, "delta": {"content": "é🏴‍☠️漢"}}]}
    sent = b"data: %b\n\n" % json.dumps(event, ensure_ascii=False).encode()
    server.script(say(*(bytes([byte]) for byte in sent)))

    assert (await ask(at(server))).text == "é🏴‍☠️漢"


async def test_a_large_reply_arrives_whole(server: OpenAIServer) -> None:
    large = "0123456789abcdef" * 65_536
    server.script(say(large, *["more "] * 500))

    assert (await ask(at(server))).text == large + "more " * 500


async def test_a_reply_may_repeat_itself(server: OpenAIServer) -> None:
    server.script(say(*["same "] * 150))

    reply = await ask(at(server))

    assert reply.text == "same " * 150
    assert reply.error is None


async def test_events_without_anything_in_them_are_passed_over(
    server: OpenAIServer,
) -> None:
    odd = [{"choices": None}, {"choices": []}, {"choices": [{"delta": {}, "index": 0}]}]
    server.script(say(*(Event(data) for data in odd), b": comment\n\n", "x"))

    assert (await ask(at(server))).text == "x"


async def test_several_replies_run_at_once(server: OpenAIServer) -> None:
    gates = [server.gate() for _ in range(3)]
    server.script(*(say("a", gate, "b") for gate in gates))

    asked = [asyncio.create_task(ask(at(server))) for _ in gates]
    for gate in gates:
        await asyncio.to_thread(gate.wait_until_reached)
    for gate in gates:
        gate.release()

    assert [reply.text for reply in await asyncio.gather(*asked)] == ["ab"] * 3
