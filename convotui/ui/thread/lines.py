"""Text with styles, wrapped into the lines of a screen."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from rich.cells import chop_cells
from rich.style import Style

from convotui.text import visible, width_of

Run: TypeAlias = tuple[str, Style]
"""A piece of text and how it looks."""

PLAIN = Style()
TAB = 4

_WORD = re.compile(r"\S+\s*|\s+")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the screen."""

    runs: tuple[Run, ...] = ()
    skip: int = 0
    """How many characters at its beginning are drawn but not copied."""
    join: str = "\n"
    """What stands between it and the line above when both are copied."""
    fill: Style | None = None
    """The style of the rest of the line, if it has one of its own."""

    @property
    def text(self) -> str:
        """What is on the line."""
        return "".join(text for text, _ in self.runs)

    @property
    def width(self) -> int:
        """How many cells it takes."""
        return sum(width_of(text) for text, _ in self.runs)


BLANK = Line()


def clean(text: str) -> str:
    """Return `text` fit to be shown, with tabs made spaces."""
    return visible(text).expandtabs(TAB)


def wrap(runs: Sequence[Run], width: int) -> list[Line]:
    """Break text between words into lines no wider than `width`."""
    return [
        line
        for paragraph in _split(runs)
        for line in _broken(paragraph, width, by_words=True)
    ]


def fold(runs: Sequence[Run], width: int) -> list[Line]:
    """Break text wherever `width` is reached, keeping every space."""
    return [
        line
        for paragraph in _split(runs)
        for line in _broken(paragraph, width, by_words=False)
    ]


def indent(
    lines: Iterable[Line], first: Run, rest: Run, *, drawn: bool = False
) -> list[Line]:
    """Put `first` before the first line and `rest` before every other.

    What is only `drawn` is left out when the lines are copied, as is the indent of a
    line that is.
    """
    indented = []
    for number, line in enumerate(lines):
        prefix = rest if number else first
        skips = drawn or line.skip or (number and line.join != "\n")
        indented.append(
            replace(
                line,
                runs=(prefix, *line.runs),
                skip=line.skip + len(prefix[0]) if skips else 0,
            )
        )
    return indented


def _split(runs: Sequence[Run]) -> list[list[Run]]:
    """Divide text at its newlines."""
    paragraphs: list[list[Run]] = [[]]
    for text, style in runs:
        head, *tail = text.split("\n")
        paragraphs[-1].append((head, style))
        paragraphs.extend([(piece, style)] for piece in tail)
    return paragraphs


def _broken(runs: Sequence[Run], width: int, *, by_words: bool) -> list[Line]:
    text = "".join(text for text, _ in runs)
    breaks = (_word_breaks if by_words else _cell_breaks)(text, width)
    if not breaks:
        return [Line(tuple(run for run in runs if run[0]))]
    lines = []
    ends = [*breaks, len(text)]
    start = 0
    for end, part in zip(ends, _parts(runs, ends), strict=True):
        spaced = by_words and start and text[start - 1].isspace()
        join = "\n" if not start else " " if spaced else ""
        lines.append(Line(_stripped(part) if by_words else tuple(part), join=join))
        start = end
    return lines


def _parts(runs: Sequence[Run], ends: Sequence[int]) -> Iterator[list[Run]]:
    """Divide runs of text at the given places."""
    left = iter(runs)
    text, style = next(left)
    position = 0
    for end in ends:
        part = []
        while position < end:
            while not text:
                text, style = next(left)
            piece, text = text[: end - position], text[end - position :]
            part.append((piece, style))
            position += len(piece)
        yield part


def _stripped(part: list[Run]) -> tuple[Run, ...]:
    """Leave out the spaces at the end of a line."""
    while part:
        text, style = part.pop()
        if text := text.rstrip():
            return (*part, (text, style))
    return ()


def _cell_breaks(text: str, width: int) -> list[int]:
    if text.isascii():
        return list(range(width, len(text), width))
    breaks = []
    position = 0
    for piece in chop_cells(text, width)[:-1]:
        position += len(piece)
        breaks.append(position)
    return breaks


def _word_breaks(text: str, width: int) -> list[int]:
    if len(text) <= width and text.isascii():
        return []
    breaks = []
    column = 0
    for match in _WORD.finditer(text):
        word = match[0].rstrip()
        size = width_of(word)
        if column + size > width:
            # What cannot stand on one line, or is written without spaces, fills the
            # line it begins on.
            room = width - column
            if size > width or (size > len(word) and room > 1):
                first = chop_cells(word, room)[0] if room > 1 else ""
                position = match.start() + len(first)
                if position:
                    breaks.append(position)
                pieces = chop_cells(word[len(first) :], width) or [""]
                for piece in pieces[:-1]:
                    position += len(piece)
                    breaks.append(position)
                column = width_of(pieces[-1])
            else:
                if match.start():
                    breaks.append(match.start())
                column = size
        else:
            column += size
        column += width_of(match[0][len(word) :])
    return breaks
