"""How one row of the tree looks: columns that give way as the width shrinks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from convotui.conversations.trees import ShownRow
from convotui.storage import UNKNOWN_TIME, Preview, is_subagent, utc_now
from convotui.text import cut, visible_line, width_of
from convotui.tree import ASCII, Glyphs
from convotui.ui.tree.lanes import Piece

_MARKS = {
    "user": ("❯", ">"),
    "assistant": ("✦", "<"),
    "tool_result": ("ƒ", "f"),
    "streaming": ("…", "."),
    "interrupted": ("≈", "~"),
    "failed": ("✗", "x"),
    "subagent": ("⇢", "@"),
    "other": ("?", "?"),
}
"""What stands for each kind of message, and for it in ASCII."""

_ID_FROM, _AGE_FROM, _MODEL_FROM, _COST_FROM = 34, 44, 70, 84
"""From which width on each column is shown."""

_LABEL_SHARE = 3
_MODEL_WIDTH = 18


@dataclass(frozen=True, slots=True)
class Row:
    """What there is to draw in one row."""

    graph: list[Piece]
    message_id: str
    shown: ShownRow | None
    """`None` until it has been fetched."""
    hidden: int
    """How many messages are folded away below it."""
    is_hit: bool
    is_new: bool


class RowPainter:
    """Draws rows at one width with one set of styles."""

    def __init__(
        self, style: Callable[[str], Style], width: int, glyphs: Glyphs
    ) -> None:
        self._style = style
        self.width = width
        self._glyphs = glyphs
        self._ascii = glyphs is ASCII
        self._ellipsis = "..." if self._ascii else "…"
        self._now = utc_now()

    def paint(self, row: Row) -> Strip:
        """Return a row as a strip of exactly the painter's width."""
        left = self._graph(row)
        if self.width >= _ID_FROM:
            left += self._id(row)
        right: list[Segment] = []
        text, style = "", self._style("text")
        if row.shown is not None:
            preview = row.shown.preview
            left += self._mark(preview)
            right = self._facts(preview, row)
            text = visible_line(preview.text)
            style = self._style("hit" if row.is_hit else _text_class(preview))
        if row.hidden:
            fold = f"{self._glyphs.fold} +{row.hidden:,} "
            left.append(Segment(fold, self._style("fold")))
        room = self.width - _cells(left) - _cells(right)
        shown = cut(text, max(0, room), self._ellipsis) if room > 1 else ""
        padding = " " * max(0, room - width_of(shown))
        strip = Strip([*left, Segment(shown, style), Segment(padding), *right])
        return strip.adjust_cell_length(self.width).simplify()

    def _graph(self, row: Row) -> list[Segment]:
        segments = [Segment(piece.text, self._lane_style(piece)) for piece in row.graph]
        bar = " " if self._ascii else "▏"
        return [*segments, Segment(bar, self._lane_style(row.graph[-1]))]

    def _lane_style(self, piece: Piece) -> Style:
        style = self._style("dim" if piece.colour < 0 else f"lane-{piece.colour}")
        return style + Style(bold=True) if piece.on_path else style + Style(dim=True)

    def _id(self, row: Row) -> list[Segment]:
        message_id = visible_line(row.message_id)
        prefix = len(message_id) if row.shown is None else row.shown.prefix
        return [
            Segment(message_id[:prefix], self._style("id")),
            Segment(f"{message_id[prefix:]} ", self._style("dim")),
        ]

    def _mark(self, preview: Preview) -> list[Segment]:
        kind = _kind(preview)
        mark = _MARKS[kind][self._ascii]
        return [Segment(f"{mark} ", self._style(kind.replace("_", "-")))]

    def _facts(self, preview: Preview, row: Row) -> list[Segment]:
        segments: list[Segment] = []
        if preview.title and not is_subagent(preview.title):
            label = cut(visible_line(preview.title), self.width // _LABEL_SHARE)
            segments.append(Segment(f" [{label}]", self._style("label")))
        if self.width >= _MODEL_FROM and preview.model:
            model = cut(visible_line(preview.model.split("/")[-1]), _MODEL_WIDTH)
            segments.append(Segment(f" {model}", self._style("dim")))
        if self.width >= _COST_FROM and preview.cost:
            segments.append(Segment(f" ${preview.cost:.4f}", self._style("dim")))
        if self.width >= _AGE_FROM:
            age = age_of(preview.created_at, self._now)
            segments.append(Segment(f" {age:>4}", self._style("dim")))
        if row.is_new:
            mark = "*" if self._ascii else "•"
            segments.append(Segment(f" {mark}", self._style("new")))
        return segments


def age_of(time: datetime, now: datetime) -> str:
    """Return how long ago a time was, in at most four characters."""
    if time == UNKNOWN_TIME:
        return "?"
    age = max(now - time, timedelta())
    minutes, days = int(age.total_seconds() // 60), age.days
    if minutes < 1:
        return "now"
    if minutes < 60:
        return f"{minutes}m"
    if days < 1:
        return f"{minutes // 60}h"
    if days < 100:
        return f"{days}d"
    return f"{days // 30}mo" if days < 365 else f"{min(days // 365, 999)}y"


def _kind(preview: Preview) -> str:
    if preview.tool_result_error or preview.state == "failed":
        return "failed"
    if preview.state in ("interrupted", "streaming"):
        return preview.state
    if is_subagent(preview.title):
        return "subagent"
    return preview.role if preview.role in _MARKS else "other"


def _text_class(preview: Preview) -> str:
    if is_subagent(preview.title) or preview.role == "tool_result":
        return "dim"
    return "prompt" if preview.role == "user" else "text"


def _cells(segments: list[Segment]) -> int:
    return sum(width_of(segment.text) for segment in segments)
