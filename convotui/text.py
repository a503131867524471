"""Text from outside made fit to be shown: nothing in it can steer a terminal.

What is stored stays as it came; only what is shown goes through here.
"""

from __future__ import annotations

import re

from rich.cells import cell_len, set_cell_size

_LINE_ENDS = re.compile(r"\r\n|\r(?=\n)")
_SUSPECT = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f"  # control characters but tab and newline
    "\x80-\x9f"  # their 8-bit twins
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f"  # text direction
    "\xad\u034f\u180e\u200b\u2060-\u2065\ufeff\ufff0-\ufffb"  # not to be seen
    "\u115f\u1160\u17b4\u17b5\u3164\uffa0"  # letters that are blank
    "\u200c\u200d\u180b-\u180d\u180f\ufe00-\ufe0f\U0001f3fb-\U0001f3ff"  # see below
    "\u2028\u2029"  # line breaks
    "\ud800-\udfff"  # half characters
    "\ufdd0-\ufdef\ufffe\uffff"  # no characters
    # A pattern with more ranges than these beyond the first plane is slow.
    "\U00013430-\U0001d17a\U0001fffe-\U0010ffff"
    "]"
)
_UNSAFE_BEYOND = re.compile(
    "["
    "\U00013430-\U00013440\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"  # not to be seen
    "\U000e0000-\U000e0fff"  # invisible tags and variation selectors
    + "".join(f"{chr(end)}{chr(end + 1)}" for end in range(0x1FFFE, 0x110000, 0x10000))
    + "]"
)
_SCRIPTS = "\u0590-\u109f\u1700-\u18af\u1900-\u1cff\ua800-\uabff\U00010a00-\U00011fff"
_PICTURES = "#*0-9\xa9\xae\u203c-\u32ff\U0001f000-\U0001faff\ufe0f"
_MONGOLIAN = "\u1800-\u18af"
_VARIED = (
    "#*0-9\xa9\xae\u203c-\u32ff\u3400-\u9fff\uf900-\ufaff\u1000-\u109f\ua840-\ua87f"
    "\U0001f000-\U0001faff\U00020000-\U0003fffd"
)
_KEPT_AFTER = {
    "\u200c": _SCRIPTS,
    "\u200d": _SCRIPTS + _PICTURES,
    **dict.fromkeys("\u180b\u180c\u180d\u180f", _MONGOLIAN),
    **{chr(code): _VARIED for code in range(0xFE00, 0xFE10)},
    **{chr(code): _PICTURES for code in range(0x1F3FB, 0x1F400)},
}
"""What is part of a script or a picture after some characters, and unseen elsewhere."""


def visible(text: str) -> str:
    """Return `text` with every character that could steer a terminal made a mark.

    Tabs and newlines stay. Control characters become their pictures (`␛`), what has
    no picture and what could not be seen becomes `�`.
    """
    if "\r" in text:
        text = _LINE_ENDS.sub("\n", text)
    return _SUSPECT.sub(_mark, text)


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
    base, at = _KEPT_AFTER.get(match[0]), match.start()
    # Not all of these are compiled before one is needed, which takes a while.
    if base is not None and at and re.match(f"[{base}]", match.string[at - 1]):
        return match[0]
    if base is None and match[0] > "\uffff" and not _UNSAFE_BEYOND.match(match[0]):
        return match[0]
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else "�"
