"""The chunks of a reply as OpenAI shapes them, told in pieces.

They come from any server at all: whatever is not what it should be is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

from convotui.llm.client import (
    Piece,
    TextPiece,
    ThinkingPiece,
    ToolCallPiece,
    UsagePiece,
)

N = TypeVar("N", int, float)

_MOST_TOKENS = 10**12
_MOST_DOLLARS = 10**6
"""More than this was not counted but made up."""


def pieces_of(chunk: Any) -> Iterator[Piece]:
    """Yield what a chunk adds to the reply."""
    delta = getattr(_choice(chunk), "delta", None)
    thought = _thought(delta)
    if thought.text or thought.signature:
        yield thought
    if text := _text(delta, "content"):
        yield TextPiece(text)
    calls = getattr(delta, "tool_calls", None)
    for call in calls if isinstance(calls, list) else ():
        yield _call(call)


def finish_of(chunk: Any) -> str:
    """Return why the reply ends with this chunk, or an empty string if it goes on."""
    return _text(_choice(chunk), "finish_reason")


def usage_of(
    total: Any, counted: Sequence[Any], cost: float | None = None
) -> UsagePiece:
    """Return what the provider `counted`, added up in `total`.

    The details are the provider's own: in a total they may be guessed.
    """
    prompts = [_field(usage, "prompt_tokens_details") for usage in counted]
    completions = [_field(usage, "completion_tokens_details") for usage in counted]
    return UsagePiece(
        input_tokens=_count(total, "prompt_tokens"),
        output_tokens=_count(total, "completion_tokens"),
        cached_tokens=_last(_count(details, "cached_tokens") for details in prompts),
        reasoning_tokens=_last(
            _count(details, "reasoning_tokens") for details in completions
        ),
        cost=cost,
    )


def own_cost(counted: Sequence[Any]) -> float | None:
    """Return the cost in US dollars if the server itself tells it."""
    costs = [_field(usage, "cost") for usage in counted]
    return _last(
        as_cost(cost) for told in costs for cost in (told, _field(told, "total_cost"))
    )


def as_cost(value: Any) -> float | None:
    """Return a number of dollars, if a value is one that somebody may have paid."""
    return float(value) if _is_number(value) and 0 <= value <= _MOST_DOLLARS else None


def _choice(chunk: Any) -> Any:
    choices = getattr(chunk, "choices", None)
    return choices[0] if isinstance(choices, list) and choices else None


def _thought(delta: Any) -> ThinkingPiece:
    blocks = _field(delta, "thinking_blocks")
    blocks = blocks if isinstance(blocks, list) else []
    signatures = [_text(block, "signature") for block in blocks]
    # The text in a block may be that of the whole thought, told piece by piece before.
    return ThinkingPiece(
        _text(delta, "reasoning_content"),
        next(filter(None, reversed(signatures)), None),
    )


def _call(call: Any) -> ToolCallPiece:
    function = _field(call, "function")
    return ToolCallPiece(
        index=_count(call, "index") or 0,
        id=_text(call, "id"),
        name=_text(function, "name"),
        arguments=_text(function, "arguments"),
    )


def _field(value: Any, name: str) -> Any:
    """Return a field of an object or a mapping; which of them it is, varies."""
    if isinstance(value, dict):
        return value.get(name)
    return getattr(value, name, None)


def _text(value: Any, name: str) -> str:
    text = _field(value, name)
    return text if isinstance(text, str) else ""


def _count(value: Any, name: str) -> int | None:
    number = _field(value, name)
    return int(number) if _is_number(number) and 0 <= number <= _MOST_TOKENS else None


def _last(values: Iterable[N | None]) -> N | None:
    """Return the last value that is one."""
    known = [value for value in values if value is not None]
    return known[-1] if known else None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
