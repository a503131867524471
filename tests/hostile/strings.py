"""Texts that have broken terminals, parsers, stores and readers."""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path

_LINES = (Path(__file__).parent / "hostile_strings.jsonl").read_text().splitlines()
_ALL = [json.loads(line) for line in _LINES]

STRINGS: dict[str, str] = {entry["name"]: entry["text"] for entry in _ALL}

STEERING = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ufdd0-\ufdef\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\ud800-\udfff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""What no line on a screen may hold."""

PROBE = "\x1b[997m\x1b[998;1H\x1b]0;probe\x07\x9b996m\x1bPprobe\x1b\\"
"""What no program writes by itself, and a terminal would obey."""


def of_kind(*kinds: str) -> dict[str, str]:
    """Return the texts of some kinds by their names."""
    return {it["name"]: it["text"] for it in _ALL if it["category"] in kinds}


def odd_characters() -> list[str]:
    """Return every character that is not for a reader, many of them in each text."""
    odd = [
        character
        for character in map(chr, range(0x110000))
        if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp")
        or STEERING.match(character)
        or character in "\u200c\u200d\ufe00\ufe0f\ue000\U000f0000\U0010fffd"
    ]
    return ["a".join(odd[start : start + 64]) for start in range(0, len(odd), 64)]


def storable(text: str) -> str:
    """Return a text as a store keeps it: half characters are replaced."""
    joined = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return joined.encode("utf-8", "replace").decode()
