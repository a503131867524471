"""Pasted text, all of which is text: also what would end it and be typed."""

from __future__ import annotations

import re

from convotui.text import visible

_START, _END = "\x1b[200~", "\x1b[201~"
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


class Pastes:
    """Holds back a paste until it is whole, and lets nothing in it be a key."""

    def __init__(self) -> None:
        self._held = ""

    def take(self, data: str, *, is_more: bool) -> str:
        """Take what a terminal sent, and return what of it can be read now.

        A terminal ends a paste after all of its text. So of several ends that arrive
        with it, the last is the terminal's; `is_more` is whether more is there.
        """
        data, self._held = self._held + data, ""
        before, start, paste = data.partition(_START)
        if not start:
            return data
        text, end, after = paste.rpartition(_END)
        if is_more or not end:
            self._held = start + paste
            return before
        # One paste behind the other is one.
        text = text.replace(_END + _START, "")
        shown = _CONTROLS.sub(lambda control: visible(control[0]), text)
        return f"{before}{start}{shown}{end}{after}"
