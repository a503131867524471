"""JSON that any program can read and that steers no terminal."""

from __future__ import annotations

import json
import math
import re
from typing import Any

from convotui.text import visible

_NOT_ASCII = re.compile("[^ -~]")
_OUTSIDE = 20
"""More than the lists and objects that a value from outside will stand in."""


def plain_json(value: object, *, is_compact: bool = False) -> str:
    """Return a value as one line of JSON; a compact one has its keys in order."""
    separators = (",", ":") if is_compact else None
    line = json.dumps(
        value, ensure_ascii=False, sort_keys=is_compact, separators=separators
    )
    # An escape is the same character to whoever reads it, and steers no terminal.
    return line if visible(line) == line else _NOT_ASCII.sub(_escaped, line)


def parsed(text: str) -> Any:
    """Return what a text of JSON says; numbers that JSON has no words for as text.

    Raises:
        ValueError: If it is no JSON, or nested too deep to be written again.
    """
    try:
        value = json.loads(text, parse_float=_number, parse_constant=str)
        _dumps_inside(value)
    except RecursionError:
        raise ValueError("nested too deep") from None
    return value


def finite(value: Any) -> Any:
    """Return a value without the numbers that JSON has no words for.

    Of what is nested too deep to be written, nothing is left.
    """
    try:
        value = json.loads(_dumps_inside(value), parse_constant=lambda _: None)
    except (RecursionError, ValueError):
        return None
    for _ in range(_OUTSIDE):
        [value] = value
    return value


def _dumps_inside(value: Any) -> str:
    """Write a value as deep down as it will stand in an export."""
    for _ in range(_OUTSIDE):
        value = [value]
    return json.dumps(value)


def _number(digits: str) -> float | str:
    number = float(digits)
    return number if math.isfinite(number) else digits


def _escaped(match: re.Match[str]) -> str:
    char = match[0]
    return char if visible(char) == char else json.dumps(char)[1:-1]
