"""The processor's time that a key takes in the whole screen, cursor or fold.

Reports two lists of seconds. All threads count, so what is read for a key does too.
"""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

from textual import events
from textual.pilot import Pilot

from benchmarks.probes.screen import run_screen, settle, until_loaded
from benchmarks.stores import RECENT
from convotui.ui.screens.browser import BrowserScreen
from convotui.ui.tree import MessageTree

_MOVES = 90
_WARM = 10
"""How many of the first do not count."""
_PACE_SECONDS = 0.08
FOLDS = 31


async def _drive(
    pilot: Pilot[object], browser: BrowserScreen
) -> dict[str, list[float]]:
    await until_loaded(pilot, browser)
    tree = browser.message_tree
    tree.select(_recent(tree)[RECENT // 2])
    await settle(pilot)
    before = tree.position[0]
    moves = await press(pilot, ["j"] * _MOVES)
    assert tree.position[0] == before + _MOVES
    return {"moves": moves, "folds": await fold_largest(pilot, tree, FOLDS)}


async def fold_largest(
    pilot: Pilot[object], tree: MessageTree, times: int
) -> list[float]:
    """Fold and unfold the longest of the newest conversations."""
    assert tree.cursor is not None
    sizes = tree.cursor.tree.forest.sizes
    tree.select(max(_recent(tree), key=lambda row: sizes[row]))
    await settle(pilot)
    count = tree.position[1]
    folds = await press(pilot, ["space"] * times)
    assert tree.position[1] < count
    return folds


def _recent(tree: MessageTree) -> range:
    """Return the rows that are the same in a store of any size."""
    assert tree.cursor is not None
    count = len(tree.cursor.tree.forest)
    return range(count - RECENT, count)


async def press(pilot: Pilot[object], keys: list[str]) -> list[float]:
    """Press keys, each when the one before is done, and return what they take.

    They come at a fixed pace: a pilot that waits takes as much time as what it awaits.
    """
    taken = []
    for key in keys:
        start = time.process_time()
        pilot.app.post_message(events.Key(key, " " if key == "space" else key))
        await asyncio.sleep(_PACE_SECONDS)
        taken.append(time.process_time() - start)
    return taken[_WARM:]


if __name__ == "__main__":
    run_screen(Path(sys.argv[2]), _drive)
