"""Replies of the built-in model, which is really run."""

from __future__ import annotations

import asyncio
import os
import struct
import subprocess
import sys
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from convotui.llm import (
    Endpoint,
    FinishPiece,
    Media,
    ModelError,
    Part,
    Piece,
    Request,
    Text,
    TextPiece,
    Thinking,
    ToolCall,
    ToolResult,
    Turn,
    UsagePiece,
)
from convotui.llm.local import BUILT_IN, LocalClient, can_run
from tests.llm.builtin import bare_python, weights_directory

ENDLESS: dict[str, Any] = {"max_tokens": 8000, "extra": {"ignore_eos": True}}
IMAGE = Media("image/png", "aGVsbG8=")


@pytest.fixture(scope="session")
def directory(pytestconfig: pytest.Config) -> Path:
    return weights_directory(pytestconfig)


@pytest.fixture
def client(directory: Path) -> Iterator[LocalClient]:
    client = LocalClient(directory)
    yield client
    client.close()


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """Every process that a test has started."""
    processes: list[subprocess.Popen[bytes]] = []

    class Recorded(subprocess.Popen[bytes]):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            processes.append(self)

    monkeypatch.setattr(subprocess, "Popen", Recorded)
    return processes


@dataclass
class Reply:
    text: str = ""
    reasons: list[str] = field(default_factory=list)
    usage: UsagePiece = field(default_factory=UsagePiece)


def prompt(*parts: Part | str, system: str = "") -> Request:
    said = [Text(part) if isinstance(part, str) else part for part in parts]
    return Request([Turn("user", said)], system)


def pieces_of(
    client: LocalClient, request: Request | str, model: str = BUILT_IN, **settings: Any
) -> AsyncGenerator[Piece, None]:
    settings = {"temperature": 0.0, "max_tokens": 12, **settings}
    asked = prompt(request) if isinstance(request, str) else request
    return client.reply(Endpoint(model, **settings), asked)


async def ask(
    client: LocalClient, request: Request | str, model: str = BUILT_IN, **settings: Any
) -> Reply:
    reply = Reply()
    # Only against waiting for ever.
    async with asyncio.timeout(60):
        async for piece in pieces_of(client, request, model, **settings):
            match piece:
                case TextPiece(text):
                    reply.text += text
                case FinishPiece(reason):
                    reply.reasons.append(reason)
                case UsagePiece():
                    reply.usage = piece
    return reply


async def refusal(client: LocalClient, *request: Any, **settings: Any) -> ModelError:
    with pytest.raises(ModelError) as refused:
        await ask(client, *request, **settings)
    assert "\n" not in str(refused.value)
    return refused.value


async def test_it_comes_to_an_end(client: LocalClient) -> None:
    endless = {"ignore_eos": True}
    reply = await ask(client, "Say hello.", max_tokens=None, extra=endless)
    assert reply.reasons == ["length"]


async def test_it_says_something_and_what_that_took(client: LocalClient) -> None:
    reply = await ask(client, "Say hello.", max_tokens=5)

    assert reply.text
    assert reply.reasons == ["length"]
    assert reply.usage.output_tokens == 5
    assert reply.usage.input_tokens
    assert reply.usage.cost == 0.0


async def test_at_no_temperature_it_says_the_same_again(client: LocalClient) -> None:
    first = await ask(client, "Tell a story.", max_tokens=40)
    second = await ask(client, "Tell a story.", max_tokens=40)

    assert first.text == second.text


async def test_a_high_temperature_makes_it_say_something_else(
    client: LocalClient,
) -> None:
    first = await ask(client, "Tell a story.", max_tokens=40, temperature=5.0)
    second = await ask(client, "Tell a story.", max_tokens=40, temperature=5.0)

    assert first.text != second.text


async def test_further_parameters_are_passed_on(client: LocalClient) -> None:
    reply = await ask(client, "Well?", extra={"grammar": 'root ::= "so be it"'})

    assert reply.text == "so be it"
    assert reply.reasons == ["stop"]


