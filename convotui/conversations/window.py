"""What of a thread fits into what a model can read at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from convotui.llm import (
    Media,
    Part,
    Request,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Turn,
)

_BYTES_PER_TOKEN = 3.5
_TOKENS_PER_PART = 4
_TOKENS_PER_IMAGE = 1_200
_REPLY_SHARE = 4
"""The reply gets no less than one part in so many of the window, if it needs it."""
_LONGEST_REPLY = 8_192


@dataclass(frozen=True, slots=True)
class Fitted:
    """What is sent, about how long it is, and how much was left out."""

    request: Request
    tokens: int
    """About how many tokens are sent."""
    window: int | None
    """How many the model can read; `None` if nobody knows."""
    left_out: int
    """How many turns at the beginning are not sent."""


def fit(
    turns: Sequence[Turn], system: str, window: int | None, max_tokens: int | None
) -> Fitted:
    """Leave out the oldest turns until the rest fits, with room for the reply.

    The rest begins with something the user said, so that no result is without its
    call. What was said last is always sent.
    """
    lengths = [_length(turn) for turn in turns]
    tokens = sum(lengths) + _estimate(system)
    if window is None:
        return Fitted(Request(turns, system), tokens, None, 0)
    room = window - min(max_tokens or _LONGEST_REPLY, window // _REPLY_SHARE)
    if tokens <= room:
        return Fitted(Request(turns, system), tokens, window, 0)
    left_out, remaining = 0, tokens
    for start, turn in enumerate(turns):
        if _is_prompt(turn):
            left_out, remaining = start, tokens
            if tokens <= room:
                break
        tokens -= lengths[start]
    return Fitted(Request(turns[left_out:], system), remaining, window, left_out)


def _is_prompt(turn: Turn) -> bool:
    return turn.role == "user" and not any(
        isinstance(part, ToolResult) for part in turn.parts
    )


def _length(turn: Turn) -> int:
    return sum(_part_length(part) for part in turn.parts) + _TOKENS_PER_PART


def _part_length(part: Part) -> int:
    match part:
        case Text(text) | Thinking(text):
            return _estimate(text)
        case ToolCall(_, name, arguments):
            return _estimate(name) + _estimate(arguments)
        case ToolResult(_, text, _, media):
            return _estimate(text) + sum(map(_part_length, media))
        case Media(mime_type, data):
            is_image = mime_type.startswith("image/")
            # A page of a PDF takes about as much as its text and its picture.
            return _TOKENS_PER_IMAGE if is_image else len(data) // 20


def _estimate(text: str) -> int:
    size = len(text) if text.isascii() else len(text.encode(errors="replace"))
    return int(size / _BYTES_PER_TOKEN) + _TOKENS_PER_PART
