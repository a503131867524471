"""The tree of all messages, as a screen shows it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from convotui.storage import MessageId, Outline, Preview
from convotui.tree import Filter, Forest, moves


@dataclass(frozen=True, slots=True)
class Tree:
    """All messages at one moment, laid out as a filter shows them."""

    outline: Outline
    forest: Forest
    by: Filter

    def id_at(self, row: int) -> MessageId:
        """Return the message that a row shows."""
        return self.outline.ids[self.forest.positions[row]]

    def rows_of(self, message_ids: Collection[MessageId]) -> dict[MessageId, int]:
        """Return the rows of these messages, or of the nearest ancestors on show."""
        places = self.outline.ids.positions_of(message_ids)
        rows = {name: self.forest.nearest_row(at) for name, at in places.items()}
        return {MessageId(name): row for name, row in rows.items() if row is not None}

    def added_to(self, before: Tree) -> Sequence[MessageId]:
        """Return what has been added at the end of time since an earlier reading."""
        known, ids = before.outline.ids, self.outline.ids
        last = len(known) - 1
        if 0 <= last < len(ids) and ids[last] == known[last]:
            return ids[last + 1 :]
        return []

    def siblings(self, row: int, limit: int) -> dict[MessageId, tuple[int, int]]:
        """Return which of how many replies each message on the way to a row is.

        Messages that are the only reply are left out, and so are those that begin a
        conversation, and those more than `limit` messages further up.
        """
        forest, step = self.forest, row
        found: dict[MessageId, tuple[int, int]] = {}
        for _ in range(limit):
            parent = forest.parents[step]
            if parent < 0:
                break
            if forest.forks[parent]:
                found[self.id_at(step)] = moves.sibling_position(forest, step)
            step = parent
        return found


@dataclass(frozen=True, slots=True)
class ShownRow:
    """What a row of the tree shows, and how much of its id is unique."""

    preview: Preview
    prefix: int
