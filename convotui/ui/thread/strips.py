"""A line of the thread across the whole width of the screen."""

from __future__ import annotations

from rich.style import Style

from convotui.text import width_of
from convotui.ui.thread.layout import Layout, Place
from convotui.ui.thread.lines import PLAIN, Run
from convotui.ui.thread.palette import Palette

MARGIN = 2
"""How many cells the bar at the left takes."""


def runs_of(
    layout: Layout, place: Place, palette: Palette, width: int, highlighted: int
) -> list[Run]:
    """Return what is on a line, with the bar of its message."""
    entry = layout.entries[place.entry]
    lines = layout.lines_of(entry, place.unit)
    is_header = place.unit == 0 and place.line == len(lines) - 1
    if place.unit == 0 and not is_header:
        return [(" " * MARGIN, PLAIN)]
    line = lines[min(place.line, len(lines) - 1)]
    role = palette.role(entry.message.role)
    bar = Style(color=palette[role].color, dim=palette[role].dim)
    runs = [(palette.signs.bars[role].ljust(MARGIN), bar), *line.runs]
    fill = line.fill
    if is_header and place.entry == highlighted:
        fill = palette["highlight"]
        runs = [(text, style + fill) for text, style in runs]
    if fill is not None:
        spare = width - sum(width_of(text) for text, _ in runs)
        runs.append((" " * max(0, spare), fill))
    return runs
