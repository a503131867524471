"""Small words of the screen."""

from __future__ import annotations


def count(number: int, noun: str) -> str:
    """Return a number of things in words."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