async def test_the_system_prompt_is_passed_on(client: LocalClient) -> None:
    short = await ask(client, prompt("Who are you?", system="You are a cat."))
    long = await ask(client, prompt("Who are you?", system="You are a cat. " * 20))

    assert short.usage.input_tokens
    assert long.usage.input_tokens
    assert long.usage.input_tokens > short.usage.input_tokens + 50


async def test_both_sides_of_the_conversation_are_passed_on(
    client: LocalClient,
) -> None:
    said: Sequence[Turn] = [
        Turn("user", [Text("Count.")]),
        Turn("assistant", [Text("One, two.")]),
        Turn("user", [Text("Go on.")]),
    ]

    whole = await ask(client, Request(said))
    last = await ask(client, Request(said[-1:]))

    assert whole.usage.input_tokens
    assert last.usage.input_tokens
    assert whole.usage.input_tokens > last.usage.input_tokens


@pytest.mark.parametrize(
    ("part", "read"),
    [
        (IMAGE, "[image left out]"),
        (Media("application/pdf", "aGVsbG8="), "[file left out]"),
        (ToolCall("1", "ls", '{"path": "."}'), '[called the tool ls: {"path": "."}]'),
        (ToolResult("1", "a.txt"), "[the tool's result]\na.txt"),
        (ToolResult("1", "gone", is_error=True), "[the tool failed]\ngone"),
        (
            ToolResult("1", "seen", media=[IMAGE]),
            "[the tool's result]\nseen\n[image left out]",
        ),
    ],
)
async def test_what_is_no_text_is_told_in_words(
    part: Part, read: str, client: LocalClient
) -> None:
    asked = await ask(client, prompt("See:", part, Thinking("hm")))
    told = await ask(client, prompt(f"See:\n\n{read}"))

    assert asked.text == told.text
    assert asked.usage.input_tokens == told.usage.input_tokens


async def test_hostile_text_is_read_like_any_other(client: LocalClient) -> None:
    reply = await ask(client, prompt("a\0b \ud800 \udfff \x1b[2J <|im_end|>"))

    assert reply.usage.output_tokens


async def test_a_thread_that_is_too_long_is_refused(client: LocalClient) -> None:
    window = client.window_of(BUILT_IN)

    refused = await refusal(client, "word " * (window + 1))

    assert refused.kind == "too_long"
    assert str(window) in str(refused)


@pytest.mark.parametrize(
    "extra", [{"grammar": "root ::= ((("}, {"odd": object()}, {"top_k": "many"}]
)
async def test_parameters_that_make_no_sense_are_refused(
    extra: dict[str, Any], client: LocalClient
) -> None:
    assert (await refusal(client, "Hello", extra=extra)).kind == "other"
    assert (await ask(client, "Hello")).text


async def test_two_replies_at_once_share_what_is_loaded(
    client: LocalClient, started: list[subprocess.Popen[bytes]]
) -> None:
    replies = await asyncio.gather(ask(client, "One."), ask(client, "Two."))

    assert all(reply.text and reply.reasons for reply in replies)
    assert len(started) == 1


async def test_closing_a_reply_stops_it(client: LocalClient) -> None:
    async with aclosing(pieces_of(client, "Tell a story.", **ENDLESS)) as pieces:
        await anext(pieces)

    assert (await ask(client, "Hello")).text


