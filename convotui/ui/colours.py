"""Styles of the theme by name, read when something is first drawn with them.

Component classes would do the same, but each is a rule to parse and a node to style
before there is a first frame.
"""

from __future__ import annotations

from collections.abc import Mapping

from rich.style import Style
from textual.style import Style as ThemeStyle
from textual.widget import Widget


class Colours:
    """What a widget draws with, in the colours of the theme that is on."""

    def __init__(
        self, widget: Widget, names: Mapping[str, str], ansi: Mapping[str, str]
    ) -> None:
        self._widget = widget
        self._names = names
        self._ansi = ansi
        """What differs in the terminal's own colours, which cannot be mixed."""
        self._read: dict[str, Style] = {}

    def forget(self) -> None:
        """Read everything again; the theme has changed."""
        self._read.clear()

    def __getitem__(self, name: str) -> Style:
        if name not in self._read:
            style = self._names[name]
            if self._widget.app.native_ansi_color:
                style = self._ansi.get(name, style)
            self._read[name] = self._blend(ThemeStyle.parse(style))
        return self._read[name]

    def _blend(self, style: ThemeStyle) -> Style:
        """Mix what is translucent with what is behind it; leave the rest open."""
        whole = (self._widget.visual_style + style).rich_style
        return Style(
            color=whole.color if style.foreground else None,
            bgcolor=whole.bgcolor if style.background else None,
            bold=style.bold,
            dim=style.dim,
            italic=style.italic,
            underline=style.underline,
            reverse=style.reverse,
            strike=style.strike,
        )
