"""Stored messages as the turns that a model is given.

Nothing here changes the store. Every tool call that is sent is followed by its result,
and every result follows its call, whatever was deleted, forked or cut.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, count
from typing import Literal, NamedTuple

from convotui.export.words import call_parts
from convotui.llm import Media, Part, Text, Thinking, ToolCall, ToolResult, Turn
from convotui.storage import Block, ChatMessage, Modality

NO_RESULT = "There is no result: the call was interrupted."
SIGNATURE = "anthropic_thinking_signature"
GENERATOR = "thinking_generator"

_Side = Literal["user", "assistant"]


class _Call(NamedTuple):
    """A call without a result so far."""

    stored_id: str
    sent_id: str


def turns_of(messages: Iterable[ChatMessage], provider: str) -> list[Turn]:
    """Return a thread as turns for a provider, without the thinking of any other."""
    sides: list[tuple[_Side, list[Part]]] = []
    for message in messages:
        side: _Side = "assistant" if message.role == "assistant" else "user"
        parts = list(_parts(message, provider))
        if not parts:
            continue
        if sides and sides[-1][0] == side:
            sides[-1][1].extend(parts)
        else:
            sides.append((side, parts))
    return list(_paired([Turn(side, parts) for side, parts in sides]))


def _parts(message: ChatMessage, provider: str) -> Iterator[Part]:
    if message.role == "tool_result":
        yield _result(message)
        return
    for block in message.blocks:
        if block.type == "thinking":
            signature = block.extra.get(SIGNATURE)
            is_own = block.extra.get(GENERATOR) == provider
            if is_own and isinstance(signature, str) and signature:
                yield Thinking(block.content, signature)
        elif block.type == "tool_call":
            name, arguments = call_parts(block)
            if block.id and name:
                yield ToolCall(block.id, name, arguments or "{}")
        elif block.type == "content":
            yield from _content(block)


def _content(block: Block) -> Iterator[Part]:
    if block.modality == Modality.TEXT:
        if block.content.strip():
            yield Text(block.content)
    elif block.modality == Modality.IMAGE or block.mime_type == "application/pdf":
        yield Media(block.mime_type, block.content)
    else:
        yield Text(f"[a file of type {block.mime_type} was here]")


def _result(message: ChatMessage) -> ToolResult:
    call_id = next((block.id for block in message.blocks if block.id), "")
    content = [part for block in message.blocks for part in _content(block)]
    return ToolResult(
        call_id,
        "\n\n".join(part.text for part in content if isinstance(part, Text)),
        message.tool_result_error,
        tuple(part for part in content if isinstance(part, Media)),
    )


def _paired(turns: Sequence[Turn]) -> Iterator[Turn]:
    """Give every call a result and turn results without a call into words."""
    used: set[str] = set()
    open_calls: list[_Call] = []
    for turn in turns:
        if turn.role == "assistant":
            yield from _unanswered(open_calls)
            turn, open_calls = _with_own_ids(turn, used)
            yield turn
            continue
        results: list[Part] = []
        words: list[Part] = []
        for part in turn.parts:
            if not isinstance(part, ToolResult):
                words.append(part)
            elif call := _call_of(part, open_calls):
                open_calls.remove(call)
                results.append(replace(part, call_id=call.sent_id))
            else:
                words.append(Text(f"[The result of a tool:]\n{part.text}"))
                words.extend(part.media)
        results += [ToolResult(call.sent_id, NO_RESULT, True) for call in open_calls]
        open_calls = []
        yield Turn("user", [*results, *words])
    yield from _unanswered(open_calls)


def _with_own_ids(turn: Turn, used: set[str]) -> tuple[Turn, list[_Call]]:
    """Give each call an id of its own: some providers count anew in every message."""
    parts: list[Part] = []
    calls: list[_Call] = []
    for part in turn.parts:
        if isinstance(part, ToolCall):
            ids = chain([part.id], (f"{part.id}_{number}" for number in count(2)))
            own = next(own for own in ids if own not in used)
            used.add(own)
            calls.append(_Call(part.id, own))
            part = replace(part, id=own)
        parts.append(part)
    return Turn(turn.role, parts), calls


def _call_of(result: ToolResult, calls: Sequence[_Call]) -> _Call | None:
    """Return the nearest call before a result that it can belong to."""
    own = (call for call in reversed(calls) if call.stored_id == result.call_id)
    return next(own, None)


def _unanswered(calls: Sequence[_Call]) -> Iterator[Turn]:
    if calls:
        results = [ToolResult(call.sent_id, NO_RESULT, True) for call in calls]
        yield Turn("user", results)