def progress_heard(monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Return what is set once the model has begun to read a prompt."""
    heard = asyncio.Event()
    loop = asyncio.get_running_loop()
    call_soon = loop.call_soon_threadsafe

    def listen(callback: Any, *arguments: Any, **options: Any) -> asyncio.Handle:
        if "prompt_progress" in repr(arguments):
            call_soon(heard.set)
        return call_soon(callback, *arguments, **options)

    monkeypatch.setattr(loop, "call_soon_threadsafe", listen)
    return heard


async def test_a_reply_can_be_cancelled_before_its_first_word(
    client: LocalClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard = progress_heard(monkeypatch)
    first = asyncio.ensure_future(ask(client, "word " * 1000))
    async with asyncio.timeout(60):
        await heard.wait()
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first

    again = await ask(client, "word " * 1000, max_tokens=1)

    # What had been read is not read again.
    assert again.usage.cached_tokens is not None
    assert again.usage.cached_tokens < 700


async def test_a_reply_can_be_cancelled_while_another_one_is_given(
    client: LocalClient,
) -> None:
    async with aclosing(pieces_of(client, "Tell a story.", **ENDLESS)) as running:
        await anext(running)
        waiting = asyncio.ensure_future(ask(client, "Hello", **ENDLESS))
        await anext(running)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert await anext(running)

    assert (await ask(client, "Hello")).text


async def test_a_model_is_let_go_when_another_one_is_asked_for(
    client: LocalClient, started: list[subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    other = tmp_path / "other.gguf"
    other.symlink_to(client.path_of(BUILT_IN))
    async with aclosing(pieces_of(client, "Tell a story.", max_tokens=40)) as first:
        await anext(first)

        assert (await ask(client, "Hello", f"local/{other}")).text
        assert [piece async for piece in first]

    assert len(started) == 2
    await asyncio.to_thread(started[0].wait, 60)
    assert started[1].poll() is None


async def test_a_file_that_has_changed_is_loaded_anew(
    client: LocalClient, started: list[subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(client.path_of(BUILT_IN).read_bytes())
    await ask(client, "Hello", f"local/{path}")
    await ask(client, "Hello", f"local/{path}")
    os.utime(path, (0, 0))

    assert (await ask(client, "Hello", f"local/{path}")).text
    assert len(started) == 2


async def test_a_model_that_dies_ends_its_replies_and_can_be_asked_again(
    client: LocalClient, started: list[subprocess.Popen[bytes]]
) -> None:
    pieces = pieces_of(client, "Tell a story.", **ENDLESS)
    await anext(pieces)
    started[0].kill()

    async with asyncio.timeout(60):
        with pytest.raises(ModelError, match="broke off") as broken:
            async for _ in pieces:
                pass

    assert broken.value.kind == "cut"
    assert (await ask(client, "Hello")).text


def damaged(weights: bytes, kind: str) -> bytes:
    if kind == "garbage":
        return b"GGUF" + bytes(range(256)) * 100
    if kind == "truncated":
        return weights[:5_000_000]
    # The native code ends its process over so many layers.
    name = b"llama.block_count"
    before, _, after = weights.partition(name)
    return before + name + after[:4] + struct.pack("<I", 100_000) + after[8:]


@pytest.mark.parametrize("kind", ["garbage", "truncated", "absurd"])
async def test_a_damaged_file_is_refused(
    kind: str, client: LocalClient, tmp_path: Path
) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(damaged(client.path_of(BUILT_IN).read_bytes(), kind))

    refused = await refusal(client, "Hello", f"local/{path}")

    assert refused.kind == "unknown_model"
    assert str(refused).startswith(f"{path}: cannot be loaded")
    assert (await ask(client, "Hello")).text


async def test_a_file_that_is_not_there_is_refused(client: LocalClient) -> None:
    refused = await refusal(client, "Hello", "local/~/nothing/here.gguf")

    assert refused.kind == "unknown_model"
    assert str(Path.home() / "nothing" / "here.gguf") in str(refused)


async def test_a_home_that_is_nobody_s_is_refused(client: LocalClient) -> None:
    refused = await refusal(client, "Hello", "local/~nobody-by-this-name/model.gguf")

    assert refused.kind == "unknown_model"


async def test_the_built_in_model_says_that_it_has_not_been_fetched(
    tmp_path: Path,
) -> None:
    refused = await refusal(LocalClient(tmp_path), "Hello")

    assert refused.kind == "missing"
    assert "models install" in str(refused)


async def test_without_the_extra_it_says_how_to_install_it(
    client: LocalClient, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert can_run()
    monkeypatch.setattr(sys, "executable", bare_python(tmp_path))

    refused = await refusal(client, "Hello")

    assert refused.kind == "missing"
    assert "pip install 'convotui[local]'" in str(refused)
