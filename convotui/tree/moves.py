"""Where one can go from a row: in the tree, not on the screen.

All of them take drawn rows, give drawn rows, and give `None` where there is none.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from convotui.tree.forest import Forest


def parent(forest: Forest, row: int) -> int | None:
    """The row that a row hangs from."""
    return _found(forest.parents[row])


def children(forest: Forest, row: int) -> Sequence[int]:
    """The rows that hang from a row, as they are drawn."""
    return forest.children(row)


def first_child(forest: Forest, row: int) -> int | None:
    """The first drawn of the rows that hang from a row."""
    return row + 1 if forest.sizes[row] > 1 else None


def previous_sibling(forest: Forest, row: int) -> int | None:
    """The sibling drawn before a row; roots are each other's siblings."""
    siblings = forest.children(forest.parents[row])
    before = bisect_left(siblings, row)
    return siblings[before - 1] if before else None


def next_sibling(forest: Forest, row: int) -> int | None:
    """The sibling drawn after a row; roots are each other's siblings."""
    above = forest.parents[row]
    end = len(forest) if above < 0 else above + forest.sizes[above]
    sibling = row + forest.sizes[row]
    return sibling if sibling < end else None


def sibling_position(forest: Forest, row: int) -> tuple[int, int]:
    """Which of how many siblings a row is, counted from 1 as they are drawn."""
    siblings = forest.children(forest.parents[row])
    return bisect_left(siblings, row) + 1, len(siblings)


def previous_fork(forest: Forest, row: int) -> int | None:
    """The nearest row drawn before a row that has more than one reply."""
    return _found(forest.forks.rfind(1, 0, row))


def next_fork(forest: Forest, row: int) -> int | None:
    """The nearest row drawn after a row that has more than one reply."""
    return _found(forest.forks.find(1, row + 1))


def path(forest: Forest, row: int) -> list[int]:
    """The rows from the root to a row, both included."""
    rows: list[int] = []
    while row >= 0:
        rows.append(row)
        row = forest.parents[row]
    rows.reverse()
    return rows


def _found(row: int) -> int | None:
    return row if row >= 0 else None
