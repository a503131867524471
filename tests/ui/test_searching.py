"""Search over everything, with the hits in their place in the tree."""

from __future__ import annotations

from convotui.storage import Store
from convotui.ui.widgets.search_bar import SearchBar

from .browsing import FORKED, Browser, browse, plant


async def search(browser: Browser, text: str) -> None:
    await browser.press("slash")
    await browser.type(text)


async def test_typing_goes_to_the_newest_hit_and_tells_how_many(store: Store) -> None:
    plant(store, FORKED)
    async with browse(store) as browser:
        await search(browser, "write")
        assert browser.selected == "other1"
        assert browser.status.hits == "hit 2/2"
        assert len(browser.rows()) == len(FORKED)


async def test_enter_keeps_the_hits_and_n_goes_round_them(store: Store) -> None:
    plant(store, FORKED)
    async with browse(store) as browser:
        await search(browser, "write")
        await browser.press("enter")
        assert browser.tree.has_focus
        await browser.press("n")
        assert browser.selected == "json01"
        await browser.press("n")
        assert browser.selected == "other1"
        await browser.press("N")
        assert browser.selected == "json01"
        assert browser.status.hits == "hit 1/2"


async def test_a_hit_inside_a_fold_is_opened(store: Store) -> None:
    plant(store, FORKED)
    async with browse(store, start="reply1") as browser:
        await browser.press("space")
        await search(browser, "transaction")
        assert browser.selected == "del001"
        assert "In one transaction." in "\n".join(browser.thread_lines())


async def test_escape_goes_back_to_where_the_search_began(store: Store) -> None:
    plant(store, FORKED)
    async with browse(store, start="json01") as browser:
        await search(browser, "haiku")
        assert browser.selected == "other1"
        await browser.press("escape")
        assert browser.selected == "json01"
        assert browser.status.hits == ""
        assert not browser.screen.query_one(SearchBar).display


async def test_nothing_found_says_so_and_moves_nothing(store: Store) -> None:
    plant(store, FORKED)
    async with browse(store, start="json01") as browser:
        await search(browser, "zebra")
        await browser.until(lambda: browser.status.hits == "nothing found")
        assert browser.selected == "json01"


async def test_n_without_a_search_says_how_to_search(store: Store) -> None:
    plant(store, FORKED)
    async with browse(store) as browser:
        await browser.press("n")
        assert "/ searches" in browser.status.notice


async def test_shift_n_goes_to_the_nearest_hit_above(store: Store) -> None:
    plant(store, FORKED)
    async with browse(store) as browser:
        await search(browser, "a")
        await browser.press("enter")
        assert browser.selected == "other1"
        assert browser.status.hits == "hit 3/3"
        await browser.press("N")
        assert browser.selected == "ask002"
        await browser.press("N")
        assert browser.selected == "reply1"


async def test_the_words_are_marked_in_the_thread(store: Store) -> None:
    plant(store, FORKED)
    async with browse(store) as browser:
        plain = marked(browser)
        await search(browser, "transACTION")
        assert marked(browser) - plain == {"transaction"}
        await browser.press("escape")
        assert marked(browser) == plain


def marked(browser: Browser) -> set[str]:
    """Return the pieces of the thread that are drawn on a ground of their own."""
    thread = browser.thread
    ground = thread.rich_style.bgcolor
    return {
        segment.text
        for y in range(thread.size.height)
        for segment in thread.render_line(y)
        if segment.style and segment.style.bgcolor != ground and segment.text.strip()
    }
