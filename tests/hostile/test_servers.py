"""Whatever bytes a server sends, and wherever it stops sending them."""

from __future__ import annotations

import asyncio
import gzip
import json
from pathlib import Path
from random import Random

import pytest

from convotui.conversations.models import Models
from convotui.conversations.replies import Replies
from convotui.llm import Endpoint
from convotui.llm.litellm_client import LitellmClient
from convotui.settings import NamedModel, Settings
from convotui.storage import Block, ChatMessage, ReplyFacts, Store
from tests.ui.browsing import PATIENCE

from .faults import COUNT
from .raw_server import (
    CHUNKED,
    DONE,
    HEAD,
    Answer,
    End,
    RawServer,
    chunked,
    delta,
    event,
    usage,
)
from .strings import STEERING

SAID = [delta(content="one "), delta(content="two ")]
STOP = delta("stop")
COUNTED = usage(prompt_tokens=5, completion_tokens=3, total_tokens=8)
BODY = [*SAID, STOP, COUNTED, DONE]
TEXT = "one two "


def call(arguments: str, index: object = 0, **fields: object) -> bytes:
    function = {"arguments": arguments, "name": fields.pop("name", None)}
    return delta(tool_calls=[{"index": index, "function": function, **fields}])


def typed(kind: str) -> bytes:
    return HEAD.replace(b"text/event-stream", kind.encode())


def also(line: str) -> bytes:
    """Return the head of a reply with one more line."""
    return HEAD[:-2] + line.encode() + b"\r\n\r\n"


def status(line: str, body: bytes = b"", **headers: str) -> Answer:
    named = {"Connection": "close", "Content-Length": str(len(body)), **headers}
    lines = "".join(f"{name.replace('_', '-')}: {it}\r\n" for name, it in named.items())
    return Answer([f"HTTP/1.1 {line}\r\n{lines}\r\n".encode("latin-1"), body])


WHOLE: dict[str, list[bytes]] = {
    "at once": [b"".join([HEAD, *BODY])],
    "byte by byte": [bytes([byte]) for byte in b"".join([HEAD, *BODY])],
    "in chunks": chunked(BODY),
    "packed": [also("Content-Encoding: gzip"), gzip.compress(b"".join(BODY))],
    "packed in a way nobody knows": [also("Content-Encoding: zz"), *BODY],
    "other line ends": [HEAD, *(it.replace(b"\n", b"\r\n") for it in BODY)],
    "no spaces": [HEAD, *(it.replace(b"data: ", b"data:") for it in BODY)],
    "with names": [HEAD, *(b"event: message\nid: 7\n" + it for it in BODY)],
    "with comments": [HEAD, b": ping\n\n" * 9, *SAID, b":\n\n", STOP, COUNTED, DONE],
    "another type": [typed("application/json"), *BODY],
    "no type": [HEAD.replace(b"Content-Type", b"X-Type"), *BODY],
    "more after the end": [HEAD, *BODY, delta(content="never")],
    "two ends": [HEAD, *SAID, STOP, STOP, COUNTED, DONE],
    "no goodbye": [HEAD, *SAID, STOP],
    "noise after the end": [HEAD, *SAID, STOP, b"data: {noise\n\n"],
    "nothing in between": [
        HEAD,
        SAID[0],
        event({"choices": None}),
        event({"choices": []}),
        event({"choices": [{"index": 0}]}),
        event({"choices": [{"index": 0, "delta": None}]}),
        delta(content=None),
        delta(content=7),
        delta(tool_calls="none"),
        delta(tool_calls=[None]),
        delta(reasoning_content=7),
        delta(thinking_blocks=[None, 7, {"signature": 5}]),
        event({"error": None}),
        *BODY[1:],
    ],
}
"""Unusual ways to send a reply that is whole."""

