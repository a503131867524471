"""Which row every message is drawn in, and which lane; flat arrays and no objects."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from convotui.storage.records import MISSING_PARENT, NO_PARENT, Outline
from convotui.tree.ancestry import ancestry, link, measure

ROOT = 1
"""In `Forest.flags`: the row hangs from no other row."""
FORKED = 2
"""In `Forest.flags`: the row opens a lane beside its parent's."""
ORPHAN = 4
"""In `Forest.flags`: the row is a root only because its parent is not there."""

_CROWD = 64
"""From this many siblings on, finding them is worth remembering."""


class Forest:
    """An outline's messages in the order they are drawn, each above its replies.

    Siblings, and roots, are sorted by the newest message below them, newest last. The
    last reply keeps its parent's lane and each of the others opens the next one, so a
    thread that never forks is one lane wide however long it grows. A subtree is a run
    of rows. Where messages are hidden, it is the forest of those that are shown, each
    hanging from its nearest ancestor on show.
    """

    positions: array[int]
    """The row's message, as its position in the outline."""
    lanes: array[int]
    """How many lanes pass to the left of the row's own."""
    parents: array[int]
    """The row of the parent, or `NO_PARENT`."""
    sizes: array[int]
    """How many rows the subtree has, its first included."""
    flags: bytearray
    """`ROOT`, `FORKED` and `ORPHAN`, added up."""
    forks: bytearray
    """1 for every row with more than one reply, 0 for the others."""

    def __init__(self, outline: Outline, shown: bytearray | None = None) -> None:
        above = ancestry(outline)
        links = link(above, shown)
        order = above.order
        if shown is not None:
            order = array("i", (position for position in order if shown[position]))
        self._allocate(len(links), len(order))
        self._lay_out(above.parents, links, order)
        if shown is not None:
            self._point_up(links, shown)
        self._crowds: dict[int, array[int]] = {}

    def __len__(self) -> int:
        return len(self.positions)

    def row_of(self, position: int) -> int | None:
        """The row of a message, or `None` if it has none."""
        row = self._rows[position] if position >= 0 else -1
        return row if row >= 0 else None

    def nearest_row(self, position: int) -> int | None:
        """The row of a message or else of its nearest ancestor that has one."""
        row = self._rows[position] if position >= 0 else -1
        if row == -1:
            return None
        return row if row >= 0 else -2 - row

    def line_top(self, row: int) -> int:
        """The row in which the lane of a row begins."""
        # All subtrees along a lane end in the same row.
        return self._tops[row + self.sizes[row] - 1]

    def children(self, row: int) -> Sequence[int]:
        """The rows that hang from a row, or the roots for `NO_PARENT`, as drawn."""
        if row in self._crowds:
            return self._crowds[row]
        sizes = self.sizes
        end = len(self) if row == NO_PARENT else row + sizes[row]
        found = array("i")
        child = row + 1
        while child < end:
            found.append(child)
            child += sizes[child]
        if len(found) >= _CROWD:
            self._crowds[row] = found
        return found

    def _allocate(self, messages: int, rows: int) -> None:
        none = array("i", [-1])
        self._rows = none * (messages + 1)
        """By position; the last item is for `NO_PARENT`, as in `measure`."""
        self.positions, self.lanes = none * rows, none * rows
        self.parents, self.sizes = none * rows, none * rows
        self.flags, self.forks = bytearray(rows), bytearray(rows)
        self._tops = none * rows
        """By the last row of each lane, its first."""

    def _lay_out(
        self, parents: array[int], links: array[int], order: Sequence[int]
    ) -> None:
        """Fill the arrays one line of last replies after the other, newest line first.

        A line is what has the same newest message below it: it shares a lane, and all
        its subtrees end in the same row.
        """
        rows, positions, lanes = self._rows, self.positions, self.lanes
        above, sizes, flags, forks = self.parents, self.sizes, self.flags, self.forks
        tops = self._tops
        newest, below = measure(links, order)
        # By position, once it has a row, the one before which a message's older replies
        # have to end. By then nobody asks how many messages are below it.
        ends = below
        for tip in range(len(links) - 1, -1, -1):
            if newest[tip] != tip:
                continue
            top, parent = tip, links[tip]
            while newest[parent] == tip:
                top, parent = parent, links[parent]
            end, fork = ends[parent], rows[parent]
            if parent < 0:
                lane = 0
                flag = ROOT | ORPHAN if parents[top] == MISSING_PARENT else ROOT
            elif end == fork + sizes[fork]:
                # A last reply after all, only older than what it replies to.
                lane, flag = lanes[fork], 0
            else:
                lane, flag = lanes[fork] + 1, FORKED
                forks[fork] = 1

            message, last, row = tip, end, end - below[tip]
            while True:
                ends[message] = last
                rows[message] = row
                positions[row] = message
                lanes[row] = lane
                sizes[row] = end - row
                if message == top:
                    break
                message = links[message]
                last, row = row, end - below[message]
                above[last] = row
            ends[parent] = row
            if flag:
                tops[end - 1] = row
            above[row] = fork
            flags[row] = flag

    def _point_up(self, links: array[int], shown: bytearray) -> None:
        """Keep the rows that hidden messages hang from, counted down from -2."""
        rows = self._rows
        for position, ancestor in enumerate(links):
            if ancestor >= 0 and not shown[position]:
                rows[position] = -2 - rows[ancestor]
