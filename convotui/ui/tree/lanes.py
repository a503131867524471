"""The graph of a row in colours: one for each branch, and the way to the cursor bright.

Nothing here walks along a thread: a row finds the branches it is in by leaping from
fork to fork, so a row costs as much as it has lanes.
"""

from __future__ import annotations

from dataclasses import dataclass

from convotui.tree import FORKED, ORPHAN, ROOT, Forest, Glyphs

COLOURS = 6
"""How many colours there are before one is used again."""

MAX_LANES = 12


@dataclass(frozen=True, slots=True)
class Piece:
    """Two cells of a graph, or its mark, which is one."""

    text: str
    colour: int
    """Which of the colours its branch has; -1 for lanes that are left out."""
    on_path: bool
    """Whether the way from the root to the cursor passes here."""


def draw(forest: Forest, row: int, cursor: int, glyphs: Glyphs) -> list[Piece]:
    """Return the graph of a row, from the left."""
    sizes, parents = forest.sizes, forest.parents
    flags = forest.flags[row]
    mark = glyphs.node
    if flags & ROOT:
        mark = glyphs.orphan if flags & ORPHAN else glyphs.root
    pieces = [Piece(mark, _colour(forest, row), row <= cursor < row + sizes[row])]
    inner = row
    for _ in range(min(forest.lanes[row], MAX_LANES)):
        # The first row of the branch, and the fork above it in the lane to the left.
        top = forest.line_top(inner)
        fork = parents[top]
        glyph = glyphs.fork if inner == row and flags & FORKED else glyphs.lane
        ends = fork + sizes[fork]
        passed = top + sizes[top] <= cursor < ends
        turned = top == row and row <= cursor < row + sizes[row]
        pieces.append(Piece(glyph, _colour(forest, fork), passed or turned))
        inner = fork
    if forest.lanes[row] > MAX_LANES:
        pieces.append(Piece(glyphs.ellipsis, -1, False))
    return pieces[::-1]


def _colour(forest: Forest, row: int) -> int:
    # The first message of a branch never moves in time, so its colour stays too.
    return forest.positions[forest.line_top(row)] % COLOURS
