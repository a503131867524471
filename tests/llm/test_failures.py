"""What a user is told when there is no reply, or not a whole one."""

from __future__ import annotations

import socket
from email.utils import formatdate
from time import time

import pytest

from convotui.llm import Endpoint, ErrorKind, TextPiece, UsagePiece
from convotui.llm.litellm_client import LitellmClient
from tests.llm.asking import Reply, ask, at
from tests.llm.server import (
    Event,
    OpenAIServer,
    Script,
    break_off,
    document,
    failure,
    page,
    say,
)

WHOLE = {
    "id": "x",
    "object": "chat.completion",
    "model": "scripted",
    "choices": [
        {
            "index": 0,
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": "whole"},
        }
    ],
}


async def fails(server: OpenAIServer, script: Script) -> Reply:
    """Return a reply that failed, in one short line."""
    server.script(script)
    reply = await ask(at(server, "openai/gpt-4o"))
    line = str(reply.failure)
    assert line == " ".join(line.split())
    assert len(line) <= 300
    return reply


@pytest.mark.parametrize(
    ("script", "kind", "words"),
    [
        (failure(401, "Incorrect API key"), "bad_key", "refuses the key"),
        (failure(403, "You have no access"), "bad_key", "You have no access"),
        (
            failure(404, "The model does not exist", code="model_not_found"),
            "unknown_model",
            "has no model openai/gpt-4o",
        ),
        (failure(400, "Model gpt-9 not found"), "unknown_model", "has no model"),
        (failure(429, "Slow down"), "rate_limit", "try again later (Slow down)"),
        (failure(429, "You exceeded your quota"), "rate_limit", "wants to be paid"),
        (failure(402, "Insufficient credits"), "rate_limit", "wants to be paid"),
        (
            failure(
                400,
                "This model's maximum context length is 8192 tokens.",
                code="context_length_exceeded",
            ),
            "too_long",
            "too long for openai/gpt-4o",
        ),
        (failure(413, "Request too large"), "too_long", "too long"),
        (
            failure(
                400,
                "Your request was rejected as a result of our safety system.",
                code="content_policy_violation",
            ),
            "refused",
            "by its policy",
        ),
        (failure(400, "temperature is odd"), "other", "temperature is odd"),
        (failure(500, "oops"), "server", "try again later (oops)"),
        (failure(503, "busy"), "server", "busy"),
        (page("<h1>Bad gateway</h1>", status=502), "server", "try again later"),
        (failure(504, "late"), "timeout", "took too long"),
    ],
)
async def test_a_refusal_says_what_to_do(
    server: OpenAIServer, script: Script, kind: ErrorKind, words: str
) -> None:
    error = (await fails(server, script)).failure

    assert error.kind == kind
    assert words in str(error)


@pytest.mark.parametrize("end", ["cut", "reset", "quiet"])
async def test_a_reply_that_breaks_off_keeps_what_had_come(
    server: OpenAIServer, end: str
) -> None:
    reply = await fails(server, break_off("half ", "a rep", end=end))  # type: ignore[arg-type]

    assert reply.pieces == [TextPiece("half "), TextPiece("a rep")]
    assert reply.failure.kind == "cut"
    assert server.address in str(reply.failure)


@pytest.mark.parametrize(
    "script",
    [
        page("<html>Please log in</html>"),
        document(WHOLE),
        document({"error": None}),
        Script([]),
        Script([b"\x00\xff" * 500]),
        Script([b"data: {not json\n\n"]),
        Script([b'data: {"choices": [{"delta": {"content": "\xff"}}]}\n\n']),
        Script([Event([1, 2])]),
        Script([Event("word")]),
        say(),
        say(""),
    ],
)
async def test_what_is_no_reply_is_called_that(
    server: OpenAIServer, script: Script
) -> None:
    reply = await fails(server, script)

    assert reply.text == ""
    assert reply.failure.kind == "nonsense"


