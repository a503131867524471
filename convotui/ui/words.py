"""Small words of the screen."""

from __future__ import annotations

from convotui.storage import Change


def count(number: int, noun: str) -> str:
    """Return a number of things in words."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def what_changed(change: Change) -> str:
    """Return what a change was about."""
    if change.kind == "delete":
        return count(change.message_count, "message")
    return f"the label {change.after!r}" if change.after else "no label"
