"""Text selected with the mouse.

A line is known to Textual by a number made of the message, the unit and the line in
it: unlike its place in the thread, that stays when more is measured above it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.style import Style
from textual.geometry import Offset
from textual.selection import Selection

from convotui.text import visible
from convotui.ui.thread.layout import Layout, Place
from convotui.ui.thread.lines import Line, Run

_LINES = 20
_UNITS = 24


def number_of(place: Place) -> int:
    """The number by which Textual knows a line."""
    return (((place.entry << _UNITS) + place.unit) << _LINES) + place.line


def place_of(number: int) -> Place:
    """The line that has a number."""
    unit = number >> _LINES
    line = number & ((1 << _LINES) - 1)
    return Place(unit >> _UNITS, unit & ((1 << _UNITS) - 1), line)


def of_message(entry: int) -> Selection:
    """The selection of a whole message."""
    start = number_of(Place(entry, 0, 0))
    return Selection(Offset(0, start), Offset(0, number_of(Place(entry + 1, 0, 0))))


def marked(runs: list[Run], span: tuple[int, int], style: Style) -> list[Run]:
    """Give a range of characters another style."""
    start, end = span
    position = 0
    result: list[Run] = []
    for text, before in runs:
        stop = len(text) if end < 0 else min(max(0, end - position), len(text))
        begin = min(max(0, start - position), stop)
        pieces = (
            (text[:begin], before),
            (text[begin:stop], before + style),
            (text[stop:], before),
        )
        result += [piece for piece in pieces if piece[0]]
        position += len(text)
    return result


def extract(layout: Layout, selection: Selection, margin: int) -> str:
    """The selected text as it reads: wrapped lines joined, what is only drawn left out.

    Of messages that were never drawn it is the text as it was written. `margin` is how
    many characters are drawn before each line.
    """
    text: list[str] = []
    for line, span in _selected(layout, selection):
        if isinstance(line, str):
            text += ["\n" * bool(text), line]
            continue
        start, end = span
        shown = line.text
        stop = len(shown) if end < 0 else max(0, end - margin)
        piece = shown[max(line.skip, start - margin) : stop].rstrip()
        text += [line.join if text else "", piece]
    return "".join(text)


def _selected(
    layout: Layout, selection: Selection
) -> Iterator[tuple[Line | str, tuple[int, int]]]:
    """Every selected line with the range of it that is."""
    first = place_of(selection.start.y) if selection.start else Place(0, 0, 0)
    end = Place(len(layout.entries), 0, 0)
    last = place_of(selection.end.y) if selection.end else end
    for entry in layout.entries[first.entry : last.entry + 1]:
        ends = entry.position in (first.entry, last.entry)
        if entry.units is None and not ends:
            yield visible(entry.message.text), (0, -1)
            continue
        for unit, content in enumerate(entry.divide()):
            here = (entry.position, unit)
            if here < first[:2] or here > last[:2]:
                continue
            if not entry.is_drawn[unit] and first[:2] < here < last[:2]:
                yield visible(entry.text_of(content)).rstrip("\n"), (0, -1)
                continue
            for number, line in enumerate(layout.lines_of(entry, unit)):
                span = selection.get_span(number_of(Place(*here, number)))
                if span is not None and span[0] != span[1]:
                    yield line, span


def found(runs: list[Run], words: Sequence[str], style: Style) -> list[Run]:
    """Mark every place where one of some words stands, whatever its case."""
    text = "".join(text for text, _ in runs)
    lowered = text.lower()
    if len(lowered) != len(text):
        return runs
    for word in words:
        start = lowered.find(word)
        while start >= 0:
            runs = marked(runs, (start, start + len(word)), style)
            start = lowered.find(word, start + len(word))
    return runs
