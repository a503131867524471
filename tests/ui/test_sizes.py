"""Terminals of all sizes."""

from __future__ import annotations

import pytest

from convotui.storage import Store
from convotui.ui.widgets.divider import Divider
from convotui.ui.widgets.too_small import TooSmall

from .browsing import FORKED, browse, plant


async def test_the_panes_stand_side_by_side_where_there_is_room(store: Store) -> None:
    plant(store, FORKED)
    async with browse(store, size=(120, 40)) as browser:
        tree, thread = browser.tree.region, browser.thread.region
        assert tree.y == thread.y
        assert tree.right < thread.x
        assert 0.3 < tree.width / 120 < 0.5


async def test_the_panes_are_stacked_where_it_is_narrow(store: Store) -> None:
    plant(store, FORKED)
    async with browse(store, size=(80, 24)) as browser:
        tree, thread = browser.tree.region, browser.thread.region
        assert tree.bottom < thread.bottom
        assert tree.width >= 78
        assert "How do we store branches?" in browser.tree_lines()[0]


@pytest.mark.parametrize("size", [(200, 50), (120, 40), (80, 24), (40, 10), (20, 5)])
async def test_no_line_of_the_tree_is_wider_than_it(
    store: Store, size: tuple[int, int]
) -> None:
    plant(store, (*FORKED, ("wide01", "haiku1", "user", "日本語のとても長い文 " * 20)))
    async with browse(store, size=size) as browser:
        for y in range(browser.tree.size.height):
            width = browser.tree.scrollable_content_region.width
            assert browser.tree.render_line(y).cell_length == width


async def test_a_terminal_that_is_too_small_is_told_so(store: Store) -> None:
    plant(store, FORKED)
    async with browse(store, size=(39, 9)) as browser:
        assert browser.screen.query(TooSmall)
        await browser.pilot.resize_terminal(80, 24)
        await browser.settle()
        assert not browser.screen.query(TooSmall)
        assert browser.selected == "haiku1"


async def test_resizing_keeps_the_cursor_in_view(store: Store) -> None:
    chain = tuple(
        (f"m{number:05}", f"m{number - 1:05}" if number else None, "user", "text")
        for number in range(300)
    )
    plant(store, chain)
    async with browse(store, start="m00150") as browser:
        for size in ((200, 50), (80, 24), (45, 12), (120, 40)):
            await browser.pilot.resize_terminal(*size)
            await browser.settle()
            assert any("m00150" in line for line in browser.tree_lines())


async def test_plus_and_underscore_resize_the_panes(store: Store) -> None:
    plant(store, FORKED)
    async with browse(store) as browser:
        before = browser.tree.size.width
        await browser.press("plus", "plus")
        assert browser.tree.size.width > before
        await browser.press("underscore", "underscore", "underscore")
        assert browser.tree.size.width < before


async def test_ascii_only_draws_nothing_else_in_the_tree(store: Store) -> None:
    plant(store, FORKED)
    async with browse(store, ascii_only=True) as browser:
        assert all(line.isascii() for line in browser.tree_lines())
        assert browser.tree_lines()[2].startswith("|-*")


async def test_dragging_the_divider_gives_the_tree_more_room(store: Store) -> None:
    plant(store, FORKED)
    async with browse(store) as browser:
        divider = browser.screen.query_one(Divider)
        before = browser.tree.size.width
        await browser.pilot.mouse_down(divider, offset=(0, 5))
        await browser.pilot.hover(offset=(before + 20, 5))
        await browser.pilot.mouse_up(offset=(before + 20, 5))
        await browser.settle()
        assert before + 15 < browser.tree.size.width < before + 25
        await browser.pilot.hover(offset=(before + 40, 5))
        await browser.settle()
        assert browser.tree.size.width < before + 25
