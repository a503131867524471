"""What stands between the screen and the terminal: nothing in a text steers it."""

from __future__ import annotations

import re

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from convotui.text import visible

_FLAG_LETTERS = re.compile("[\U0001f1e6-\U0001f1ff]")
_FIRST_FLAG_LETTER = 0x1F1E6
_PICTURE = re.compile(
    "([#*0-9\xa9\xae\u203c-\u32ff\U0001f000-\U0001faff])"
    "(?:[\ufe0e\ufe0f\u20e3\U0001f3fb-\U0001f3ff]|\u200d[^ ]?)+"
)
"""Several characters that are one picture, or several: terminals do not agree."""


class TextGuard(LineFilter):
    """Makes every line harmless, wherever its text came from and whoever drew it.

    Widgets make text from outside visible themselves; this is for what they miss. And
    it leaves nothing of which terminals do not agree how wide it is: what follows on
    the line would be drawn elsewhere than meant.
    """

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return a line in which nothing can steer a terminal, as wide as before."""
        return [_harmless(segment) for segment in segments]


def _harmless(segment: Segment) -> Segment:
    text, style, control = segment
    if style is not None and style.link:
        # The terminal would open where a link goes without showing it.
        style = style.update_link(None)
    if control or (text.isascii() and text.isprintable()):
        return Segment(text, style, control)
    shown = _as_wide(text.replace("\r", ""))
    shown = _FLAG_LETTERS.sub(_flag_letter, _PICTURE.sub(_first_of, shown))
    return Segment(shown, style)


def _as_wide(text: str) -> str:
    """Return a text in which nothing steers; what took no room takes none."""
    marked = visible(text).replace("\n", " ").replace("\t", " ")
    if marked == text:
        return text
    pairs = zip(text, marked, strict=True)
    kept = (mark for was, mark in pairs if mark == was or cell_len(was))
    return set_cell_size("".join(kept), cell_len(text))


def _first_of(picture: re.Match[str]) -> str:
    return set_cell_size(picture[1], cell_len(picture[0]))


def _flag_letter(letter: re.Match[str]) -> str:
    return chr(ord("A") + ord(letter[0]) - _FIRST_FLAG_LETTER)
