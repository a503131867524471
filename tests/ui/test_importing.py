"""Bringing in other programs' conversations from the screen."""

from __future__ import annotations

import json
from pathlib import Path

from textual.widgets import Input, Static

from convotui.storage import Store
from convotui.ui.screens.importing import ImportDialog

from .browsing import FORKED, Browser, browse, plant


def write_chat(path: Path, *texts: str) -> Path:
    roles = ("user", "assistant")
    messages = [
        {"role": roles[number % 2], "content": text}
        for number, text in enumerate(texts)
    ]
    path.write_text(json.dumps({"messages": messages}))
    return path


def said(browser: Browser, selector: str) -> str:
    return str(browser.app.screen.query_one(selector, Static).render())


async def test_what_would_come_in_is_shown_before_it_does(
    store: Store, tmp_path: Path
) -> None:
    plant(store, FORKED)
    chat = write_chat(tmp_path / "chat.json", "Bring me in", "Here you are")
    async with browse(store) as browser:
        await browser.press("i")
        await browser.until(lambda: isinstance(browser.app.screen, ImportDialog))
        browser.app.screen.query_one(Input).value = str(chat)
        await browser.press("enter")
        await browser.until(lambda: "2 new" in said(browser, "#report"))
        assert len(store.list_rows()) == len(FORKED)
        await browser.press("enter")
        await browser.until(lambda: len(store.list_rows()) == len(FORKED) + 2)
        await browser.until(
            lambda: any("Bring me in" in x for x in browser.tree_lines())
        )


async def test_nothing_comes_in_twice(store: Store, tmp_path: Path) -> None:
    plant(store, FORKED)
    chat = write_chat(tmp_path / "chat.json", "Once", "and for all")
    async with browse(store) as browser:
        for _ in range(2):
            await browser.press("i")
            await browser.until(lambda: isinstance(browser.app.screen, ImportDialog))
            browser.app.screen.query_one(Input).value = str(chat)
            await browser.press("enter")
            await browser.until(lambda: "new ·" in said(browser, "#report"))
            if "0 new" in said(browser, "#report"):
                break
            await browser.press("enter")
            await browser.until(lambda: len(browser.app.screen_stack) == 1)
        assert "nothing here is new" in said(browser, ".hint")
        assert len(store.list_rows()) == len(FORKED) + 2


async def test_a_file_of_nothing_known_is_told(store: Store, tmp_path: Path) -> None:
    other = tmp_path / "other.bin"
    other.write_bytes(b"\x00\x01 nothing")
    plant(store, FORKED)
    async with browse(store) as browser:
        await browser.press("i")
        await browser.until(lambda: isinstance(browser.app.screen, ImportDialog))
        browser.app.screen.query_one(Input).value = str(other)
        await browser.press("enter")
        await browser.until(lambda: "skipped" in said(browser, "#report"))
        await browser.press("escape")
        assert len(browser.app.screen_stack) == 1
        assert len(store.list_rows()) == len(FORKED)


async def test_a_thread_says_where_it_came_from(store: Store, tmp_path: Path) -> None:
    chat = write_chat(tmp_path / "chat.json", "From afar", "Welcome")
    async with browse(store) as browser:
        await browser.press("i")
        await browser.until(lambda: isinstance(browser.app.screen, ImportDialog))
        browser.app.screen.query_one(Input).value = str(chat)
        await browser.press("enter")
        await browser.until(lambda: "2 new" in said(browser, "#report"))
        await browser.press("enter")
        await browser.until(
            lambda: any(
                "you" in line and "from openai" in line
                for line in browser.thread_lines()
            )
        )
