"""Conversations nested more deeply than JSON is read: taken apart, not decoded whole.

Each reply is inside of what it replies to, so that a long conversation is as deep as
it is long.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[\]{}]', re.DOTALL)
_BETWEEN = re.compile(r"\s*:\s*")
_INSIDE = {
    "document": ('"messagesTree"', '"messages"'),
    "message": ('"children"',),
}
"""What messages are inside of, in the whole document and in each other."""


@dataclass(slots=True)
class _Object:
    """A message, or the whole document, of which the messages inside are cut out."""

    position: int
    """Up to where it has been read."""
    pieces: list[str] = field(default_factory=list)

    def cut(self, text: str, start: int, end: int) -> None:
        self.pieces += [text[self.position : start], "[]"]
        self.position = end

    def decoded(self, text: str, end: int) -> Any:
        return json.loads("".join([*self.pieces, text[self.position : end]]))


def flattened(text: str, skip: Callable[[str, str], None]) -> dict[str, Any] | None:
    """Return a conversation with its messages in a list; `None` if it is none."""
    objects: list[_Object] = []
    opened: list[tuple[str, int]] = []
    """Each bracket that is open: what it holds, and where it is."""
    messages: list[Any] = []
    last: re.Match[str] | None = None
    for token in _TOKEN.finditer(text):
        mark, start, end = token[0], *token.span()
        if mark in ("{", "["):
            holds = _held(text, mark, opened[-1][0] if opened else "", last, start)
            opened.append((holds, start))
            if holds in ("document", "message"):
                objects.append(_Object(start))
        elif mark in ("}", "]"):
            if not opened:
                return None
            holds, begin = opened.pop()
            if holds == "messages":
                objects[-1].cut(text, begin, end)
            elif holds in ("document", "message"):
                try:
                    value = objects.pop().decoded(text, end)
                except (ValueError, RecursionError):
                    skip(f"character {begin}", "is no JSON that can be read.")
                    continue
                if holds == "document":
                    return {**value, "messages": messages}
                messages.append(value)
        last = token
    return None


def _held(
    text: str, mark: str, around: str, last: re.Match[str] | None, start: int
) -> str:
    """Return what a bracket holds that opens here."""
    if mark == "{":
        return {"": "document", "messages": "message"}.get(around, "other")
    is_named = last is not None and last[0] in _INSIDE.get(around, ())
    if is_named and last is not None and _BETWEEN.fullmatch(text, last.end(), start):
        return "messages"
    return "other"
