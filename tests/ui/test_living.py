"""What others write appears, and the reader is not moved."""

from __future__ import annotations

import asyncio
from pathlib import Path

import apsw

from convotui.storage import Block, Draft, MessageId, Store

from .browsing import FORKED, Browser, browse, plant


async def until(browser: Browser, rows: int) -> None:
    """Wait until the tree has this many rows."""
    async with asyncio.timeout(10):
        while len(browser.rows()) != rows:
            await browser.pilot.pause(0.02)
    await browser.settle()


async def test_a_message_of_another_process_appears_marked(
    store: Store, path: Path
) -> None:
    plant(store, FORKED)
    async with browse(store, start="json01") as browser:
        before = [line for line in browser.tree_lines() if "json01" in line]
        with Store(path) as other:
            other.save(
                [Draft("user", [Block("hello from afar")], parent=MessageId("haiku1"))]
            )
        await until(browser, len(FORKED) + 1)
        assert browser.selected == "json01"
        assert [line for line in browser.tree_lines() if "json01" in line] == before
        assert browser.tree_lines()[-1].endswith("•")
        await browser.press("G")
        assert not browser.tree_lines()[-1].endswith("•")


async def test_the_message_under_the_cursor_deleted_by_another_program(
    store: Store, path: Path
) -> None:
    plant(store, FORKED)
    async with browse(store, start="json01") as browser:
        # The same SQLite: a second one in this process would drop our locks.
        other = apsw.Connection(str(path))
        other.execute("DELETE FROM blocks WHERE message_id = 'json01'")
        other.execute("DELETE FROM messages WHERE id = 'json01'")
        other.close()
        await until(browser, len(FORKED) - 1)
        assert browser.selected == "ask001"


async def test_the_first_message_of_another_process_replaces_the_welcome(
    store: Store, path: Path, tmp_path: Path
) -> None:
    async with browse(store) as browser:
        assert "begins one" in "\n".join(browser.thread_lines())
        assert list(tmp_path.iterdir()) == []
        with Store(path) as other:
            plant(other, FORKED)
        await until(browser, len(FORKED))
        assert browser.selected == "haiku1"
        assert "Frames upon frames rest" in "\n".join(browser.thread_lines())