async def test_nonsense_in_the_middle_keeps_what_had_come(
    server: OpenAIServer,
) -> None:
    reply = await fails(server, Script(["half ", b"data: {not json\n\n", "lost"]))

    assert reply.text == "half "
    assert reply.failure.kind == "nonsense"


async def test_an_error_in_the_middle_is_told(server: OpenAIServer) -> None:
    overloaded = Event({"error": {"message": "Overloaded", "code": 529}})

    reply = await fails(server, Script(["half ", overloaded]))

    assert reply.text == "half "
    assert reply.failure.kind == "server"
    assert "Overloaded" in str(reply.failure)


@pytest.mark.parametrize(
    ("finish", "kind", "words"),
    [("content_filter", "refused", "policy"), ("length", "other", "limit")],
)
async def test_a_reply_without_a_word_says_why_and_what_it_took(
    server: OpenAIServer, finish: str, kind: ErrorKind, words: str
) -> None:
    reply = await fails(server, say(finish=finish))

    assert reply.failure.kind == kind
    assert words in str(reply.failure)
    assert reply.pieces == [reply.usage]
    assert isinstance(reply.usage, UsagePiece)


@pytest.mark.parametrize("first", [[], ["half "]])
async def test_silence_is_not_waited_through(
    server: OpenAIServer, first: list[str]
) -> None:
    server.script(say(*first, server.gate()))

    reply = await ask(at(server), client=LitellmClient(silence_seconds=0.2))

    assert reply.pieces == [TextPiece(text) for text in first]
    assert reply.failure.kind == "timeout"


async def test_the_wait_that_is_asked_for_is_told(server: OpenAIServer) -> None:
    slow = failure(429, "Slow down", headers={"Retry-After": "7"})

    error = (await fails(server, slow)).failure

    assert error.retry_after == 7
    assert "try again in 7 seconds" in str(error)


async def test_the_wait_may_be_a_date_or_nonsense(server: OpenAIServer) -> None:
    date = formatdate(time() + 1000, usegmt=True)
    by_date = failure(429, "Slow down", headers={"Retry-After": date})
    odd = failure(429, "Slow down", headers={"Retry-After": "soon"})

    wait = (await fails(server, by_date)).failure.retry_after

    assert wait is not None
    assert 0 < wait <= 1000
    assert (await fails(server, odd)).failure.retry_after is None


async def test_a_server_that_is_not_there_is_named() -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{nobody.getsockname()[1]}"

        reply = await ask(Endpoint("openai/x", api_base=f"http://{address}/v1"))

    assert reply.failure.kind == "unreachable"
    assert str(reply.failure) == f"Cannot connect to {address}: nothing listens there."


@pytest.mark.parametrize("base", ["http://[", "nonsense", "http://127.0.0.1:x/v1"])
async def test_an_address_that_is_none_is_an_error_like_others(base: str) -> None:
    reply = await ask(Endpoint("openai/x", api_base=base))

    assert str(reply.failure)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("gtp-4o", "perhaps gpt-4o"),
        ("xyzzy-plugh-3000", "openai/NAME"),
    ],
)
async def test_an_unknown_model_is_told_from_those_that_there_are(
    model: str, words: str
) -> None:
    error = (await ask(Endpoint(model))).failure

    assert error.kind == "unknown_model"
    assert words in str(error)


@pytest.mark.parametrize(
    "leak",
    [
        "canary-0123456789",
        "sk-proj-0123456789abcdef",
        "Authorization: Bearer 0123456789abcdef",
        "/v1/models?key=0123456789abcdef",
        'api_key="0123456789abcdef"',
        "AIzaSy0123456789abcdef",
    ],
)
async def test_no_key_is_ever_in_an_error(
    server: OpenAIServer, leak: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", "canary-0123456789")
    server.script(failure(401, f"no: {leak} is bad\x1b[31m\n\n" + "long " * 200))

    reply = await ask(at(server, key_variable="MY_KEY"))

    line = str(reply.failure)
    assert "0123456789" not in line
    assert "check MY_KEY" in line
    assert line.isprintable()
    assert len(line) <= 300
