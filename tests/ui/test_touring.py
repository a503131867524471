"""The tour: each hint goes when its key was pressed, whichever key that is."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from convotui.conversations.browsing import Conversations
from convotui.settings import Settings
from convotui.storage import Store
from convotui.ui.app import ConvotuiApp
from convotui.ui.opening import Opening
from convotui.ui.screens.touring import TourScreen
from convotui.ui.state import UiState
from convotui.ui.widgets.tour import HINTS, Tour

from .browsing import FORKED, Browser, plant, replies_of


@asynccontextmanager
async def touring(
    store: Store, keymap: Mapping[str, str] | None = None, width: int = 120
) -> AsyncIterator[Browser]:
    plant(store, FORKED)
    screen = TourScreen(
        Conversations(store.path, lambda: store),
        lambda: replies_of(store, Settings()),
        UiState(),
        Opening(),
    )
    async with ConvotuiApp(screen, keymap or {}).run_test(size=(width, 30)) as pilot:
        browser = Browser(pilot, screen)
        await browser.settle()
        yield browser


def hint(browser: Browser) -> str:
    """What the tour says; nothing once it is over."""
    return "".join(tour.render().plain for tour in browser.screen.query(Tour))


async def test_each_hint_goes_when_its_key_was_pressed(store: Store) -> None:
    async with touring(store) as browser:
        assert "1/5" in hint(browser)
        assert " j k " in hint(browser)
        await browser.press("g")
        assert "1/5" in hint(browser)
        await browser.press("j")
        assert " / " in hint(browser)
        await browser.press("slash")
        assert "enter goes to the hit" in hint(browser)
        await browser.press("escape")
        assert " f " in hint(browser)
        await browser.press("f")
        assert "enter sends" in hint(browser)
        await browser.press("escape")
        assert " d u " in hint(browser)
        await browser.press("d", "d", "u")
        assert " ? " in hint(browser)
        await browser.press("question_mark")
        assert hint(browser) == ""


async def test_keys_that_are_letters_of_a_text_do_not_count(store: Store) -> None:
    async with touring(store) as browser:
        await browser.press("enter")
        await browser.type("jk")

        assert browser.prompt.text == "jk"
        await browser.press("escape")
        assert "1/5" in hint(browser)


async def test_escape_skips_a_hint_and_in_the_end_the_tour(store: Store) -> None:
    async with touring(store) as browser:
        height = browser.tree.size.height
        for number in range(1, len(HINTS) + 1):
            assert f"{number}/5" in hint(browser)
            await browser.press("escape")

        assert hint(browser) == ""
        assert browser.tree.size.height == height + 1


async def test_the_keys_are_the_users_own(store: Store) -> None:
    async with touring(store, {"tree.down": "w", "tree.up": "t"}) as browser:
        assert " w t " in hint(browser)
        await browser.press("t")
        assert "2/5" in hint(browser)


async def test_every_hint_fits_on_a_narrow_screen(store: Store) -> None:
    async with touring(store, width=60) as browser:
        for _ in HINTS:
            [tour] = browser.screen.query(Tour)
            assert tour.render().cell_length <= 58
            await browser.press("escape")
