"""What a search has found, and where in the tree that is."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence

from convotui.storage import MessageId

MAX_HITS = 1_000


class Hits:
    """The messages that were found, newest first, and their rows from the top."""

    def __init__(self, ids: Sequence[MessageId] = (), typed: str = "") -> None:
        self.ids = ids
        self.words = tuple(typed.lower().replace('"', " ").split())
        """What was looked for, in lower case."""
        self.rows: list[int] = []

    def place(self, rows: Mapping[MessageId, int]) -> None:
        """Take note of where the messages are in the tree on show."""
        self.rows = sorted({rows[hit] for hit in self.ids if hit in rows})

    def next_to(self, row: int, step: int) -> int | None:
        """Return which hit comes after a row, or before it, around the ends."""
        if not self.rows:
            return None
        if step > 0:
            return bisect_right(self.rows, row) % len(self.rows)
        return (bisect_left(self.rows, row) - 1) % len(self.rows)

    def summary(self, at: int) -> str:
        """Return which of how many hits one is."""
        more = "+" if len(self.ids) == MAX_HITS else ""
        return f"hit {at + 1:,}/{len(self.rows):,}{more}"
