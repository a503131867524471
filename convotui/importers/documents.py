"""JSON in files of any size: an array's elements, lines, or one object.

Only one record is in memory at a time. What cannot be read is skipped and told, and
the rest comes in.
"""

from __future__ import annotations

import codecs
import io
import json
import math
import re
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, NamedTuple

MAX_RECORD = 100_000_000
"""Characters of one record; what is longer is not read."""

_CHUNK = 1 << 18
_SPACE = re.compile(r"[\s,]*")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*("?)|[\[\]{}]', re.DOTALL)
_DEEPEST = 10_000
"""What is nested deeper was made to be, and is not read to its end."""
_WIDE = {
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
    b"{\0": "utf-16-le",
    b"[\0": "utf-16-le",
    b"\0{": "utf-16-be",
    b"\0[": "utf-16-be",
}
"""How a file begins that is not in UTF-8, with a mark or without."""


def _number(text: str) -> float | str:
    """Read a number; one that is larger than any stays the text that it is."""
    number = float(text)
    return number if math.isfinite(number) else text


DECODER = json.JSONDecoder(parse_float=_number, parse_constant=str)
"""Reads JSON, and nothing into it that could not be written as JSON again."""

Skip = Callable[[str, str], None]
"""Called with where it was and why, for what is left out."""


class Record(NamedTuple):
    """One JSON value of a file."""

    value: Any
    where: str
    """Such as `line 12`."""


def records(stream: BinaryIO, skip: Skip) -> Iterator[Record]:
    """Yield an array's elements, the values on each line, or one object."""
    text = _Text(stream)
    first = text.peek()
    if first == "[":
        text.move(text.position + 1)
        yield from _elements(text, skip)
    elif first == "{":
        yield from _objects(text, skip)


def elements(
    stream: BinaryIO, skip: Skip, beginning: re.Pattern[str]
) -> Iterator[Record]:
    """Yield the elements of an array that begins where `beginning` ends."""
    text = _Text(stream)
    text.peek()
    while (match := beginning.match(text.buffer, text.position)) is None:
        if len(text.buffer) > _CHUNK or not text.grow():
            return
    text.move(match.end())
    yield from _elements(text, skip)


class _Text:
    """Decoded text with a window that moves on, and grows where a record is long."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.buffer = ""
        self.position = 0
        self.line = 1
        self.is_complete = False
        mark = stream.read(2)
        encoding = _WIDE.get(mark, "utf-8-sig")
        decoder = codecs.getincrementaldecoder(encoding)("replace")
        # Whatever ends a line in this file, here it is the one character.
        self._decoder = io.IncrementalNewlineDecoder(decoder, translate=True)
        self.buffer = self._decoder.decode(mark)

    def peek(self) -> str:
        """Move to the next character that is no space, and return it."""
        while True:
            match = _SPACE.match(self.buffer, self.position)
            assert match is not None
            self.move(match.end())
            if self.position < len(self.buffer) or not self.grow():
                return self.buffer[self.position : self.position + 1]

    def move(self, position: int) -> None:
        self.line += self.buffer.count("\n", self.position, position)
        self.position = position

    def grow(self) -> bool:
        """Read on, as much again as is there; whether there was more."""
        if self.is_complete:
            return False
        rest = self.buffer[self.position :]
        data = self._stream.read(max(_CHUNK, len(rest)))
        self.is_complete = not data
        self.buffer = rest + self._decoder.decode(data, final=not data)
        self.position = 0
        return bool(data)

    @property
    def has_room(self) -> bool:
        return len(self.buffer) - self.position < MAX_RECORD


def _elements(text: _Text, skip: Skip) -> Iterator[Record]:
    number = 0
    while (first := text.peek()) and first != "]":
        number += 1
        where = f"item {number} (line {text.line})"
        try:
            value = _value(text)
        except _BadValueError as error:
            skip(where, str(error))
            if not _pass_over(text):
                return
        else:
            yield Record(value, where)
    if not first:
        skip(f"line {text.line}", "the file ends in the middle of its list.")


def _objects(text: _Text, skip: Skip) -> Iterator[Record]:
    """Yield one object after the other, whether each is on a line of its own or not."""
    while first := text.peek():
        where = f"line {text.line}"
        try:
            if first != "{":
                raise _BadValueError("is no JSON object.")
            value = _value(text)
        except _BadValueError as error:
            skip(where, str(error))
            _to_next_object(text)
        else:
            yield Record(value, where)


class _BadValueError(ValueError):
    """A value cannot be read; the text says why."""


def _value(text: _Text) -> Any:
    while True:
        try:
            value, end = DECODER.raw_decode(text.buffer, text.position)
        except json.JSONDecodeError as error:
            if _may_go_on(error, text) and text.has_room and text.grow():
                continue
            if not text.has_room:
                raise _BadValueError("is too long to be read.") from None
            raise _BadValueError(f"is no JSON ({error.msg}).") from None
        except RecursionError:
            raise _BadValueError("is nested too deeply.") from None
        except ValueError:
            raise _BadValueError("holds a number that is too long.") from None
        # A number at the very end may go on in what is not read yet.
        if end == len(text.buffer) and text.grow():
            continue
        text.move(end)
        return value


def _may_go_on(error: json.JSONDecodeError, text: _Text) -> bool:
    """Whether what is wrong may only be that the rest was not read yet."""
    is_open = error.msg.startswith("Unterminated string")
    return is_open or error.pos > len(text.buffer) - 16


def _pass_over(text: _Text) -> bool:
    """Move behind a value that cannot be read; whether its end was found."""
    if text.buffer[text.position] not in "[{":
        return False
    depth = 0
    while True:
        for match in _TOKEN.finditer(text.buffer, text.position):
            if match[1] == "":
                # A string that goes on in what is not read yet.
                break
            if match[1] is None:
                depth += 1 if match[0] in "[{" else -1
            text.move(match.end())
            if depth == 0:
                return True
            if depth > _DEEPEST:
                return False
        else:
            text.move(len(text.buffer))
        if not text.has_room or not text.grow():
            return False


def _to_next_object(text: _Text) -> None:
    """Move to the next line that begins an object; what lies between cannot be one."""
    while True:
        if (end := text.buffer.find("\n{", text.position)) >= 0:
            text.move(end + 1)
            return
        # The line may end with the last character that was read.
        text.move(max(text.position, len(text.buffer) - 1))
        if not text.grow():
            text.move(len(text.buffer))
            return
