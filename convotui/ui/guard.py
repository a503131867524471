"""What stands between the screen and the terminal: nothing in a text steers it."""

from __future__ import annotations

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from convotui.text import visible


class TextGuard(LineFilter):
    """Makes every line harmless, wherever its text came from and whoever drew it.

    Widgets make text from outside visible themselves; this is for what they miss.
    """

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return a line in which nothing can steer a terminal, as wide as before."""
        return [_harmless(segment) for segment in segments]


def _harmless(segment: Segment) -> Segment:
    text, style, control = segment
    if style is not None and style.link:
        # The terminal would open where a link goes without showing it.
        style = style.update_link(None)
    if control or text.isprintable():
        return Segment(text, style, control)
    shown = visible(text).replace("\n", " ").replace("\t", " ")
    if shown != text:
        shown = set_cell_size(shown, cell_len(text))
    return Segment(shown, style)
