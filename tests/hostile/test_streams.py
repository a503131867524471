"""However a server fails, and wherever in a reply: what came is kept, and why."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from convotui.conversations.replies import Asked, Replies
from convotui.llm import Endpoint
from convotui.settings import NamedModel, Settings
from convotui.storage import Block, ChatMessage, MessageId, Store
from tests.llm.server import (
    Event,
    OpenAIServer,
    Script,
    Step,
    break_off,
    document,
    failure,
    page,
    say,
)
from tests.ui.browsing import FORKED, PATIENCE, browse, plant, replies_of

from .faults import COUNT
from .strings import STEERING

PIECES = ("one ", "two ", "three ", "four ")

ERROR = Event({"error": {"message": "Overloaded", "type": "server_error", "code": 529}})

IN_A_STREAM: dict[str, Script] = {
    "cut": break_off(end="cut"),
    "reset": break_off(end="reset"),
    "quiet end": break_off(end="quiet"),
    "no JSON": Script([b"data: {not json\n\n"]),
    "half an event": Script([b'data: {"choices": [{"delta": {"con']),
    "no UTF-8": Script([b'data: {"choices": [{"delta": {"content": "\xff"}}]}\n\n']),
    "an error": Script([ERROR]),
    "an error, then more": Script([ERROR, "more"]),
    "a list": Script([Event([1, 2])]),
    "a word": Script([Event("word")]),
    "a null": Script([Event(None)]),
    "a number for a text": Script([Event({"choices": [{"delta": {"content": 7}}]})]),
    "choices of another kind": Script([Event({"choices": "none"})]),
    "binary": Script([bytes(range(256)) * 10]),
    "HTML": Script([b"<html><body>Bad gateway</body></html>"]),
}
"""What a server may do after any number of pieces."""

INSTEAD: dict[str, Script] = {
    "401": failure(401, "Incorrect API key provided: sk-canary0123456789abcdef"),
    "403": failure(403, "no access"),
    "404": failure(404, "no such model"),
    "429": failure(429, "slow down", headers={"Retry-After": "7"}),
    "429 for long": failure(429, "slow down", headers={"Retry-After": "9" * 400}),
    "500": failure(500, "oops"),
    "503": failure(503, "busy"),
    "context": failure(400, "maximum context length", code="context_length_exceeded"),
    "web page": page("<html>Please log in</html>"),
    "web page as an error": page("<h1>Bad gateway</h1>", status=502),
    "no stream": document({"choices": [{"message": {"content": "whole"}}]}),
    "nothing": Script([]),
    "no words": say(),
    "an empty word": say(""),
    "filtered": say(finish="content_filter"),
    "at its limit": say(finish="length"),
    "a redirect": Script([], 302, {"Location": "http://127.0.0.1:9/"}),
    "hostile": failure(400, "[/x] \x1b]0;x\x07\n\n" + "long " * 500),
}
"""What a server may do instead of replying."""


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer() as server:
        yield server


@pytest.fixture
def settings(server: OpenAIServer) -> Settings:
    endpoint = Endpoint("openai/tester", api_base=server.base_url)
    return Settings(model="tester", models={"tester": NamedModel(endpoint)})


@pytest.fixture
def replies(store: Store, settings: Settings) -> Replies:
    return replies_of(store, settings)


async def end_of(asked: Asked, store: Store) -> ChatMessage:
    """Wait for the end of a reply, and return what is kept of it."""
    async with asyncio.timeout(PATIENCE):
        async for _ in asked.reply.changes():
            pass
    return store.get([asked.reply.message.id])[0]


def check_failed(kept: ChatMessage, text: str) -> None:
    assert kept.facts is not None
    assert kept.text == text
    assert kept.facts.state == "failed"
    error = kept.facts.error or ""
    assert 0 < len(error) <= 300
    assert not STEERING.search(error)
    assert "canary" not in error


@pytest.mark.parametrize("count", [0, 1, 3])
@pytest.mark.parametrize("fault", IN_A_STREAM)
async def test_59_what_came_is_kept_and_goes_on(
    store: Store, replies: Replies, server: OpenAIServer, fault: str, count: int
) -> None:
    script = IN_A_STREAM[fault]
    steps: list[Step] = [*PIECES[:count], *script.steps]
    server.script(Script(steps, end=script.end), say("whole"))

    asked = await replies.ask(None, [Block("Go")])
    kept = await end_of(asked, store)
    check_failed(kept, "".join(PIECES[:count]))
    assert store.get([asked.prompt_id])[0].text == "Go"

    resumed = await end_of(await replies.resume(kept.id), store)
    assert resumed.facts is not None
    assert (resumed.facts.state, resumed.facts.error) == ("complete", None)
    assert resumed.text == "".join(PIECES[:count]) + "whole"


@pytest.mark.parametrize("fault", INSTEAD)
async def test_60_61_no_reply_is_never_called_one(
    store: Store, replies: Replies, server: OpenAIServer, fault: str
) -> None:
    server.script(INSTEAD[fault])

    asked = await replies.ask(None, [Block("Go")])
    check_failed(await end_of(asked, store), "")

    assert replies.running == {}


async def test_61_refusals_are_told_apart(
    store: Store, replies: Replies, server: OpenAIServer
) -> None:
    told = set()
    names = ["401", "404", "429", "500", "context", "web page", "filtered"]
    for name in names:
        server.script(INSTEAD[name])
        kept = await end_of(await replies.ask(None, [Block("Go")]), store)
        assert kept.facts is not None
        told.add(kept.facts.error)
    assert len(told) == len(names)


@pytest.mark.parametrize("finish", ["length", "content_filter"])
async def test_62_a_reply_that_was_cut_short_says_why(
    store: Store, replies: Replies, server: OpenAIServer, finish: str
) -> None:
    server.script(say("half", finish=finish))
    kept = await end_of(await replies.ask(None, [Block("Go")]), store)

    assert kept.text == "half"
    assert kept.facts is not None
    assert kept.facts.finish_reason == finish


async def test_63_a_reply_that_repeats_itself_is_kept(
    store: Store, replies: Replies, server: OpenAIServer
) -> None:
    server.script(say(*["abc "] * 300))
    kept = await end_of(await replies.ask(None, [Block("Go")]), store)

    assert kept.text == "abc " * 300


async def test_64_stopping_again_and_again_leaves_nothing_running(
    store: Store, replies: Replies, server: OpenAIServer
) -> None:
    before = asyncio.all_tasks()
    for _ in range(20):
        server.script(say("half", server.gate(), "never"))
        asked = await replies.ask(None, [Block("Go")])
        request = await asyncio.to_thread(server.next_request)
        async for _ in asked.reply.changes():
            if asked.reply.text:
                replies.stop(asked.reply.message.id)
        kept = store.get([asked.reply.message.id])[0]
        assert kept.facts is not None
        assert (kept.text, kept.facts.state) == ("half", "interrupted")
        await asyncio.to_thread(request.wait_for_hang_up)
    if left := asyncio.all_tasks() - before:
        await asyncio.wait(left, timeout=PATIENCE)
    assert asyncio.all_tasks() <= before
    assert replies.running == {}


async def test_65_a_reply_without_an_end_is_stopped(
    store: Store, replies: Replies, server: OpenAIServer
) -> None:
    server.script(say(*["x" * 4_000_000] * 3, server.gate()))
    asked = await replies.ask(None, [Block("Go")])
    kept = await end_of(asked, store)

    assert kept.facts is not None
    assert kept.facts.state == "failed"
    assert "no end" in (kept.facts.error or "")
    assert len(kept.text) == 12_000_000
    await asyncio.to_thread(server.next_request().wait_for_hang_up)


async def test_66_what_no_text_should_hold_is_kept_and_shown(
    store: Store, settings: Settings, server: OpenAIServer
) -> None:
    plant(store, FORKED)
    server.script(say("a\ud800b", "\x00c", "\x1b", "]0;d\x07", "\u202ee"))
    async with browse(store, settings=settings) as browser:
        browser.prompt.focus()
        await browser.type("Go")
        await browser.press("enter")
        await browser.until(
            lambda: any("]0;d" in line for line in browser.thread_lines())
        )
        drawn = browser.thread_lines() + browser.tree_lines()
        assert [line for line in drawn if STEERING.search(line)] == []
        reply = MessageId(str(browser.selected))
        await browser.until(lambda: store.get([reply])[0].text != "")
        assert store.get([reply])[0].text == "a�b\x00c\x1b]0;d\x07\u202ee"


async def test_57_a_question_is_on_disk_before_anybody_is_asked(
    store: Store, replies: Replies, server: OpenAIServer, path: Path
) -> None:
    for number in range(10 * COUNT):
        gate = server.gate()
        server.script(say(gate, "fine"))
        asked = await replies.ask(None, [Block(f"question {number}")])
        await asyncio.to_thread(server.next_request)
        done = await asyncio.to_thread(_texts, path)
        assert f"question {number}" in done
        gate.release()
        await end_of(asked, store)


def _texts(path: Path) -> list[str]:
    """Return what another process finds."""
    code = (
        "import json, sys; from convotui.storage import Store\n"
        "with Store(__import__('pathlib').Path(sys.argv[1])) as store:\n"
        "    print(json.dumps([row.text for row in store.list_rows()]))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        capture_output=True,
        text=True,
        check=True,
    )
    return [str(text) for text in json.loads(run.stdout)]


async def test_68_two_replies_to_one_message_stand_side_by_side(
    store: Store, settings: Settings, server: OpenAIServer, path: Path
) -> None:
    plant(store, FORKED)
    server.script(say("first"), say("second"))
    with Store(path) as other:
        pair = [replies_of(store, settings), replies_of(other, settings)]
        asked = await asyncio.gather(*(it.answer(MessageId("ask001")) for it in pair))
        texts = {(await end_of(it, store)).text for it in asked}
    assert texts == {"first", "second"}