BROKEN: dict[str, Answer] = {
    "nothing": Answer([]),
    "nothing, without a goodbye": Answer([], "reset"),
    "half a status": Answer([b"HTTP/1.1 20"]),
    "another protocol": Answer([b"SSH-2.0-OpenSSH_9.6\r\n"]),
    "no protocol": Answer([b"hello\n" * 100]),
    "a status that is none": Answer([b"HTTP/1.1 -1 x\r\n\r\n"]),
    "another status": Answer([b"HTTP/1.1 999 x\r\n\r\n"]),
    "go on": Answer([b"HTTP/1.1 100 Continue\r\n\r\n"]),
    "another protocol from here": status("101 Switch", Upgrade="x"),
    "no content": Answer([b"HTTP/1.1 204 x\r\n\r\n"]),
    "not modified": Answer([b"HTTP/1.1 304 x\r\n\r\n"]),
    "half a head": Answer([HEAD[:-10]]),
    "a head": Answer([HEAD]),
    "heads without end": Answer([HEAD[:-2], *[b"X: %b\r\n" % (b"y" * 999)] * 500]),
    "a line of a head without end": Answer([HEAD[:-2] + b"X: " + b"y" * 2_000_000]),
    "a web page": Answer([typed("text/html"), b"<html>Please log in</html>"]),
    "packed noise": Answer([also("Content-Encoding: gzip"), b"\x1f\x8b" + b"no" * 99]),
    "not packed": Answer([also("Content-Encoding: gzip"), *BODY]),
    "packed endlessness": Answer(
        [also("Content-Encoding: gzip"), gzip.compress(b"data: " + bytes(30_000_000))]
    ),
    "a chunk of no size": Answer([CHUNKED, b"zz\r\nhello\r\n"]),
    "a chunk of less than nothing": Answer([CHUNKED, b"-5\r\nhello\r\n"]),
    "a wrong length": Answer([also("Content-Length: 10"), *BODY]),
    "no length": Answer([also("Content-Length: zz"), *BODY]),
    "an error as a success": Answer(
        [typed("application/json"), json.dumps({"error": {"message": "no"}}).encode()]
    ),
    "only noise": Answer([HEAD, bytes(range(256)) * 40]),
    "two bytes a character": Answer([HEAD, b"".join(BODY).decode().encode("utf-16")]),
    "a line without end": Answer([HEAD, b"data: " + b"x" * 4_000_000]),
    "nothing but comments": Answer([HEAD, b": ping\n\n" * 500]),
    "only a role": Answer([HEAD, delta(role="assistant"), STOP, DONE]),
    "only blanks": Answer([HEAD, delta(content=" \n"), STOP, DONE]),
    "round in circles": status("307 x", Location="/v1/chat/completions"),
    "nowhere": status("302 x"),
    "no address": status("302 x", Location="http://[::"),
    "a file": status("302 x", Location="file:///etc/passwd"),
    "an error that is no object": status("400 x", b"[1, 2]"),
    "an error in an error": status("400 x", b'{"error": {"message": {"a": [1]}}}'),
    "an error of nothing": status("400 x", b"null"),
    "an error that is noise": status("400 \x1b]0;x\x07", bytes(range(256))),
    "half an error": status("500 x", b"oh", Content_Length="99"),
    "an error without end": status("500 x", b"x" * 20_000_000),
    "later, before now": status("429 x", Retry_After="-5"),
    "later, but when": status("429 x", Retry_After="nan"),
    "much later": status("429 x", Retry_After="1e300"),
    "on another day": status("429 x", Retry_After="Fri, 31 Dec 9999 23:59:59 -2400"),
}
"""What a server may send in place of a reply."""

AFTER: dict[str, list[bytes]] = {
    "half a line": [delta(content="three")[:30]],
    "half a character": [b'data: {"choices": [{"delta": {"content": "\xe2\x82'],
    "another encoding": [b'data: {"choices": [{"delta": {"content": "\xe9"}}]}\n\n'],
    "the end without a reason": [DONE],
    "a reason that is an error": [delta("error"), DONE],
    "an error": [event({"error": {"message": "Overloaded [/x] \x1b[2J"}})],
    "an error of one word": [event({"error": "Overloaded"})],
    "an error of many": [event({"error": ["a", {"b": 1}]})],
    "an event of that name": [b'event: error\ndata: {"message": "x"}\n\n'],
    "too deep": [b"data: " + b"[" * 100_000 + b"\n\n"],
    "a number without end": [b'data: {"created": %b}\n\n' % (b"9" * 5_000)],
    "nothing": [],
    "a zero": [b"data: \x00\n\n"],
}
"""What may come after some words."""

