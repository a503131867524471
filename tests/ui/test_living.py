"""What others write appears, and the reader is not moved."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from convotui.storage import Block, Draft, MessageId, Outline, Store

from .browsing import FORKED, Browser, browse, plant


async def until(browser: Browser, rows: int) -> None:
    """Wait until the tree has this many rows."""
    async with asyncio.timeout(10):
        while len(browser.rows()) != rows:
            await browser.pilot.pause(0.02)
    await browser.settle()


class SlowStore(Store):
    """A store from which the tree is read only while its gate is open."""

    gate: threading.Event
    waiting: threading.Event

    def outline(self) -> Outline:
        self.waiting.set()
        self.gate.wait(10)
        return super().outline()

    def close_gate(self) -> None:
        self.gate.clear()
        self.waiting.clear()


@pytest.fixture
def slow_store(path: Path) -> Iterator[SlowStore]:
    with SlowStore(path) as store:
        store.gate, store.waiting = threading.Event(), threading.Event()
        store.gate.set()
        plant(store, FORKED)
        yield store


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


async def test_who_undoes_while_another_process_writes_goes_where_it_was(
    slow_store: SlowStore, path: Path
) -> None:
    async with browse(slow_store, start="json01") as browser:
        await browser.press("d", "g")
        slow_store.close_gate()
        await browser.pilot.press("u")
        await browser.until(slow_store.waiting.is_set)
        slow_store.waiting.clear()
        with Store(path) as other:
            other.save([Draft("user", [Block("hello from afar")])])
        # The second reading takes the place of the first.
        await browser.until(slow_store.waiting.is_set)
        slow_store.gate.set()
        await until(browser, len(FORKED) + 1)
        assert browser.selected == "json01"


async def test_a_filter_in_the_middle_of_reading_takes_its_place(
    slow_store: SlowStore, path: Path
) -> None:
    async with browse(slow_store, start="json01") as browser:
        slow_store.close_gate()
        with Store(path) as other:
            other.save([Draft("user", [Block("hello from afar")])])
        await browser.until(slow_store.waiting.is_set)
        await browser.pilot.press("F")
        slow_store.gate.set()
        await browser.settle()
        with Store(path) as other:
            other.save([Draft("user", [Block("and once more")])])
        await browser.until(lambda: "and once more" in browser.tree_lines()[-1])


async def test_the_cursor_can_be_moved_while_the_tree_is_read(
    slow_store: SlowStore, path: Path
) -> None:
    async with browse(slow_store, start="json01") as browser:
        slow_store.close_gate()
        with Store(path) as other:
            other.save([Draft("user", [Block("hello from afar")])])
        await browser.until(slow_store.waiting.is_set)
        await browser.pilot.press("k")
        slow_store.gate.set()
        await until(browser, len(FORKED) + 1)
        assert browser.selected == "ask001"


async def test_a_reply_of_another_process_is_counted_below(
    store: Store, path: Path
) -> None:
    plant(store, FORKED)
    async with browse(store, start="ask001") as browser:
        assert "1 reply below" in "\n".join(browser.thread_lines())
        with Store(path) as other:
            other.save([Draft("user", [Block("me too")], parent=MessageId("json01"))])
        await browser.until(
            lambda: "2 replies below" in "\n".join(browser.thread_lines())
        )


async def test_flipping_goes_to_the_sibling_wherever_its_row_is_by_now(
    store: Store, path: Path
) -> None:
    plant(store, FORKED)
    async with browse(store, start="del001") as browser:
        # What was last active is further down.
        with Store(path) as other:
            other.save([Draft("user", [Block("me too")], parent=MessageId("json01"))])
        await until(browser, len(FORKED) + 1)
        browser.thread.focus()
        await browser.press("K", "right_square_bracket")
        await browser.until(lambda: browser.selected != "del001")
        assert "me too" in "\n".join(browser.thread_lines())


async def test_what_is_read_again_does_not_move_the_reader(
    store: Store, path: Path
) -> None:
    long = tuple(
        (f"m{at:03}", f"m{at - 1:03}" if at else None, "user", f"number {at}.")
        for at in range(300)
    )
    plant(store, long)
    async with browse(store, start="m299") as browser:
        browser.thread.focus()
        await browser.pilot.press("home")
        await browser.until(lambda: "number 0." in "\n".join(browser.thread_lines()))
        before = browser.thread_lines()
        with Store(path) as other:
            other.save([Draft("user", [Block("elsewhere")])])
        await until(browser, len(long) + 1)
        assert browser.thread_lines() == before
