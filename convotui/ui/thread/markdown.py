"""Markdown drawn as lines. The parser is loaded with the first text that is drawn."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from rich.style import Style

from convotui.text import cut, visible_line, width_of
from convotui.ui.thread.highlight import highlight
from convotui.ui.thread.inline import inline
from convotui.ui.thread.lines import (
    BLANK,
    PLAIN,
    Line,
    Run,
    clean,
    fold,
    indent,
    wrap,
)
from convotui.ui.thread.palette import Palette
from convotui.ui.thread.tables import Cell, table

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_NESTING = 60
_NARROWEST = 12
_WIDEST = 100
"""Prose is not drawn wider than this: longer lines are hard to read."""
_BRACKETS = 2_000
"""More of them in one section would take the parser long."""


class TooComplex(ValueError):
    """A text that Markdown would take too long for, or hide a part of."""


def markdown(source: str, palette: Palette, width: int) -> list[Line]:
    """Draw a section of Markdown.

    Raises:
        TooComplex: If it cannot be drawn whole.
    """
    if source.count("[") > _BRACKETS:
        raise TooComplex
    tokens = _parser().parse(clean(source))
    if any(token.level >= _NESTING - 2 for token in tokens):
        raise TooComplex
    return _Drawing(tokens, palette).blocks(width, PLAIN)


def code(
    source: str, language: str, palette: Palette, width: int, *, named: bool = True
) -> list[Line]:
    """Draw code on its own ground, below the name of its language."""
    ground = palette["code"]
    lines = fold(highlight(source, language, palette, ground), max(1, width - 3))
    if named and (name := cut(visible_line(language), max(1, width - 3))):
        space = " " * (width - 1 - width_of(name))
        label = (space, ground), (name, ground + palette["url"])
        lines.insert(0, Line(label, skip=width))
        first: Run = ("", ground)
    else:
        first = ("  ", ground)
    return [
        replace(line, fill=ground)
        for line in indent(lines, first, ("  ", ground), drawn=True)
    ]


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    options = {"html": False, "maxNesting": _NESTING}
    # Where a reference leads would be hidden, and it may stand in another section.
    parser = MarkdownIt("commonmark", options).disable("reference")
    parser.enable(["table", "strikethrough"])
    if parser.linkify is not None:
        parser.options["linkify"] = True
        parser.enable("linkify")
        # Names of files would be taken for links: main.py, readme.md.
        parser.linkify.set({"fuzzy_link": False, "fuzzy_email": False})
    return parser


class _Drawing:
    """Walks through the tokens of one text."""

    def __init__(self, tokens: list[Token], palette: Palette) -> None:
        self._tokens = tokens
        self._palette = palette
        self._position = 0

    def blocks(self, width: int, style: Style, until: str = "") -> list[Line]:
        """Draw the blocks up to a token that closes what they are in."""
        lines: list[Line] = []
        hidden = False
        while self._position < len(self._tokens):
            token = self._tokens[self._position]
            self._position += 1
            if token.type == until:
                break
            drawn = self._block(token, width, style)
            # A paragraph is hidden in a list whose items are not set apart.
            if lines and drawn and not (hidden or token.hidden):
                lines.append(BLANK)
            lines += drawn
            hidden = token.hidden
        return lines

    def _block(self, token: Token, width: int, style: Style) -> list[Line]:
        match token.type:
            case "heading_open":
                name = "title" if token.tag == "h1" else "heading"
                heading = style + self._palette[name]
                if token.tag not in ("h1", "h2", "h3"):
                    heading += Style(italic=True)
                return self._text(width, heading)
            case "paragraph_open":
                return self._text(width, style)
            case "fence" | "code_block":
                content = clean(token.content).removesuffix("\n")
                return code(content, token.info, self._palette, width)
            case "blockquote_open":
                return self._quote(width, style)
            case "bullet_list_open" | "ordered_list_open":
                return self._list(token, width, style)
            case "table_open":
                return self._table(width, style)
            case "hr":
                rule = self._palette.signs.rule * min(width, _WIDEST)
                return [Line(((rule, self._palette["rule"]),))]
        return self._unknown(token, width, style)

    def _unknown(self, token: Token, width: int, style: Style) -> list[Line]:
        return wrap([(clean(token.content), style)], width) if token.content else []

    def _text(self, width: int, style: Style) -> list[Line]:
        runs = self._inline(style)
        self._position += 1
        return wrap(runs, min(width, _WIDEST))

    def _inline(self, style: Style) -> list[Run]:
        token = self._tokens[self._position]
        self._position += 1
        return inline(token.children or [], self._palette, style)

    def _quote(self, width: int, style: Style) -> list[Line]:
        bar = (f"{self._palette.signs.quote} ", self._palette["rule"])
        inner = max(_NARROWEST, width - 2)
        quote = style + self._palette["quote"]
        lines = self.blocks(inner, quote, "blockquote_close")
        return indent(lines or [BLANK], bar, bar, drawn=True)

    def _list(self, token: Token, width: int, style: Style) -> list[Line]:
        ordered = token.type == "ordered_list_open"
        close = token.type.replace("open", "close")
        number = int(token.attrs.get("start", 1)) if ordered else 0
        bullets = self._palette.signs.bullets
        bullet = bullets[token.level // 2 % len(bullets)]
        lines: list[Line] = []
        loose = self._is_loose()
        while self._tokens[self._position].type != close:
            item = self._tokens[self._position]
            self._position += 1
            mark = f"{number}{item.markup} " if ordered else f"{bullet} "
            inner = max(_NARROWEST, width - len(mark))
            drawn = self.blocks(inner, style, "list_item_close") or [BLANK]
            if lines and loose:
                lines.append(BLANK)
            margin: Run = (" " * len(mark), PLAIN)
            lines += indent(drawn, (mark, self._palette["bullet"]), margin)
            number += 1
        self._position += 1
        return lines

    def _is_loose(self) -> bool:
        """Whether the items of the list that begins here are set apart."""
        for position in range(self._position, len(self._tokens)):
            if self._tokens[position].type == "paragraph_open":
                return not self._tokens[position].hidden
        return False

    def _table(self, width: int, style: Style) -> list[Line]:
        rows: list[list[Cell]] = []
        sides: list[str] = []
        while (token := self._tokens[self._position]).type != "table_close":
            self._position += 1
            if token.type == "tr_open":
                rows.append([])
            elif token.type in ("th_open", "td_open"):
                if len(rows) == 1:
                    sides.append(str(token.attrs.get("style", "")).split(":")[-1])
                rows[-1].append(self._inline(style))
        self._position += 1
        return table(rows, sides, self._palette, width)
