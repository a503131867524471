"""The first words of a message, on one line."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from convotui.storage.records import Modality

_LENGTH = 300
"""How many characters of a text are looked at."""

BEGINNING_BYTES = 4 * _LENGTH
"""How many bytes of a text are enough; no character takes more than four."""

_PLAIN = b"\n" + bytes(range(ord(" "), ord("~") + 1))
_TOOL_NAME = re.compile(r'"name"\s*:\s*"((?:[^"\\]|\\.)*)"')
_TOOL_PARAMETERS = re.compile(r'"parameters"\s*:\s*(.*)', re.DOTALL)


def beginning(blocks: Iterable[tuple[Any, ...]]) -> str:
    """Return the first words of what was said or, failing that, what was done.

    A block is its type, modality and MIME type, and the first bytes of its content.
    """
    done = ""
    for kind, modality, mime_type, content in blocks:
        if kind is None:
            continue
        if modality != Modality.TEXT:
            done = done or f"[{mime_type}]"
            continue
        # A text that is far too long is as good as none.
        content = content or b""
        if kind == "content":
            if words := first_words(content):
                return words
        elif kind == "tool_call":
            done = done or _tool_call(content.decode("utf-8", "replace"))
        elif kind != "redacted_thinking":
            done = done or first_words(content)
    return done


def first_words(content: bytes) -> str:
    """Return the beginning of a text on one line."""
    begin = content[:_LENGTH]
    if begin.translate(None, _PLAIN):
        return " ".join(content.decode("utf-8", "replace")[:_LENGTH].split())
    # Taking all words apart is what a listing would spend most of its time on.
    text = begin.decode("ascii").replace("\n\n", " ").replace("\n", " ")
    return " ".join(text.split()) if "  " in text else text.strip(" ")


def _tool_call(beginning: str) -> str:
    """Name a call by the beginning of its JSON, which may have been cut."""
    beginning = beginning[:_LENGTH]
    name = _TOOL_NAME.search(beginning)
    parameters = _TOOL_PARAMETERS.search(beginning)
    if name is None:
        return " ".join(beginning.split())
    rest = " ".join(parameters[1].split()).removesuffix("}") if parameters else ""
    return f"{name[1]} {rest}".rstrip()
