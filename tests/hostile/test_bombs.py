"""Text that is small to write and huge to show: it is shown, found and copied."""

from __future__ import annotations

import asyncio

import pytest

from convotui.llm import Endpoint
from convotui.settings import NamedModel, Settings
from convotui.storage import Block, Draft, MessageId, Store
from tests.llm.server import OpenAIServer, say
from tests.ui.browsing import FORKED, PATIENCE, browse, plant

BOMBS = {
    "a line": "x" * 1_000_000,
    "wide characters": "日" * 300_000,
    "lines": "some words\n" * 100_000,
    "paragraphs": "A paragraph\n\n" * 10_000,
    "items": "- item\n" * 5_000,
    "tags": "<a " * 300_000,
}
"""What is too much to be drawn as Markdown."""

LADDERS = {
    "brackets": "[" * 15_000,
    "backticks": " ".join("`" * count for count in range(1, 150)),
    "rows": "|a|b|\n|-|-|\n" + "|x|y|\n" * 300,
    "columns": "|" * 5_000 + "\n" + "|-" * 5_000 + "|\n",
    "marks": "a" + "\u0301" * 15_000,
    "entities": "&#27;&#x9b;&lt;" * 1_000,
}
"""What takes parsers long, though there is little of it."""


@pytest.mark.parametrize("name", [*BOMBS, *LADDERS])
async def test_14_any_text_is_shown_from_its_beginning_to_its_end(
    store: Store, name: str
) -> None:
    text = f"the beginning\n\n{(BOMBS | LADDERS)[name]}\n\nthe end"
    (bomb,) = store.save([Draft("assistant", [Block(text)])])
    async with browse(store, start=bomb) as browser:
        shown = "\n".join(browser.thread_lines())
        assert "the beginning" in shown
        assert ("shown as plain text" in shown) is (name in BOMBS)
        browser.thread.focus()
        await browser.press("G")
        assert any("the end" in line for line in browser.thread_lines())
        await browser.press("y")
        await browser.until(lambda: len(browser.app.screen_stack) == 2)
        await browser.press("enter")
        await browser.until(lambda: browser.app.clipboard != "")
        assert browser.app.clipboard.startswith("the beginning")
        assert browser.app.clipboard.endswith("the end")
    assert len(store.search("the end")) == 1


@pytest.mark.parametrize(
    "pieces",
    [
        ["- item\n"] * 1_500,
        ["words\n\n"] * 1_500,
        ["```\n", *["code\n"] * 1_500],
        ["x" * 4_000_000],
    ],
    ids=["items", "paragraphs", "code", "one piece"],
)
async def test_15_a_stream_of_any_shape_is_shown_to_its_end(
    store: Store, pieces: list[str]
) -> None:
    plant(store, FORKED)
    with OpenAIServer() as server:
        endpoint = Endpoint("openai/x", api_base=server.base_url)
        settings = Settings(model="x", models={"x": NamedModel(endpoint)})
        server.script(say(*pieces, "\n\nthe end"))
        async with browse(store, settings=settings) as browser:
            await browser.press("o")
            await browser.type("Go")
            await browser.press("enter")
            async with asyncio.timeout(PATIENCE):
                while not any("the end" in line for line in browser.thread_lines()):
                    await browser.pilot.pause(0.02)
            reply = MessageId(str(browser.selected))
            await browser.until(lambda: store.get([reply])[0].text.endswith("the end"))
    assert len(store.get([reply])[0].text) == len("".join(pieces)) + len("\n\nthe end")
