"""Text from outside made fit to be shown: nothing in it can steer a terminal.

What is stored stays as it came; only what is shown goes through here.
"""

from __future__ import annotations

import re

from rich.cells import cell_len, set_cell_size

_LINE_ENDS = re.compile(r"\r\n|\r(?=\n)")
_UNSAFE = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f"  # control characters but tab and newline
    "\x80-\x9f"  # their 8-bit twins
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # text direction
    "\u200b\u2028\u2029\u2060-\u2064\ufeff\ufff9-\ufffb"  # no width, or a line break
    "\ud800-\udfff"  # half characters
    "\U000e0000-\U000e01ef"  # invisible tags and variation selectors
    "]"
)


def visible(text: str) -> str:
    """Return `text` with every character that could steer a terminal made a mark.

    Tabs and newlines stay. Control characters become their pictures (`␛`), what has
    no picture becomes `�`.
    """
    if "\r" in text:
        text = _LINE_ENDS.sub("\n", text)
    return _UNSAFE.sub(_mark, text)


def visible_line(text: str) -> str:
    """Return `text` as `visible` does, on one line: white space is one space."""
    return " ".join(visible(text).split())


def width_of(text: str) -> int:
    """Return how many cells of a terminal `text` takes."""
    return len(text) if text.isascii() else cell_len(text)


def cut(text: str, cells: int, ellipsis: str = "…") -> str:
    """Return `text` no wider than `cells`, with an ellipsis if it was cut."""
    # No character is narrower than nothing, so what is far too long need not be
    # measured to its end.
    if len(text) <= 4 * cells and width_of(text) <= cells:
        return text
    ellipsis = ellipsis[: max(0, cells)]
    room = max(0, cells - width_of(ellipsis))
    kept = text[:room] if text.isascii() else set_cell_size(text[: 4 * cells], room)
    return kept.rstrip() + ellipsis


def _mark(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else "�"
