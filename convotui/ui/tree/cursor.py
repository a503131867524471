"""A cursor in a tree of which parts may be folded; it knows nothing of a screen."""

from __future__ import annotations

from collections.abc import Iterable

from convotui.conversations.trees import Tree
from convotui.storage import MessageId
from convotui.tree import Folds, moves

NO_MOVE = {
    "parent": "This message begins a conversation.",
    "first_child": "There are no replies below.",
    "previous_sibling": "There is no other reply before this one.",
    "next_sibling": "There is no other reply after this one.",
    "previous_fork": "There is no fork further up.",
    "next_fork": "There is no fork further down.",
}
"""Why a move was not made."""


class Cursor:
    """One message of a tree, and what is folded around it.

    The message may be folded away; then the row is that of the fold. Every step returns
    why it could not be made, or `None` if it was.
    """

    def __init__(
        self, tree: Tree, row: int | None = None, folded: Iterable[int] = ()
    ) -> None:
        self.tree = tree
        self.folds = Folds(tree.forest, folded)
        last = len(tree.forest) - 1
        self._row = max(0, last if row is None else min(row, last))

    @property
    def count(self) -> int:
        """How many rows are on show."""
        return len(self.folds)

    @property
    def index(self) -> int:
        """Which of the rows on show it is."""
        return self.folds.index_of(self._row) if self.count else 0

    @property
    def position(self) -> tuple[int, int]:
        """Which of the rows on show it is, counted from 1, and how many there are."""
        return (self.index + 1 if self.count else 0), self.count

    @property
    def row(self) -> int | None:
        """Its row in the forest, or `None` if there are no rows."""
        return self.folds.row_at(self.index) if self.count else None

    @property
    def message_id(self) -> MessageId | None:
        """The message of its row."""
        return None if self.row is None else self.tree.id_at(self.row)

    def id_at(self, index: int) -> MessageId:
        """Return the message at an index on show."""
        return self.tree.id_at(self.folds.row_at(index))

    def near(self, limit: int) -> list[MessageId]:
        """Return its message and those above it, nearest first, some at most."""
        found: list[MessageId] = []
        row = -1 if self.row is None else self.row
        while row >= 0 and len(found) < limit:
            found.append(self.tree.id_at(row))
            row = self.tree.forest.parents[row]
        return found

    def select(self, row: int) -> None:
        """Move to a row, and open what hides it."""
        self.folds.reveal(row)
        self._row = row

    def move_to(self, index: int) -> None:
        """Move to an index on show, or to the nearest end."""
        if self.count:
            self._row = self.folds.row_at(max(0, min(index, self.count - 1)))

    def step(self, name: str) -> str | None:
        """Take a step by its name: one of the methods below, or of `moves`."""
        if self.row is None:
            return "There are no messages yet."
        if name in NO_MOVE:
            return self._go(name)
        found: str | None = getattr(self, name)()
        return found

    def down(self) -> None:
        """Move one row down."""
        self.move_to(self.index + 1)

    def up(self) -> None:
        """Move one row up."""
        self.move_to(self.index - 1)

    def top(self) -> None:
        """Move to the first row."""
        self.move_to(0)

    def bottom(self) -> None:
        """Move to the last row."""
        self.move_to(self.count - 1)

    def newest(self) -> None:
        """Move to the newest message, or to the nearest row above it."""
        row = self.tree.forest.nearest_row(len(self.tree.outline) - 1)
        if row is not None:
            self.select(row)

    def out(self) -> str | None:
        """Fold, or move to the parent if there is nothing to fold."""
        row = self.row
        assert row is not None
        if self.tree.forest.sizes[row] > 1 and not self.folds.is_folded(row):
            return self.fold()
        return self._go("parent")

    def into(self) -> str | None:
        """Unfold, or move to the first reply if there is nothing to unfold."""
        row = self.row
        assert row is not None
        return self.fold() if self.folds.is_folded(row) else self._go("first_child")

    def fold(self) -> str | None:
        """Fold the row, or unfold it."""
        row = self.row
        assert row is not None
        if self.tree.forest.sizes[row] == 1:
            return "There are no replies to fold."
        self.folds.toggle(row)
        self._row = row
        return None

    def fold_others(self) -> None:
        """Fold everything but the way here and what is below."""
        assert self.row is not None
        self.folds.fold_others(self.row)

    def unfold_all(self) -> None:
        """Show every row."""
        self.folds.unfold_all()

    def _go(self, where: str) -> str | None:
        target: int | None = getattr(moves, where)(self.tree.forest, self.row)
        if target is None:
            return NO_MOVE[where]
        self.select(target)
        return None
