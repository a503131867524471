"""The quiet line above a message: who, when, at what cost, and what to beware of."""

from __future__ import annotations

from datetime import UTC, datetime

from rich.style import Style

from convotui.storage.records import (
    SUBAGENT_PREFIX,
    UNKNOWN_TIME,
    ChatMessage,
    is_subagent,
)
from convotui.text import cut, visible_line, width_of
from convotui.ui.thread.entry import Entry
from convotui.ui.thread.lines import PLAIN, Line, Run
from convotui.ui.thread.palette import Palette

STEP = "thread-step"
"""Under this name a step to another sibling is kept with its style."""

_NAMES = {"user": "you", "assistant": "assistant", "tool_result": "tool"}
_LABEL_SHARE = 3
"""A label takes at most this part of the line."""


def header(entry: Entry, palette: Palette, width: int) -> Line:
    """Draw the header of a message; what matters least gives way first."""
    message = entry.message
    right = _fork(entry.siblings, palette)
    left = [_name(message, palette, width), *_marks(message, palette, width)]
    room = width - _width([*left, *right]) - 2 * bool(right)
    facts: list[Run] = []
    for run in _facts(message, entry.note, palette):
        if _width([*facts, run]) > room:
            break
        facts.append(run)
    line = [left[0], *facts, *left[1:]]
    space = width - _width([*line, *right])
    if right and space > 0:
        line.append((" " * space, PLAIN))
    return Line((*line, *right))


def _name(message: ChatMessage, palette: Palette, width: int) -> Run:
    role = palette.role(message.role)
    name = _NAMES.get(message.role) or visible_line(message.role) or "unknown"
    model = message.facts.model if message.facts else None
    if message.role == "assistant" and model:
        name = visible_line(model.split("/")[-1]) or name
    name = cut(name, max(8, width // 2 - 2), palette.signs.ellipsis)
    return f"{palette.signs.roles[role]} {name}", palette[role]


def _marks(message: ChatMessage, palette: Palette, width: int) -> list[Run]:
    """What a reader must not miss."""
    signs = palette.signs
    runs: list[Run] = []
    if message.title:
        share = max(8, width // _LABEL_SHARE)
        if is_subagent(message.title):
            name = visible_line(message.title.removeprefix(SUBAGENT_PREFIX))
            runs.append((f"  subagent {cut(name, share)}", palette["header"]))
        else:
            label = cut(visible_line(message.title), share, signs.ellipsis)
            runs.append((f"  [{label}]", palette["label"]))
    state = message.facts.state if message.facts else "complete"
    if message.tool_result_error:
        runs.append((f"  {signs.failed} error", palette["error"]))
    if state == "interrupted":
        runs.append((f"  {signs.interrupted} interrupted", palette["warning"]))
    elif state == "failed":
        runs.append((f"  {signs.failed} failed", palette["error"]))
    elif state == "streaming":
        runs.append((f"  {signs.streaming}", palette["warning"]))
    return runs


def _facts(message: ChatMessage, note: str, palette: Palette) -> list[Run]:
    dot = palette.signs.dot
    facts = message.facts
    shown = [shown_time(message.created_at, datetime.now())]
    if facts and (facts.input_tokens is not None or facts.output_tokens is not None):
        asked, given = _count(facts.input_tokens), _count(facts.output_tokens)
        shown.append(f"{asked}{palette.signs.to}{given} tok")
    if facts and facts.cost:
        shown.append(f"${facts.cost:.4f}")
    shown.append(visible_line(note))
    return [
        (f"  {cut(visible_line(message.id), 24)}", palette["id"]),
        *((f" {dot} {fact}", palette["header"]) for fact in shown if fact),
    ]


def _fork(siblings: tuple[int, int] | None, palette: Palette) -> list[Run]:
    if siblings is None or siblings[1] < 2:
        return []
    number, count = siblings
    style = palette["fork"]
    return [
        (f"{number}/{count} ", style),
        (palette.signs.earlier, style + Style.from_meta({STEP: -1})),
        (" ", style),
        (palette.signs.later, style + Style.from_meta({STEP: 1})),
    ]


def shown_time(created_at: datetime, now: datetime) -> str:
    """A stored time as a reader here and `now` would tell it."""
    if created_at == UNKNOWN_TIME:
        return ""
    try:
        local = created_at.replace(tzinfo=UTC).astimezone()
    except (OverflowError, ValueError, OSError):
        local = created_at
    if local.date() == now.date():
        return f"{local:%H:%M}"
    if local.year == now.year:
        return f"{local.day} {local:%b %H:%M}"
    return f"{local.day} {local:%b} {local.year}"


def _count(tokens: int | None) -> str:
    if tokens is None:
        return "?"
    if tokens < 1_000:
        return str(tokens)
    if tokens < 999_500:
        return f"{tokens / 1_000:.1f}k" if tokens < 99_950 else f"{tokens / 1_000:.0f}k"
    return f"{tokens / 1_000_000:.1f}M"


def _width(runs: list[Run]) -> int:
    return sum(width_of(text) for text, _ in runs)
