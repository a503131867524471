"""The tree of messages: which rows there are, where they are drawn, where one can go.

A `Forest` lays an outline out in rows: every message once, parents above their replies,
each subtree a run of rows, what was last active at the bottom. Orphans and cycles give
roots, and no tree is too deep, too wide or too large. A forest never changes. `Folds`
say which of its rows are on show, `moves` where one can go, `graph` what is drawn in
front of a message, and `shown` which messages a `Filter` leaves for the forest.
"""

from convotui.tree import moves
from convotui.tree.draw import ASCII, MAX_LANES, UNICODE, Glyphs, graph
from convotui.tree.filters import Filter, shown
from convotui.tree.folds import Folds
from convotui.tree.forest import FORKED, ORPHAN, ROOT, Forest

__all__ = [
    "ASCII",
    "FORKED",
    "MAX_LANES",
    "ORPHAN",
    "ROOT",
    "UNICODE",
    "Filter",
    "Folds",
    "Forest",
    "Glyphs",
    "graph",
    "moves",
    "shown",
]
