"""Where each message of a thread is, though few of them have ever been drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from textual.cache import LRUCache

from convotui.storage.records import ChatMessage, MessageId
from convotui.ui.thread.entry import Entry
from convotui.ui.thread.heights import Heights
from convotui.ui.thread.lines import Line

Draw = Callable[[Entry, int], list[Line]]
"""Draws a unit of a message."""

_KEPT = 1_000
"""How many units are kept as they were drawn."""


class Place(NamedTuple):
    """A line of a thread, told so that it stays the same when others change."""

    entry: int
    unit: int
    line: int


class Layout:
    """The messages of a thread one below the other."""

    def __init__(self, draw: Draw) -> None:
        self.entries: list[Entry] = []
        self.footer = 0
        """How many lines there are below the last message."""
        self._draw = draw
        self._heights = Heights([])
        self._width = 80
        self._drawn: LRUCache[tuple[int, int], list[Line]] = LRUCache(_KEPT)

    @property
    def total(self) -> int:
        """How many lines there are, as far as is known."""
        return self._heights.total + self.footer

    @property
    def last(self) -> Entry:
        """The last message."""
        return self.entries[-1]

    def show(
        self,
        messages: Sequence[ChatMessage],
        siblings: Mapping[MessageId, tuple[int, int]],
    ) -> int:
        """Take a thread, and return how many messages it begins with that were there.

        What is known of those is kept.
        """
        kept = 0
        for entry, message in zip(self.entries, messages, strict=False):
            if entry.message is not message:
                if entry.message.id != message.id:
                    break
                self._replace(entry, message)
            kept += 1
        del self.entries[kept:]
        for position in range(kept, len(messages)):
            self.entries.append(Entry(messages[position], position, self._width))
        for entry in self.entries:
            found = siblings.get(entry.message.id)
            if found != entry.siblings:
                entry.siblings = found
                self.redraw_header(entry)
        self._sum()
        return kept

    def note(self, notes: Mapping[MessageId, str]) -> None:
        """Take what there is to say of where messages came from."""
        for entry in self.entries:
            note = notes.get(entry.message.id, "")
            if note != entry.note:
                entry.note = note
                self.redraw_header(entry)

    def replace_last(self, message: ChatMessage) -> None:
        """Take what the last message has become."""
        self._replace(self.last, message)
        self._adjust(self.last)

    def append(self, message: ChatMessage) -> None:
        """Add a message at the end."""
        self.entries.append(Entry(message, len(self.entries), self._width))
        self._sum()

    def toggle(self, entry: Entry, blocks: set[int], place: Place) -> Place:
        """Open or fold blocks of a message; return where a place has gone."""
        before = entry.divide()
        self._forget(entry, entry.toggle(blocks))
        self._adjust(entry)
        if place.entry != entry.position:
            return place
        unit = before[min(place.unit, len(before) - 1)]
        for number, other in enumerate(entry.divide()):
            if other[:2] == unit[:2] and other.section == unit.section:
                return place._replace(unit=number)
            if other.kind == "title" and other.block == unit.block:
                place = Place(place.entry, number, 0)
        return place

    def redraw_header(self, entry: Entry) -> None:
        """Draw a message's header anew when it is next shown."""
        self._drawn.discard((entry.serial, 0))

    def resize(self, width: int) -> None:
        """Estimate everything at another width."""
        self._width = width
        self.redraw()

    def redraw(self) -> None:
        """Draw everything anew when it is next shown."""
        for entry in self.entries:
            entry.resize(self._width)
        self._sum()

    def place_at(self, line: int) -> Place:
        """The place of a line; the last one there is if it is too far down."""
        line = max(0, min(line, self._heights.total - 1))
        position, offset = self._heights.find(line)
        entry = self.entries[position]
        self._divide(entry)
        offset = min(offset, entry.height - 1)
        for unit, height in enumerate(entry.heights):
            if offset < height:
                return Place(position, unit, offset)
            offset -= height
        return Place(position, len(entry.heights) - 1, 0)

    def line_of(self, place: Place) -> int:
        """The line at which a place is now."""
        entry = self.entries[place.entry]
        unit = min(place.unit, len(entry.heights) - 1)
        line = min(place.line, max(0, entry.heights[unit] - 1))
        return self.start_of(place.entry) + sum(entry.heights[:unit]) + line

    def start_of(self, entry: int) -> int:
        """The first line of a message; of the footer if there is no such message."""
        return self._heights.before(entry)

    def lines_of(self, entry: Entry, unit: int) -> list[Line]:
        """Draw a unit, or return what was drawn of it."""
        key = (entry.serial, unit)
        if (lines := self._drawn.get(key)) is None:
            lines = self._drawn[key] = self._draw(entry, unit)
        return lines

    def settle(self, place: Place, row: int, height: int) -> int:
        """Measure what is on screen when a place is on a row of it.

        Returns:
            The line that is at the top.
        """
        self.measure(place.entry, place.unit)
        while True:
            top = self.line_of(place) - row
            top = max(0, min(top, self.total - height))
            if not self._measure_from(top, height):
                return top

    def visible(self, top: int, height: int) -> Iterator[Place]:
        """The units that have a line on screen, each with its first such line."""
        if not self.entries or top >= self._heights.total:
            return
        place = self.place_at(top)
        room = height
        while room > 0 and place.entry < len(self.entries):
            entry = self.entries[place.entry]
            self._divide(entry)
            if place.unit >= len(entry.heights):
                place = Place(place.entry + 1, 0, 0)
                continue
            yield place
            room -= entry.heights[place.unit] - place.line
            place = Place(place.entry, place.unit + 1, 0)

    def measure(self, position: int, unit: int) -> bool:
        """Draw a unit if it never was; tell whether its height was another."""
        entry = self.entries[position]
        self._divide(entry)
        if unit >= len(entry.heights) or entry.is_drawn[unit]:
            return False
        height = len(self.lines_of(entry, unit))
        entry.is_drawn[unit] = True
        changed = height != entry.heights[unit]
        if changed:
            entry.heights[unit] = height
            self._adjust(entry)
        return changed

    def _measure_from(self, top: int, height: int) -> bool:
        changed = False
        for place in self.visible(top, height):
            changed |= self.measure(place.entry, place.unit)
        return changed

    def _divide(self, entry: Entry) -> None:
        if entry.units is None:
            entry.divide()
            self._adjust(entry)

    def _replace(self, entry: Entry, message: ChatMessage) -> None:
        if entry.units is None or entry.message == message:
            entry.message = message
            return
        self._forget(entry, entry.replace(message))
        # Its facts stand in the header.
        self.redraw_header(entry)

    def _forget(self, entry: Entry, unit: int) -> None:
        for key in list(self._drawn.keys()):
            if key[0] == entry.serial and key[1] >= unit:
                self._drawn.discard(key)

    def _adjust(self, entry: Entry) -> None:
        self._heights.set(entry.position, entry.height)

    def _sum(self) -> None:
        self._heights = Heights([entry.height for entry in self.entries])
