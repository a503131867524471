"""Texts that have broken terminals, parsers, stores and readers."""

from __future__ import annotations

import json
import re
from pathlib import Path

_LINES = (Path(__file__).parent / "hostile_strings.jsonl").read_text().splitlines()
_ALL = [json.loads(line) for line in _LINES]

STRINGS: dict[str, str] = {entry["name"]: entry["text"] for entry in _ALL}

STEERING = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064"
    "\u2066-\u2069\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)
"""What no line on a screen may hold."""

PROBE = "\x1b[997m\x1b[998;1H\x1b]0;probe\x07\x9b996m\x1bPprobe\x1b\\"
"""What no program writes by itself, and a terminal would obey."""


def of_kind(*kinds: str) -> dict[str, str]:
    """Return the texts of some kinds by their names."""
    return {it["name"]: it["text"] for it in _ALL if it["category"] in kinds}


def storable(text: str) -> str:
    """Return a text as a store keeps it: half characters are replaced."""
    joined = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return joined.encode("utf-8", "replace").decode()
