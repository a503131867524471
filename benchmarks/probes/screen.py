"""convotui's whole screen, driven from within its process."""

from __future__ import annotations

import asyncio
import faulthandler
import gc
import json
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from textual.app import App
from textual.pilot import Pilot
from textual.worker import WorkerCancelled

from convotui.conversations.browsing import Conversations
from convotui.conversations.models import Models
from convotui.conversations.replies import Replies
from convotui.llm.routing import AnyClient
from convotui.settings import Settings
from convotui.storage import Store
from convotui.ui.app import ConvotuiApp
from convotui.ui.opening import Opening
from convotui.ui.screens.browser import BrowserScreen
from convotui.ui.state import UiState
from convotui.ui.tree import MessageTree

Drive = Callable[[Pilot[object]], Awaitable[object]]
"""Does things to an app and returns what is to be reported."""

_NOWHERE = Path("/nonexistent")
_PATIENCE_SECONDS = 120
_WAITING = {"watch", "act", "ask", "replies", "stream", "weigh", "leave"}
"""The workers that wait for somebody: they are no part of what a key does."""


def no_replies(store: Store) -> Replies:
    """Return replies by nobody."""
    models = Models(Settings(), {"OLLAMA_HOST": "127.0.0.1:9"}, _NOWHERE)
    return Replies(lambda: store, models, AnyClient(_NOWHERE))


def screen(
    store: Store, replies: Callable[[Store], Replies] = no_replies
) -> BrowserScreen:
    """Return the screen on a store."""
    return BrowserScreen(
        Conversations(store.path, lambda: store),
        lambda: replies(store),
        UiState(),
        Opening(),
    )


def run_screen(
    path: Path,
    drive: Callable[[Pilot[object], BrowserScreen], Awaitable[object]],
    replies: Callable[[Store], Replies] = no_replies,
) -> None:
    """Open the screen on a store, drive it, and report."""
    with Store(path) as store:
        browser = screen(store, replies)
        app = ConvotuiApp(browser, {})
        run(app, lambda pilot: drive(pilot, browser))


def run(app: App[None], drive: Drive) -> None:
    """Run an app as convotui's command line does, drive it, and report."""
    reported: list[Any] = []

    async def pilot_it(pilot: Pilot[object]) -> None:
        reported.append(await drive(pilot))
        app.exit()

    # Whoever waits for a probe that hangs is told where it does.
    faulthandler.dump_traceback_later(_PATIENCE_SECONDS, exit=True)
    # As the command line has it; the screen enables it again.
    gc.disable()
    app.run(auto_pilot=pilot_it)
    if reported:
        Path(sys.argv[1]).write_text(json.dumps(reported[0]))


async def settle(pilot: Pilot[object]) -> None:
    """Wait until all that a key has begun is done and drawn."""
    await pilot.pause()
    while busy := [w for w in pilot.app.workers if w.group not in _WAITING]:
        with suppress(WorkerCancelled):
            await pilot.app.workers.wait_for_complete(busy)
        await pilot.pause()


async def until_loaded(pilot: Pilot[object], browser: BrowserScreen) -> None:
    """Wait until the tree is there, with all that comes with it."""
    # A screen has no event that could be awaited from here.
    while not any(tree.cursor for tree in browser.query(MessageTree)):  # noqa: ASYNC110
        await asyncio.sleep(0.005)
    await settle(pilot)
