"""Names for exported files that are safe on every system."""

from __future__ import annotations

import re
import unicodedata

from convotui.storage.records import ChatMessage

MAX_BYTES = 100

_WORDS_BYTES = 60
_ID_BYTES = 24
_LOOKED_AT = 1_000
_JOINED = re.compile(r"[-.]*-[-.]*|\.{2,}")
_RESERVED = re.compile(r"(con|prn|aux|nul|(com|lpt)[0-9])(\.|$)", re.IGNORECASE)


def file_name(message: ChatMessage, suffix: str) -> str:
    """Name the file for an export of `message` by its label or first words and its id.

    It has only letters, digits, `.`, `_` and `-`, and is no longer than `MAX_BYTES`
    in UTF-8 if `suffix`, such as `.md`, is a short one.
    """
    words = _safe(message.title or "") or _safe(message.text[:_LOOKED_AT])
    words = _cut_at_word(words, _WORDS_BYTES) or "conversation"
    if _RESERVED.match(unicodedata.normalize("NFKC", words)):
        words = f"_{words}"
    identity = _cut(_safe(message.id), _ID_BYTES)
    return f"{words}-{identity}{suffix}" if identity else f"{words}{suffix}"


def _safe(text: str) -> str:
    """Return `text` with what is neither a letter nor a digit made a dash."""
    kept = "".join(map(_kept, unicodedata.normalize("NFC", text)))
    return _JOINED.sub("-", unicodedata.normalize("NFC", kept)).strip("-._")


def _kept(char: str) -> str:
    if char.isalnum() or char in "._-":
        return char
    return "" if unicodedata.category(char).startswith("M") else "-"


def _cut(text: str, size: int) -> str:
    return text.encode()[:size].decode(errors="ignore")


def _cut_at_word(text: str, size: int) -> str:
    """Return `text` cut after a whole word, unless that leaves too little of it."""
    short = _cut(text, size)
    if short == text:
        return text
    whole = short.rpartition("-")[0]
    return (whole if len(whole) * 2 > len(short) else short).strip("-._")