FIGURES: dict[str, str] = {
    "negative": '"prompt_tokens": -5, "completion_tokens": -7',
    "words": '"prompt_tokens": "5", "completion_tokens": "many"',
    "parts": '"prompt_tokens": 1.5, "completion_tokens": 2.5',
    "more than there are": '"completion_tokens": 1, "prompt_tokens": 1' + "0" * 30,
    "lists": '"prompt_tokens": [], "completion_tokens": {}',
    "no numbers": '"prompt_tokens": NaN, "completion_tokens": Infinity',
    "without end": '"prompt_tokens": 1e999, "completion_tokens": -1e999',
    "no list": '"prompt_tokens_details": 7, "completion_tokens_details": "x"',
    "a cost of no number": '"cost": NaN',
    "a cost without end": '"cost": Infinity',
    "a cost of too much": '"cost": 1' + "0" * 400,
    "a cost below nothing": '"cost": -1',
    "a cost in words": '"cost": "much"',
    "a cost in parts": '"cost": {"total_cost": -Infinity}',
}
"""What a server may say that a reply took."""


def replies_of(server: RawServer, store: Store) -> Replies:
    endpoint = Endpoint("openai/tester", api_base=server.base_url)
    settings = Settings(model="tester", models={"tester": NamedModel(endpoint)})
    models = Models(settings, {"OLLAMA_HOST": "127.0.0.1:9"}, Path("/nonexistent"))
    return Replies(lambda: store, models, LitellmClient(silence_seconds=0.5))


async def ask(store: Store, answer: Answer) -> tuple[ChatMessage, ReplyFacts]:
    """Ask a server that answers so, and return what is kept of it."""
    with RawServer(answer) as server:
        replies = replies_of(server, store)
        async with asyncio.timeout(PATIENCE):
            asked = await replies.ask(None, [Block("Go")])
            async for _ in asked.reply.changes():
                pass
    assert replies.running == {}
    kept = store.get([asked.reply.message.id])[0]
    assert kept.facts is not None
    return kept, kept.facts


def check_failed(facts: ReplyFacts) -> None:
    assert facts.state == "failed"
    error = facts.error or ""
    assert 0 < len(error) <= 300
    assert not STEERING.search(error)


@pytest.mark.parametrize("way", WHOLE)
async def test_59_a_whole_reply_is_whole_however_it_comes(
    store: Store, way: str
) -> None:
    kept, facts = await ask(store, Answer(WHOLE[way]))

    assert (kept.text, facts.state, facts.finish_reason) == (TEXT, "complete", "stop")


async def test_59_a_reply_that_is_not_hung_up_on_is_whole(store: Store) -> None:
    for pieces in ([HEAD, *BODY], [HEAD, *SAID, STOP]):
        kept, facts = await ask(store, Answer(pieces, "hold"))

        assert (kept.text, facts.state) == (TEXT, "complete")


@pytest.mark.parametrize("fault", BROKEN)
async def test_60_what_is_no_reply_is_never_called_one(
    store: Store, fault: str
) -> None:
    kept, facts = await ask(store, BROKEN[fault])

    check_failed(facts)
    assert kept.text.strip() == ""


@pytest.mark.parametrize("fault", AFTER)
async def test_59_words_are_kept_whatever_comes_after_them(
    store: Store, fault: str
) -> None:
    kept, facts = await ask(store, Answer([HEAD, *SAID, *AFTER[fault]]))

    check_failed(facts)
    assert kept.text == TEXT


@pytest.mark.parametrize("count", [0, 1, 2])
async def test_59_a_server_that_falls_silent_is_left(store: Store, count: int) -> None:
    for head in ([], [HEAD[:-10]], [HEAD]) if count == 0 else ([HEAD],):
        kept, facts = await ask(store, Answer([*head, *SAID[:count]], "hold"))

        check_failed(facts)
        assert kept.text == TEXT[: 4 * count]
        assert "too long" in (facts.error or "")


