"""The processor's time that one more piece of a streaming reply takes to show.

Reports seconds for each update, at the beginning of a reply and after many tokens.
"""

from __future__ import annotations

import asyncio
import sys
import time
from dataclasses import replace
from datetime import datetime
from itertools import islice

from textual.app import App, ComposeResult
from textual.pilot import Pilot

from benchmarks.probes.screen import run
from benchmarks.texts import code_tokens, tokens
from convotui.storage import Block, ChatMessage, MessageId
from convotui.ui.thread import ThreadView

_AFTER = 20_000
_STEP = 7
"""How many tokens a quick model says while one frame is on the screen."""
_MANY = 400
_UPDATES = 75
_FRAME_SECONDS = 1 / 30


class _Reading(App[None]):
    def compose(self) -> ComposeResult:
        yield ThreadView()


async def _drive(pilot: Pilot[object]) -> dict[str, list[float]]:
    view = pilot.app.query_one(ThreadView)
    reply = ChatMessage(
        MessageId("reply1"), None, "assistant", (), datetime(2026, 1, 1)
    )
    words = code_tokens() if sys.argv[2] == "code" else tokens()
    said: list[str] = []

    async def update(count: int) -> float:
        said.extend(islice(words, count))
        said[:] = ["".join(said)]
        start = time.process_time()
        view.set_tail(replace(reply, blocks=(Block(said[0]),)))
        await asyncio.sleep(_FRAME_SECONDS)
        return time.process_time() - start

    await pilot.pause()
    begin = [await update(_STEP) for _ in range(_UPDATES)]
    # Many at a time, as a screen does that has fallen behind.
    for _ in range(0, _AFTER - _STEP * _UPDATES, _MANY):
        await update(_MANY)
    return {"begin": begin, "later": [await update(_STEP) for _ in range(_UPDATES)]}


if __name__ == "__main__":
    run(_Reading(), _drive)
