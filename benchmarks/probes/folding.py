"""The processor's time that a fold takes in convotui's tree, alone on a screen.

The rows are read from the store and drawn as in the whole screen. What is folded is
the longest conversation among the newest.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from textual.app import App, ComposeResult
from textual.pilot import Pilot

from benchmarks.probes.keys import FOLDS, fold_largest
from benchmarks.probes.screen import run, settle
from convotui.conversations.browsing import Conversations
from convotui.storage import Store
from convotui.ui.panels.tree_panel import TreePanel
from convotui.ui.themes import DARK


class _Alone(App[None]):
    def __init__(self, store: Store) -> None:
        super().__init__()
        self.register_theme(DARK)
        self.theme = DARK.name
        self._panel = TreePanel(Conversations(store.path, lambda: store))
        self.is_loaded = asyncio.Event()

    def compose(self) -> ComposeResult:
        yield self._panel

    def on_mount(self) -> None:
        self._panel.begin(None)
        self._panel.tree_view.focus()

    def on_tree_panel_loaded(self) -> None:
        self.is_loaded.set()


async def _drive(app: _Alone, pilot: Pilot[object]) -> list[float]:
    await app.is_loaded.wait()
    await settle(pilot)
    return await fold_largest(pilot, app.query_one(TreePanel).tree_view, FOLDS)


if __name__ == "__main__":
    with Store(Path(sys.argv[2])) as opened:
        alone = _Alone(opened)
        run(alone, lambda pilot: _drive(alone, pilot))
