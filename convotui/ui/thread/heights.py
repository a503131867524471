"""Many heights one below the other: any of them can change, at little cost."""

from __future__ import annotations

from collections.abc import Sequence


class Heights:
    """Heights and their sums, kept as a binary indexed tree."""

    def __init__(self, heights: Sequence[int]) -> None:
        self._heights = list(heights)
        self._tree = [0, *heights]
        for index in range(1, len(self._tree)):
            parent = index + (index & -index)
            if parent < len(self._tree):
                self._tree[parent] += self._tree[index]
        self.total = sum(self._heights)

    def set(self, position: int, height: int) -> None:
        """Change one height."""
        change = height - self._heights[position]
        if not change:
            return
        self._heights[position] = height
        self.total += change
        index = position + 1
        while index < len(self._tree):
            self._tree[index] += change
            index += index & -index

    def before(self, position: int) -> int:
        """The sum of the heights before a position."""
        total = 0
        while position > 0:
            total += self._tree[position]
            position -= position & -position
        return total

    def find(self, line: int) -> tuple[int, int]:
        """The position that holds a line, and which line of it that is."""
        position = 0
        step = 1 << len(self._heights).bit_length()
        while step:
            after = position + step
            if after < len(self._tree) and self._tree[after] <= line:
                position = after
                line -= self._tree[after]
            step >>= 1
        return min(position, len(self._heights) - 1), line
