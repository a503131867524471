"""A unit of a message drawn as lines."""

from __future__ import annotations

from dataclasses import replace

from rich.style import Style

from convotui.text import cut
from convotui.ui.thread.blocks import Unit
from convotui.ui.thread.entry import Entry
from convotui.ui.thread.header import header
from convotui.ui.thread.lines import BLANK, PLAIN, Line, clean, fold, indent, wrap
from convotui.ui.thread.palette import Palette

FOLD = "thread-fold"
"""Under this name a block that can be opened is kept with its style."""

_BROKEN = (ValueError, RecursionError, KeyError, IndexError, TypeError, AttributeError)
"""What a parser may raise for a text that nobody has thought of."""

_MARGIN = 2
"""How far what was folded is moved in."""


class Painter:
    """Draws units at one width with one palette."""

    def __init__(self, palette: Palette, width: int) -> None:
        self.palette = palette
        self.width = width

    def draw(self, entry: Entry, number: int) -> list[Line]:
        """Draw a unit of a message, with the blank line above it."""
        unit = entry.divide()[number]
        if unit.kind == "header":
            line = header(entry, self.palette, self.width)
            return [BLANK, line] if entry.position else [line]
        try:
            lines = self._lines(entry, unit)
        except _BROKEN:
            lines = self._plain(clean(entry.text_of(unit)), PLAIN)
        return [BLANK, *lines] if unit.gap and lines else lines

    def _lines(self, entry: Entry, unit: Unit) -> list[Line]:
        text = entry.text_of(unit)
        match unit.kind:
            case "title":
                return [self._title(unit)]
            case "label":
                return [self._one_line(unit.text, self.palette["fold"])]
            case "notice":
                return [self._one_line(unit.text, self.palette["notice"])]
            case "detail":
                return self._detail(unit, text)
        return self._text(unit, text)

    def _text(self, unit: Unit, text: str) -> list[Line]:
        from convotui.ui.thread.markdown import code, markdown

        section = unit.section
        assert section is not None
        if section.kind == "markdown":
            return markdown(text, self.palette, self.width)
        if section.kind == "plain":
            return self._rest(unit, text)
        shown = clean(text).removesuffix("\n")
        if not shown and section.continues:
            return []
        first = not section.continues
        return code(shown, section.info, self.palette, self.width, named=first)

    def _detail(self, unit: Unit, text: str) -> list[Line]:
        from convotui.ui.thread.highlight import highlight

        section = unit.section
        assert section is not None
        style = self.palette["detail"]
        if section.kind == "plain":
            lines = self._rest(unit, text)
        else:
            shown = clean(text).removesuffix("\n")
            runs = highlight(shown, section.info, self.palette, style)
            lines = (fold if section.info else wrap)(runs, self.width - _MARGIN)
        margin = (" " * _MARGIN, PLAIN)
        return indent(lines, margin, margin, drawn=True)

    def _rest(self, unit: Unit, text: str) -> list[Line]:
        lines = self._plain(clean(text).removesuffix("\n"), PLAIN)
        assert unit.section is not None
        if unit.section.state.inside and lines:
            lines[0] = replace(lines[0], join="")
        return lines

    def _plain(self, text: str, style: Style) -> list[Line]:
        return wrap([(text, style)], max(1, self.width - _MARGIN))

    def _title(self, unit: Unit) -> Line:
        signs = self.palette.signs
        sign = signs.opened if unit.is_open else signs.closed
        style = self.palette["fold"] + Style.from_meta({FOLD: unit.block})
        return self._one_line(f"{sign} {unit.text}", style)

    def _one_line(self, text: str, style: Style) -> Line:
        signs = self.palette.signs
        shown = text.replace("\n", f" {signs.dot} ")
        return Line(((cut(shown, self.width, signs.ellipsis), style),))
