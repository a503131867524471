"""How the screen looks in a handful of states; look at the pictures before a change."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any, Protocol

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from convotui.conversations.browsing import Conversations
from convotui.demo import fill
from convotui.settings import Settings
from convotui.storage import MessageId, Store
from convotui.ui.app import ConvotuiApp
from convotui.ui.opening import Opening
from convotui.ui.screens.browser import BrowserScreen
from convotui.ui.state import UiState

from .browsing import Browser, replies_of

FAR_AHEAD = datetime(2999, 6, 1, 12, 0)
"""What is yet to come has no age that would change from day to day."""


class Compare(Protocol):
    def __call__(
        self,
        app: ConvotuiApp,
        *,
        terminal_size: tuple[int, int],
        run_before: Callable[[Pilot[Any]], Any],
    ) -> bool: ...


@pytest.fixture(autouse=True)
def the_same_everywhere(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("COLORTERM", "truecolor")
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def looks_the_same(
    snap_compare: Compare,
    store: Store,
    *keys: str,
    size: tuple[int, int] = (120, 34),
    theme: str = "convotui-dark",
    **opening: Any,
) -> bool:
    screen = BrowserScreen(
        Conversations(store.path, lambda: store),
        lambda: replies_of(store, Settings()),
        UiState(theme=theme),
        Opening(**opening),
    )

    async def drive(pilot: Pilot[Any]) -> None:
        browser = Browser(pilot, screen)
        for line in screen.query(Input):
            line.cursor_blink = False
        await browser.settle()
        await browser.press(*keys)
        await browser.until(lambda: browser.status.context != "")

    return snap_compare(ConvotuiApp(screen, {}), terminal_size=size, run_before=drive)


@pytest.fixture
def sample(store: Store) -> Store:
    fill(store, FAR_AHEAD)
    return store


def test_an_empty_project(snap_compare: Compare, store: Store) -> None:
    assert looks_the_same(snap_compare, store)


def test_a_forked_tree(snap_compare: Compare, sample: Store) -> None:
    assert looks_the_same(snap_compare, sample, start=MessageId("pL5aHs"))


def test_a_folded_branch(snap_compare: Compare, sample: Store) -> None:
    start = MessageId("Zr71Lm")
    assert looks_the_same(snap_compare, sample, "space", start=start)


def test_a_search(snap_compare: Compare, sample: Store) -> None:
    keys = ("slash", *"recursive", "enter")
    assert looks_the_same(snap_compare, sample, *keys)


def test_the_question_before_a_delete(snap_compare: Compare, sample: Store) -> None:
    start = MessageId("Zr71Lm")
    assert looks_the_same(snap_compare, sample, "d", start=start)


def test_a_narrow_terminal(snap_compare: Compare, sample: Store) -> None:
    start = MessageId("L1fPvR")
    assert looks_the_same(snap_compare, sample, size=(80, 24), start=start)


def test_a_wide_terminal(snap_compare: Compare, sample: Store) -> None:
    start = MessageId("pL5aHs")
    assert looks_the_same(snap_compare, sample, size=(200, 50), start=start)


def test_a_light_theme(snap_compare: Compare, sample: Store) -> None:
    start = MessageId("w9TbXe")
    theme = "convotui-light"
    assert looks_the_same(snap_compare, sample, theme=theme, start=start)


def test_ascii_only(snap_compare: Compare, sample: Store) -> None:
    start = MessageId("pL5aHs")
    assert looks_the_same(snap_compare, sample, ascii_only=True, start=start)
