"""Talking to models from the screen."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from convotui.llm import Endpoint
from convotui.settings import NamedModel, Settings
from convotui.storage import ChatMessage, MessageId, Store
from tests.llm.server import OpenAIServer, Thought, break_off, failure, say

from .browsing import FORKED, PATIENCE, Browser, browse, plant


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer() as server:
        yield server


@pytest.fixture
def settings(server: OpenAIServer) -> Settings:
    endpoint = Endpoint("openai/tester", api_base=server.base_url)
    return Settings(model="tester", models={"tester": NamedModel(endpoint)})


async def ask(browser: Browser, text: str) -> None:
    browser.prompt.focus()
    await browser.type(text)
    await browser.press("enter")


async def thread_of(browser: Browser, store: Store, state: str) -> list[ChatMessage]:
    """Wait until the selected reply has come to a state, and return its thread."""
    async with asyncio.timeout(PATIENCE):
        while True:
            await browser.pilot.pause(0.02)
            if browser.selected is not None:
                thread = store.thread(MessageId(browser.selected))
                facts = thread[-1].facts
                if thread[-1].role == "assistant" and facts and facts.state == state:
                    await browser.settle()
                    return thread


async def see(browser: Browser, text: str) -> None:
    """Wait until the thread on show holds a text."""
    async with asyncio.timeout(PATIENCE):
        while not any(text in line for line in browser.thread_lines()):
            await browser.pilot.pause(0.02)


async def test_a_prompt_gets_a_reply_below_the_cursor(
    store: Store, settings: Settings, server: OpenAIServer
) -> None:
    plant(store, FORKED)
    server.script(say("Autumn ", "moonlight"))
    async with browse(store, settings=settings) as browser:
        await ask(browser, "Another")
        thread = await thread_of(browser, store, "complete")
        assert [message.text for message in thread] == [
            "Write a haiku",
            "Frames upon frames rest",
            "Another",
            "Autumn moonlight",
        ]
        facts = thread[-1].facts
        assert facts is not None
        assert (facts.model, facts.input_tokens) == ("openai/tester", 11)
        await see(browser, "Autumn moonlight")
        assert browser.prompt.text == ""
        assert any("Autumn moonlight" in line for line in browser.tree_lines())
        assert not any("•" in line for line in browser.tree_lines())
    assert [m["content"] for m in server.next_request().body["messages"]] == [
        "Write a haiku",
        "Frames upon frames rest",
        "Another",
    ]


async def test_a_first_prompt_begins_a_conversation(
    store: Store, settings: Settings
) -> None:
    async with browse(store, settings=settings) as browser:
        await browser.press("o")
        await ask(browser, "Hello")
        thread = await thread_of(browser, store, "complete")
        assert [m.text for m in thread] == ["Hello", "You said: Hello"]


async def test_a_reply_is_seen_before_it_is_whole(
    store: Store, settings: Settings, server: OpenAIServer
) -> None:
    plant(store, FORKED)
    gate = server.gate()
    server.script(say("It **begins", gate, "** so"))
    async with browse(store, settings=settings) as browser:
        await ask(browser, "Go")
        await see(browser, "begins")
        await browser.until(lambda: "…" in browser.tree_lines()[-1])
        gate.release()
        await thread_of(browser, store, "complete")
        await see(browser, "It begins so")
        await browser.until(lambda: "✦" in browser.tree_lines()[-1])


async def test_a_reply_stays_where_it_was_asked_from(
    store: Store, settings: Settings, server: OpenAIServer
) -> None:
    plant(store, FORKED)
    gate = server.gate()
    server.script(say("One ", gate, "two"))
    async with browse(store, settings=settings) as browser:
        await ask(browser, "Count")
        await see(browser, "One")
        reply = MessageId(str(browser.selected))
        browser.tree.focus()
        await browser.press("g")
        assert browser.selected == "root01"
        gate.release()
        await browser.until(lambda: store.get([reply])[0].text == "One two")
        assert browser.selected == "root01"
        assert store.thread(reply)[-3].id == "haiku1"
        assert not any("One two" in line for line in browser.thread_lines())


async def test_two_replies_run_at_once(
    store: Store, settings: Settings, server: OpenAIServer
) -> None:
    plant(store, FORKED)
    first, second = server.gate(), server.gate()
    server.script(say("slow ", first, "one"), say("quick ", second, "one"))
    async with browse(store, settings=settings) as browser:
        await ask(browser, "A")
        await see(browser, "slow")
        slow = MessageId(str(browser.selected))
        browser.tree.focus()
        await browser.press("g", "f")
        await ask(browser, "B")
        await see(browser, "quick")
        quick = MessageId(str(browser.selected))
        second.release()
        await browser.until(lambda: store.get([quick])[0].text == "quick one")
        first.release()
        await browser.until(lambda: store.get([slow])[0].text == "slow one")
        assert store.get([quick])[0].parent_id != store.get([slow])[0].parent_id


async def test_escape_stops_a_reply_and_c_continues_it(
    store: Store, settings: Settings, server: OpenAIServer
) -> None:
    plant(store, FORKED)
    gate = server.gate()
    server.script(say("Half a ", gate, "never"), say("sentence"))
    async with browse(store, settings=settings) as browser:
        await ask(browser, "Go")
        await see(browser, "Half a")
        await browser.press("escape")
        thread = await thread_of(browser, store, "interrupted")
        assert thread[-1].text == "Half a "
        server.next_request().wait_for_hang_up()
        await see(browser, "interrupted")
        browser.tree.focus()
        await browser.press("c")
        thread = await thread_of(browser, store, "complete")
        assert thread[-1].text == "Half a sentence"
        assert thread[-2].text == "Go"
        await see(browser, "Half a sentence")


async def test_a_whole_reply_has_nothing_to_continue(
    store: Store, settings: Settings
) -> None:
    plant(store, FORKED)
    async with browse(store, settings=settings) as browser:
        await browser.press("c")
        await browser.until(lambda: "cut off" in browser.status.notice)


async def test_r_replies_once_more_beside_the_old_reply(
    store: Store, settings: Settings, server: OpenAIServer
) -> None:
    plant(store, FORKED)
    server.script(say("Another haiku"))
    async with browse(store, settings=settings) as browser:
        await browser.press("r")
        thread = await thread_of(browser, store, "complete")
        assert [m.text for m in thread] == ["Write a haiku", "Another haiku"]
        assert store.get([MessageId("haiku1")])[0].parent_id == "other1"


async def test_r_on_a_prompt_without_a_reply_gets_one(
    store: Store, settings: Settings, server: OpenAIServer
) -> None:
    plant(store, (*FORKED, ("lonely", "haiku1", "user", "Anybody?")))
    server.script(say("Yes"))
    async with browse(store, settings=settings) as browser:
        await browser.press("r")
        thread = await thread_of(browser, store, "complete")
        assert [m.text for m in thread[-2:]] == ["Anybody?", "Yes"]


async def test_an_edited_prompt_is_sent_beside_the_old_one(
    store: Store, settings: Settings
) -> None:
    plant(store, FORKED)
    async with browse(store, settings=settings) as browser:
        await browser.press("up", "e")
        await browser.until(lambda: browser.prompt.text == "Write a haiku")
        await browser.type("!")
        await browser.press("enter")
        thread = await thread_of(browser, store, "complete")
        assert [m.text for m in thread] == [
            "Write a haiku!",
            "You said: Write a haiku!",
        ]
        assert len(store.list_rows()) == len(FORKED) + 2


async def test_a_failed_reply_keeps_what_came_and_says_why(
    store: Store, settings: Settings, server: OpenAIServer
) -> None:
    plant(store, FORKED)
    server.script(break_off("so far"))
    async with browse(store, settings=settings) as browser:
        await ask(browser, "Go")
        thread = await thread_of(browser, store, "failed")
        assert [m.text for m in thread[-2:]] == ["Go", "so far"]
        await see(browser, "broke off")
        await browser.until(lambda: "✗" in browser.tree_lines()[-1])


async def test_a_server_that_refuses_is_told_and_the_prompt_is_kept(
    store: Store, settings: Settings, server: OpenAIServer
) -> None:
    plant(store, FORKED)
    server.script(failure(429, "slow down", headers={"Retry-After": "7"}))
    async with browse(store, settings=settings) as browser:
        await ask(browser, "Go")
        thread = await thread_of(browser, store, "failed")
        assert thread[-2].text == "Go"
        await see(browser, "7 seconds")


async def test_nothing_is_lost_where_there_is_no_model(store: Store) -> None:
    plant(store, FORKED)
    async with browse(store) as browser:
        await ask(browser, "Is anybody there?")
        await browser.until_done()
        assert browser.status.context == "no model chosen"
        assert browser.prompt.text == "Is anybody there?"
        assert len(store.list_rows()) == len(FORKED)


async def test_thinking_is_folded_above_the_reply(
    store: Store, settings: Settings, server: OpenAIServer
) -> None:
    plant(store, FORKED)
    server.script(say(Thought("hmm, 6 times 7"), "42"))
    async with browse(store, settings=settings) as browser:
        await ask(browser, "Go")
        thread = await thread_of(browser, store, "complete")
        assert [b.type for b in thread[-1].blocks] == ["thinking", "content"]
        await see(browser, "thinking")
        assert not any("6 times 7" in line for line in browser.thread_lines())


async def test_leaving_asks_first_while_a_reply_runs(
    store: Store, settings: Settings, server: OpenAIServer
) -> None:
    plant(store, FORKED)
    gate = server.gate()
    server.script(say("Half ", gate, "never"))
    async with browse(store, settings=settings) as browser:
        await ask(browser, "Go")
        await see(browser, "Half")
        browser.tree.focus()
        await browser.press("q")
        await browser.until(lambda: len(browser.app.screen_stack) == 2)
        await browser.press("escape")
        assert browser.app.is_running
        await browser.press("q")
        await browser.until(lambda: len(browser.app.screen_stack) == 2)
        await browser.pilot.press("y")
        await browser.until(lambda: browser.app.return_code == 0)
    states = {row.text: row.state for row in store.list_rows()}
    assert states["Half"] == "interrupted"


async def test_the_status_line_tells_the_model_and_how_much_is_sent(
    store: Store, settings: Settings
) -> None:
    plant(store, FORKED)
    async with browse(store, settings=settings) as browser:
        await browser.until(lambda: browser.status.context.startswith("tester ≈ "))


async def test_m_chooses_the_model_of_the_next_reply(
    store: Store, server: OpenAIServer
) -> None:
    plant(store, FORKED)
    models = {
        name: NamedModel(Endpoint(f"openai/{name}", api_base=server.base_url))
        for name in ("first", "second")
    }
    async with browse(
        store, settings=Settings(model="first", models=models)
    ) as browser:
        await browser.press("m")
        await browser.until(lambda: len(browser.app.screen_stack) == 2)
        await browser.type("sec")
        await browser.press("enter")
        await browser.until(lambda: browser.status.context.startswith("second"))
        await ask(browser, "Go")
        thread = await thread_of(browser, store, "complete")
        facts = thread[-1].facts
        assert facts is not None
        assert facts.model == "openai/second"


async def test_a_file_goes_with_the_next_message(
    store: Store, settings: Settings, server: OpenAIServer, tmp_path: Path
) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("buy milk")
    plant(store, FORKED)
    async with browse(store, settings=settings) as browser:
        browser.prompt.load_text(f"/attach {notes}")
        browser.prompt.focus()
        await browser.press("enter")
        await browser.until(lambda: "notes.txt" in str(browser.prompt.border_subtitle))
        await ask(browser, "Read")
        thread = await thread_of(browser, store, "complete")
        assert thread[-2].blocks[0].content == "Read"
        assert "buy milk" in thread[-2].blocks[1].content
        assert not browser.prompt.border_subtitle
    assert "buy milk" in str(server.next_request().body["messages"][-1])


async def test_an_incognito_thread_can_be_kept(tmp_path: Path) -> None:
    with Store(None) as memory, Store(tmp_path / ".cpeconvo") as project:
        plant(memory, FORKED)
        async with browse(memory, project=project, incognito=True) as browser:
            await browser.press("S")
            await browser.until_done()
            assert [row.text for row in project.list_rows(ascending=True)] == [
                "Write a haiku",
                "Frames upon frames rest",
            ]


async def test_a_thread_of_the_project_is_kept_already(store: Store) -> None:
    plant(store, FORKED)
    async with browse(store) as browser:
        await browser.press("S")
        await browser.until_done()
        assert browser.status.notice == "This thread is kept already."
        assert len(store.list_rows()) == len(FORKED)
