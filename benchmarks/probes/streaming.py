"""A reply that streams into the whole screen, as from a model that never tires.

Reports how late the event loop is once many tokens are there. The reply goes all the
way: from the client, through the use case that saves it every second, to the screen.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator
from pathlib import Path

from textual.pilot import Pilot

from benchmarks.probes.lateness import Lateness
from benchmarks.probes.screen import run_screen, until_loaded
from benchmarks.texts import tokens
from convotui.conversations.models import Models
from convotui.conversations.replies import Replies
from convotui.llm import Endpoint, Piece, Request, TextPiece
from convotui.settings import Settings
from convotui.storage import Store
from convotui.ui.screens.browser import BrowserScreen

_BEFORE = 10_000
_TOKENS_PER_SECOND = 200
_SECONDS = 6


class _Tireless:
    """Says much at once and then goes on as fast as a quick model."""

    def __init__(self) -> None:
        self.has_begun = asyncio.Event()

    async def reply(
        self, endpoint: Endpoint, request: Request
    ) -> AsyncGenerator[Piece, None]:
        words = tokens()
        yield TextPiece("".join(next(words) for _ in range(_BEFORE)))
        self.has_begun.set()
        while True:
            yield TextPiece(next(words))
            await asyncio.sleep(1 / _TOKENS_PER_SECOND)


_client = _Tireless()


def _replies(store: Store) -> Replies:
    models = Models(Settings(model="openai/gpt-4o"), {}, Path("/nonexistent"))
    return Replies(lambda: store, models, _client)


async def _drive(pilot: Pilot[object], browser: BrowserScreen) -> dict[str, float]:
    await until_loaded(pilot, browser)
    await pilot.press("o", *"hello", "enter")
    await _client.has_begun.wait()
    # The first frame of so much text is not what is measured.
    await asyncio.sleep(1)
    shown = browser.conversation.thread
    before = shown.virtual_size.height
    async with Lateness() as lateness:
        await asyncio.sleep(_SECONDS)
    assert shown.virtual_size.height > before
    assert browser.stop_reply()
    return lateness.report


if __name__ == "__main__":
    run_screen(Path(sys.argv[2]), _drive, _replies)
