"""Which rows of a forest are folded, and what that leaves on show."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable

from convotui.tree.forest import Forest


class Folds:
    """The folded rows of a forest, and the index on show of all that is not hidden.

    A fold hides everything below its row. It stays when a fold around it opens or
    closes. A row with nothing below it cannot be folded. Every change costs as much as
    there are folds, whatever the size of the forest.
    """

    def __init__(self, forest: Forest, folded: Iterable[int] = ()) -> None:
        self._forest = forest
        self._set(folded)

    def __len__(self) -> int:
        return len(self._forest) - self._hidden[-1]

    def row_at(self, index: int) -> int:
        """The row that is on show at an index.

        Raises:
            IndexError: If there is none.
        """
        if not 0 <= index < len(self):
            raise IndexError(index)
        return index + self._hidden[bisect_left(self._indexes, index)]

    def index_of(self, row: int) -> int:
        """The index on show of a row, or of the outermost fold that hides it."""
        before = bisect_right(self._outer, row)
        if before:
            fold = self._outer[before - 1]
            if row < fold + self._forest.sizes[fold]:
                return self._indexes[before - 1]
        return row - self._hidden[before]

    def is_folded(self, row: int) -> bool:
        """Whether what is below a row is hidden by the row itself."""
        found = bisect_left(self._folded, row)
        return found < len(self._folded) and self._folded[found] == row

    def folded_rows(self) -> list[int]:
        """Every folded row, those inside other folds too, from the top."""
        return self._folded.copy()

    def hidden_below(self, row: int) -> int:
        """How many rows a folded row hides; none if it is not folded."""
        return self._forest.sizes[row] - 1 if self.is_folded(row) else 0

    def fold(self, row: int) -> None:
        """Hide what is below a row."""
        if self._forest.sizes[row] > 1 and not self.is_folded(row):
            insort(self._folded, row)
            self._settle()

    def unfold(self, row: int) -> None:
        """Show what is below a row again, but for the folds inside."""
        if self.is_folded(row):
            del self._folded[bisect_left(self._folded, row)]
            self._settle()

    def toggle(self, row: int) -> None:
        """Fold a row, or unfold it if it is folded."""
        if self.is_folded(row):
            self.unfold(row)
        else:
            self.fold(row)

    def unfold_all(self) -> None:
        """Show every row."""
        self._set(())

    def reveal(self, row: int) -> None:
        """Open every fold that hides a row; its own stays."""
        sizes = self._forest.sizes
        self._set(f for f in self._folded if not f < row < f + sizes[f])

    def fold_others(self, row: int) -> None:
        """Fold everything but what leads to a row and what is below it."""
        sizes, parents = self._forest.sizes, self._forest.parents
        others: list[int] = []
        kept = row
        while kept >= 0:
            parent = parents[kept]
            end = len(self._forest) if parent < 0 else parent + sizes[parent]
            sibling = parent + 1
            while sibling < end:
                if sibling != kept:
                    others.append(sibling)
                sibling += sizes[sibling]
            kept = parent
        self._set(others)

    def _set(self, folded: Iterable[int]) -> None:
        sizes = self._forest.sizes
        self._folded = sorted({row for row in folded if sizes[row] > 1})
        self._settle()

    def _settle(self) -> None:
        """Work out which folds no other fold hides, and what they leave on show."""
        sizes = self._forest.sizes
        self._outer: list[int] = []
        self._indexes: list[int] = []
        """The index on show of each outer fold."""
        self._hidden = [0]
        """Item k is how many rows the first k outer folds hide."""
        hidden = end = 0
        for row in self._folded:
            if row < end:
                continue
            self._outer.append(row)
            self._indexes.append(row - hidden)
            hidden += sizes[row] - 1
            self._hidden.append(hidden)
            end = row + sizes[row]
