"""The processor's time that a fold takes in Textual's own tree, alone on a screen.

It has as many rows as the store, in conversations of one level: it cannot be as deep
as a thread. The conversation that is folded is about as long as in `folding`.
"""

from __future__ import annotations

import sys
import time

from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.widgets import Tree

from benchmarks.probes.screen import run

_FOLDS = 8
_LENGTH = 200


class _Reference(App[None]):
    def __init__(self, rows: int) -> None:
        super().__init__()
        self._rows = rows

    def compose(self) -> ComposeResult:
        tree: Tree[int] = Tree("all")
        tree.show_root = False
        tree.root.expand()
        for number in range(self._rows // _LENGTH):
            conversation = tree.root.add(f"Message {number}", expand=True)
            for reply in range(_LENGTH - 1):
                conversation.add_leaf(f"Message {number} {reply}")
        yield tree


async def _drive(pilot: Pilot[object]) -> list[float]:
    tree = pilot.app.query_one(Tree)
    await pilot.pause()
    # At the end of the tree, as in the other screen.
    folded = tree.root.children[-1]
    taken = []
    for _ in range(_FOLDS):
        start = time.process_time()
        folded.toggle()
        await pilot.pause()
        # It builds its lines when it is next asked for one, at the latest now.
        assert tree.last_line >= 0
        taken.append(time.process_time() - start)
    return taken[1:]


if __name__ == "__main__":
    run(_Reference(int(sys.argv[2])), _drive)
