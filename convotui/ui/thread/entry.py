"""One message of the thread: its units and how many lines each of them takes."""

from __future__ import annotations

from itertools import count

from convotui.storage.records import ChatMessage
from convotui.ui.thread.blocks import Source, Unit, is_foldable, is_said, read, units

_serials = count()


class Entry:
    """A message, divided into units when it first comes near the screen.

    Heights are estimates until a unit has been drawn.
    """

    __slots__ = (
        "_sources",
        "_width",
        "heights",
        "is_drawn",
        "message",
        "note",
        "opened",
        "position",
        "serial",
        "siblings",
        "units",
    )

    def __init__(self, message: ChatMessage, position: int, width: int) -> None:
        self.message = message
        self.position = position
        """Which message of the thread it is."""
        self.siblings: tuple[int, int] | None = None
        """Which of how many replies to the same message it is."""
        self.note = ""
        """Where it came from, if that is worth a word."""
        self.opened: set[int] = set()
        """The blocks that are folded no more."""
        self.units: list[Unit] | None = None
        """`None` until they are needed."""
        self.heights: list[int]
        self.is_drawn: list[bool] = []
        self.serial: int
        """Changes when nothing that was drawn of it holds any more."""
        self._sources: dict[int, Source] = {}
        self._width: int
        self.resize(width)

    @property
    def height(self) -> int:
        """How many lines the message takes, as far as is known."""
        return sum(self.heights)

    def resize(self, width: int) -> None:
        """Forget what was measured and estimate it at another width."""
        self._width = width
        self.serial = next(_serials)
        if self.units is None:
            size = 0
            if self.message.role != "tool_result":
                for block in self.message.blocks:
                    size += len(block.content)
            self.heights = [3 + size // width]
        else:
            self.heights = [self._estimate(unit) for unit in self.units]
            self.is_drawn = [False] * len(self.units)

    def divide(self) -> list[Unit]:
        """Return the units of the message."""
        if self.units is None:
            for number, block in enumerate(self.message.blocks):
                if is_said(block, self.message.role):
                    self._read(number)
            self._redivide()
        assert self.units is not None
        return self.units

    def replace(self, message: ChatMessage) -> int:
        """Take what the message has become; return the first unit that changed."""
        before = self.message.blocks
        self.message = message
        if self.units is None:
            return 0
        self.opened &= self.foldable
        for number, block in enumerate(message.blocks):
            if not is_said(block, message.role) and number not in self.opened:
                self._sources.pop(number, None)
            elif number >= len(before) or block != before[number]:
                self._read(number)
        return self._redivide()

    def toggle(self, blocks: set[int]) -> int:
        """Open blocks, or fold them if all are open; return the first unit changed."""
        if blocks <= self.opened:
            self.opened -= blocks
        else:
            for number in blocks - self.opened:
                self._read(number)
            self.opened |= blocks
        return self._redivide()

    @property
    def foldable(self) -> set[int]:
        """The blocks that can be opened and folded."""
        return {
            number
            for number, block in enumerate(self.message.blocks)
            if is_foldable(block, self.message.role)
        }

    def text_of(self, unit: Unit) -> str:
        """The stored text that a unit shows."""
        if unit.section is None:
            return unit.text
        start, end = unit.section.body
        return self._sources[unit.block].text[start:end]

    def _read(self, number: int) -> None:
        block = self.message.blocks[number]
        source = read(block, self.message.role, self._sources.get(number))
        self._sources[number] = source

    def _redivide(self) -> int:
        before = self.units or []
        after = units(self.message, self._sources, self.opened)
        same = 0
        for old, new in zip(before, after, strict=False):
            if old != new:
                break
            same += 1
        self.units = after
        estimates = [self._estimate(unit) for unit in after[same:]]
        self.heights = [*self.heights[:same], *estimates] if before else estimates
        self.is_drawn = [*self.is_drawn[:same], *[False] * len(estimates)]
        return same

    def _estimate(self, unit: Unit) -> int:
        if unit.section is None:
            return 1 + unit.gap
        start, end = unit.section.body
        text = self._sources[unit.block].text
        lines = text.count("\n", start, end) + (not text.endswith("\n", start, end))
        return unit.gap + max(lines, (end - start) // self._width)