async def test_59_a_reply_cut_off_at_any_byte_is_kept_up_to_there(
    store: Store,
) -> None:
    steps = [
        delta(reasoning_content="hm "),
        *SAID,
        delta(content="€ "),
        call('{"path": ', name="read_file", id="c1"),
        call('"README.md"}'),
    ]
    ends = [delta("tool_calls"), COUNTED, DONE]
    whole = b"".join([HEAD, *steps, *ends])
    is_complete_at = len(b"".join([HEAD, *steps, ends[0]]))
    chance = Random(5)
    for cut in sorted(chance.sample(range(len(whole)), min(25 * COUNT, len(whole)))):
        for framed in (False, True):
            pieces = [whole[:cut]]
            if framed and cut > len(HEAD):
                body = whole[len(HEAD) : cut]
                pieces = [CHUNKED, b"%x\r\n" % (len(body) + 9), body]
            kept, facts = await ask(store, Answer(pieces, chance.choice(_ENDS)))

            assert f"{TEXT}€ ".startswith(kept.text)
            thoughts = [it.content for it in kept.blocks if it.type == "thinking"]
            assert thoughts in ([], ["hm "])
            if facts.state == "complete":
                assert cut >= is_complete_at - 2
                assert kept.blocks[-1].content == _CALL
            else:
                check_failed(facts)


_ENDS: tuple[End, ...] = ("close", "reset")
_CALL = '{"name":"read_file","parameters":{"path":"README.md"}}'


@pytest.mark.parametrize("figures", FIGURES)
async def test_59_figures_that_cannot_be_are_none(store: Store, figures: str) -> None:
    told = b'data: {"id": "c", "choices": [], "usage": {%b}}\n\n'
    pieces = [HEAD, *SAID, STOP, told % FIGURES[figures].encode(), DONE]

    kept, facts = await ask(store, Answer(pieces))

    assert (kept.text, facts.state) == (TEXT, "complete")
    for count in (facts.input_tokens, facts.output_tokens):
        assert count is None or 0 <= count < 10
    assert facts.cost in (None, 0)
    assert all(used.cost == 0 for used in store.usage())


@pytest.mark.parametrize("index", [0, 5, -1, 10**30, None, "0", True])
async def test_59_calls_are_told_apart_however_they_are_counted(
    store: Store, index: object
) -> None:
    steps = [
        call('{"a": 1}', index, name="one", id="c1"),
        call('{"b": 2}', index, name="two", id="c2"),
    ]
    kept, facts = await ask(store, Answer([HEAD, *steps, delta("tool_calls"), DONE]))

    assert facts.state == "complete"
    assert [it.content for it in kept.blocks] == [
        '{"name":"one","parameters":{"a":1}}',
        '{"name":"two","parameters":{"b":2}}',
    ]


@pytest.mark.parametrize("arguments", ['{"a', "[" * 50_000, "\x00", "NaN", "\ud800"])
async def test_59_what_a_tool_is_given_is_kept_if_it_is_no_json(
    store: Store, arguments: str
) -> None:
    steps = [call(arguments, name="\x1b[2J", id="[/x]"), delta("tool_calls"), DONE]
    kept, facts = await ask(store, Answer([HEAD, *steps]))

    assert facts.state == "complete"
    assert len(kept.blocks) == 1
    assert json.loads(kept.blocks[0].content)["name"] == "\x1b[2J"


async def test_66_halves_of_characters_are_joined_or_replaced(store: Store) -> None:
    steps = [
        delta(content="a\ud83d"),
        delta(content="\ude00b"),
        delta(content="\udc00"),
    ]
    kept, _ = await ask(store, Answer([HEAD, *steps, STOP, DONE]))

    assert kept.text == "a😀b�"


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
async def test_82_a_server_cannot_have_a_question_sent_elsewhere(
    store: Store, code: int
) -> None:
    with RawServer(Answer([HEAD, *BODY])) as other:
        elsewhere = other.base_url.replace("127.0.0.1", "localhost")
        kept, facts = await ask(store, status(f"{code} x", Location=elsewhere))

    check_failed(facts)
    assert kept.text == ""
    assert other.count == 0
