"""Tables in columns, or row by row where columns find no room."""

from __future__ import annotations

from collections.abc import Sequence

from rich.style import Style

from convotui.text import width_of
from convotui.ui.thread.lines import BLANK, PLAIN, Line, Run, indent, wrap
from convotui.ui.thread.palette import Palette

Cell = list[Run]

_NARROWEST = 6


def table(
    rows: Sequence[Sequence[Cell]],
    sides: Sequence[str],
    palette: Palette,
    width: int,
) -> list[Line]:
    """Draw rows, of which the first is the heading; `sides` says how columns align."""
    count = max(map(len, rows), default=0)
    natural = [
        max((_width(row[column]) for row in rows if column < len(row)), default=0)
        for column in range(count)
    ]
    widths = _fitted(natural, width - 3 * (count - 1))
    if widths is None:
        return _records(rows, palette, width)
    column, crossing = palette.signs.column, palette.signs.crossing
    rule = palette.signs.rule
    line = f"{rule}{crossing}{rule}".join(rule * cells for cells in widths)
    heading, *body = rows
    bold = [[(text, style + Style(bold=True)) for text, style in c] for c in heading]
    between: Run = (f" {column} ", palette["table"])
    drawn = _row(bold, widths, sides, between)
    drawn.append(Line(((line, palette["table"]),)))
    for row in body:
        drawn += _row(row, widths, sides, between)
    return drawn


def _fitted(natural: Sequence[int], room: int) -> list[int] | None:
    """Narrow the widest columns until all fit; `None` if they cannot."""
    if sum(min(cells, _NARROWEST) for cells in natural) > room:
        return None
    if sum(natural) <= room:
        return [max(1, cells) for cells in natural]
    low, high = 1, max(natural)
    while low < high:
        middle = (low + high + 1) // 2
        if sum(min(cells, middle) for cells in natural) <= room:
            low = middle
        else:
            high = middle - 1
    widths = [max(1, min(cells, low)) for cells in natural]
    spare = room - sum(widths)
    for column, cells in enumerate(natural):
        if spare > 0 and cells > widths[column]:
            widths[column] += 1
            spare -= 1
    return widths


def _row(
    cells: Sequence[Cell], widths: Sequence[int], sides: Sequence[str], between: Run
) -> list[Line]:
    missing: list[Cell] = [[]] * (len(widths) - len(cells))
    filled = [*cells, *missing]
    columns = [wrap(cell, size) for cell, size in zip(filled, widths, strict=True)]
    height = max(map(len, columns), default=1)
    lines = []
    for number in range(height):
        runs: list[Run] = []
        for column, (shown, width) in enumerate(zip(columns, widths, strict=True)):
            line = shown[number] if number < len(shown) else BLANK
            if column:
                runs.append(between)
            runs += _aligned(line, width, sides[column] if column < len(sides) else "")
        lines.append(Line(tuple(runs)))
    return lines


def _aligned(line: Line, width: int, side: str) -> list[Run]:
    spare = max(0, width - line.width)
    left = {"right": spare, "center": spare // 2}.get(side, 0)
    runs: list[Run] = [(" " * left, PLAIN)] if left else []
    runs += line.runs
    return [*runs, (" " * (spare - left), PLAIN)] if spare > left else runs


def _records(
    rows: Sequence[Sequence[Cell]], palette: Palette, width: int
) -> list[Line]:
    heading, *body = rows
    lines: list[Line] = []
    for row in body or [heading]:
        if lines:
            rule = palette.signs.rule * min(width, _NARROWEST)
            lines.append(Line(((rule, palette["table"]),)))
        # Every row has as many cells as the heading.
        for name, cell in zip(heading, row, strict=False):
            label = [(text, style + Style(bold=True)) for text, style in name]
            entry = [*label, (": ", PLAIN), *cell] if body else label
            lines += indent(wrap(entry, max(8, width - 2)), ("", PLAIN), ("  ", PLAIN))
    return lines


def _width(cell: Cell) -> int:
    text = "".join(text for text, _ in cell)
    return max(map(width_of, text.split("\n")))
