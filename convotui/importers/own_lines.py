"""convotui's own lines, as `export --format jsonl` writes them: ids are kept.

Lines may stand in any order and more than once, as they do after two files were joined
by git or put one behind the other. Only the ids and where the lines are is held in
memory; what they say is read when its turn comes.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from itertools import count
from typing import Any, BinaryIO

from convotui.importers.documents import MAX_RECORD
from convotui.importers.formats import Format
from convotui.importers.own_message import TOO_NEW, arrival_of, trees_of
from convotui.importers.records import Conversation, UnreadableError
from convotui.importers.shaping import count_of, dict_of, parents_first, text_of
from convotui.importers.sources import Source
from convotui.storage.arrivals import Arrival

_MARK = "convotui"
_VERSION = 1


def _knows(records: Sequence[Any]) -> bool:
    return any(map(_is_line, records))


def _is_line(value: object) -> bool:
    return (count_of(dict_of(value).get(_MARK)) or 0) > 0


def _read(source: Source) -> Iterator[Conversation]:
    with source.open() as file:
        lines = _Lines(source, file)
        lines.find()
        for places in lines.versions():
            for tree in lines.trees(places):
                yield Conversation("", lines.messages(tree))


class _Lines:
    """Where each message is in a file."""

    def __init__(self, source: Source, file: BinaryIO) -> None:
        self._source = source
        self._file = file
        self._places: dict[str, int] = {}
        self._parents: dict[int, str] = {}
        """The parent that the line at a place names, if it names one."""
        self._marks: dict[str, set[bytes]] = {}
        """What tells the lines of a message apart that has more than one."""
        self._others: dict[str, list[int]] = {}
        """Further lines of a message that are not the same."""

    def find(self) -> None:
        """Go through all lines once, and tell those that are of no use."""
        for number in count(1):
            place = self._file.tell()
            if not (line := self._line()):
                break
            end = self._file.tell()
            if reason := self._note(line, place):
                self._source.skip(f"line {number}", reason)
            self._file.seek(end)
        for key in self._others:
            self._put_in_order(key)

    def versions(self) -> Iterator[dict[str, int]]:
        """Yield the places of all messages, then of those that are there once more.

        Lines of one message that differ are brought in one after the other, as if they
        stood in files of their own, each with all that leads to it.
        """
        yield self._places
        most_first = sorted(self._others, key=lambda key: -len(self._others[key]))
        for number in count():
            places: dict[str, int] = {}
            for start in most_first:
                if number >= len(self._others[start]):
                    break
                key: str | None = start
                while key in self._places and key not in places:
                    places[key] = self._place(key, number)
                    key = self._parents.get(places[key])
            if not places:
                return
            yield places

    def trees(self, places: dict[str, int]) -> list[array[int]]:
        """Return the places of each tree of messages, parents before replies."""
        outline = (
            Arrival(key, "user", (), self._parents.get(place))
            for key, place in places.items()
        )
        return [
            array("q", (places[message.key] for message in tree))
            for tree in trees_of(parents_first(outline, None))
        ]

    def messages(self, places: Iterable[int]) -> Iterator[Arrival]:
        """Yield the messages at these places."""
        size = max(1, self._source.size)
        for place in places:
            self._source.at(place / size)
            message = arrival_of(_value(self._line_at(place)), self._source.modified)
            if message is not None:
                yield message

    def _note(self, line: bytes, place: int) -> str | None:
        """Note where a message is; return why a line is of no use."""
        if not line.strip():
            return None
        if len(line) >= MAX_RECORD:
            return "is too long to be read."
        fields = dict_of(_value(line))
        key = text_of(fields.get("id"))
        if key is None or not _is_line(fields):
            return "is no message with an id."
        if fields[_MARK] > _VERSION:
            raise UnreadableError(TOO_NEW)
        if key not in self._places:
            self._places[key] = place
        elif self._is_another(key, line):
            self._others.setdefault(key, []).append(place)
        else:
            return None
        if (parent := text_of(fields.get("parent_id"))) is not None:
            self._parents[place] = parent
        return None

    def _is_another(self, key: str, line: bytes) -> bool:
        """Whether a line of a message that is known is not one of those it has."""
        if key not in self._marks:
            self._marks[key] = {_mark(self._line_at(self._places[key]))}
        marks, mark = self._marks[key], _mark(line)
        is_another = mark not in marks
        marks.add(mark)
        return is_another

    def _put_in_order(self, key: str) -> None:
        """Let the line that says least come first, whatever order they stand in."""
        places = [self._places[key], *self._others[key]]
        lines = {place: self._line_at(place).strip() for place in places}
        places.sort(key=lambda place: (len(lines[place]), lines[place]))
        self._places[key], *self._others[key] = places

    def _place(self, key: str, number: int) -> int:
        others = self._others.get(key, [])
        return others[number] if number < len(others) else self._places[key]

    def _line_at(self, place: int) -> bytes:
        self._file.seek(place)
        return self._line()

    def _line(self) -> bytes:
        """Read a line; of one that is too long, as much as tells so."""
        line = rest = self._file.readline(MAX_RECORD)
        while len(rest) == MAX_RECORD and not rest.endswith(b"\n"):
            rest = self._file.readline(MAX_RECORD)
        return line


def _mark(line: bytes) -> bytes:
    return blake2b(line.strip(), digest_size=12).digest()


def _value(line: bytes) -> Any:
    try:
        return json.loads(line.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return None


FORMAT = Format(
    name="jsonl", program="convotui's own lines", read=_read, knows_records=_knows
)
