"""How late the screen's event loop is while it reads a tree, or loads litellm.

Reports the lateness from the first frame until all is there.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from pathlib import Path

from textual.pilot import Pilot

from benchmarks.probes.lateness import Lateness
from benchmarks.probes.screen import run_screen, until_loaded
from convotui.conversations.models import Models
from convotui.conversations.replies import Replies
from convotui.llm import Endpoint
from convotui.llm.routing import AnyClient
from convotui.settings import Settings
from convotui.storage import Store
from convotui.ui.screens.browser import BrowserScreen


async def _load(pilot: Pilot[object], browser: BrowserScreen) -> dict[str, float]:
    async with Lateness() as lateness:
        await until_loaded(pilot, browser)
    return lateness.report


async def _warm(pilot: Pilot[object], browser: BrowserScreen) -> dict[str, float]:
    async with Lateness() as lateness:
        await asyncio.to_thread(_is_warm.wait)
    assert "litellm" in sys.modules
    return lateness.report


_is_warm = threading.Event()


def _warming_replies(store: Store) -> Replies:
    client = AnyClient(Path("/nonexistent"))

    def warm_up(endpoint: Endpoint) -> None:
        client.warm_up(endpoint)
        _is_warm.set()

    models = Models(Settings(model="openai/gpt-4o"), {}, Path("/nonexistent"))
    return Replies(lambda: store, models, client, warm_up)


if __name__ == "__main__":
    if sys.argv[3] == "litellm":
        run_screen(Path(sys.argv[2]), _warm, _warming_replies)
    else:
        run_screen(Path(sys.argv[2]), _load)
