"""The graph to the left of a message: its lanes and its mark, as text."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from convotui.tree.forest import FORKED, ORPHAN, ROOT

MAX_LANES = 16
"""How many lanes are drawn before those on the left are left out."""


# Compared by identity: hashing every field would cost more than the drawing.
@dataclass(frozen=True, slots=True, eq=False)
class Glyphs:
    """What a graph is drawn with; lanes are two cells wide and marks are one."""

    lane: str
    """A lane that passes the row."""
    fork: str
    """A lane from which the row forks."""
    ellipsis: str
    """Lanes that are left out."""
    node: str
    """A message."""
    root: str
    """A message that begins a conversation."""
    orphan: str
    """A root whose parent is not there."""
    fold: str
    """A message with something hidden below."""


UNICODE = Glyphs("│ ", "├─", "⋯ ", "●", "◆", "◇", "▸")
ASCII = Glyphs("| ", "|-", "~ ", "*", "o", "?", ">")


def graph(
    lane: int, flags: int, glyphs: Glyphs = UNICODE, max_lanes: int = MAX_LANES
) -> str:
    """Draw a row of a forest, at most `max_lanes` lanes and an ellipsis wide."""
    # The lanes left out look the same however many they are, so they count as one.
    return _graph(min(lane, max_lanes + 1), flags, glyphs, max_lanes)


@lru_cache(maxsize=1024)
def _graph(lane: int, flags: int, glyphs: Glyphs, max_lanes: int) -> str:
    lanes = [glyphs.lane] * lane
    if lanes and flags & FORKED:
        lanes[-1] = glyphs.fork
    if lane > max_lanes:
        lanes[: lane - max_lanes] = [glyphs.ellipsis]
    return "".join(lanes) + _mark(flags, glyphs)


def _mark(flags: int, glyphs: Glyphs) -> str:
    if flags & ORPHAN:
        return glyphs.orphan
    return glyphs.root if flags & ROOT else glyphs.node
