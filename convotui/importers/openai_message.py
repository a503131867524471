"""One message as OpenAI's API, or one that follows it, takes it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any

from convotui.importers.anthropic_blocks import Turn, anthropic_block, turns
from convotui.importers.shaping import (
    call_block,
    compact,
    count_of,
    dict_of,
    image_block,
    json_of,
    known,
    list_of,
    milliseconds,
    text_block,
    text_of,
    time_of,
    url_block,
)
from convotui.importers.threads import hidden, spoken
from convotui.storage.arrivals import Arrival
from convotui.storage.records import Block, ReplyFacts, Role

Fields = dict[str, Any]

_ROLES: dict[str | None, Role] = {
    "user": "user",
    "human": "user",
    "system": "user",
    "developer": "user",
    "assistant": "assistant",
    "model": "assistant",
    "ai": "assistant",
    "tool": "tool_result",
    "function": "tool_result",
}
_FOLDED = ("system", "developer")
_PLACED = (
    "role",
    "content",
    "tool_calls",
    "function_call",
    "tool_call_id",
    "reasoning_content",
    "reasoning",
    "thinking_blocks",
    "refusal",
    "model",
    "usage",
    "finish_reason",
)
"""What of a message has a place of its own."""
_TIMES = ("created_at", "create_time", "timestamp", "created", "time")
_TOO_LATE = 100_000_000_000
"""Seconds since 1970 that can only be milliseconds."""
_AUDIO = {"mp3": "mpeg"}


def is_message(value: object) -> bool:
    """Whether a value is a message."""
    fields = dict_of(value)
    says = {"content", "tool_calls", "function_call"} & fields.keys()
    return isinstance(fields.get("role"), str) and bool(says)


class Reader:
    """Reads the messages of one conversation, one after the other."""

    def __init__(self, model: str | None = None) -> None:
        self._model = model
        self._calls = 0
        self._waiting: list[str] = []
        """Calls without an id of their own, whose results are to come."""

    def read(self, value: object) -> Iterator[Arrival]:
        """Return the messages that a message is: results in it are of their own."""
        fields = dict_of(value)
        role = _ROLES.get(text_of(fields.get("role")), "user")
        self._calls += 1
        name = f"call-{self._calls}"
        if role == "tool_result":
            found = [self._result(fields)]
        else:
            content = fields.get("content")
            if not isinstance(content, str | list) and content is not None:
                content = compact(content)
            parts = [*_thinking(fields), *_parts(content)]
            found = turns(parts, role, name, _block) or [Turn(role, [])]
            last = [*_refusal(fields), *self._called(fields, name)]
            if last and found[-1].role != role:
                found.append(Turn(role, []))
            found[-1].blocks += last
        for number, turn in enumerate(found):
            is_last = number == len(found) - 1
            yield _arrival(fields, turn, self._model, is_last=is_last)

    def _result(self, fields: Fields) -> Turn:
        call = text_of(fields.get("tool_call_id"))
        if call is None and self._waiting:
            call = self._waiting.pop(0)
        blocks = [_block(part) for part in _parts(fields.get("content"))]
        is_error = fields.get("is_error") is True
        return Turn("tool_result", spoken(blocks, call), is_error)

    def _called(self, fields: Fields, name: str) -> Iterator[Block]:
        calls = list(map(dict_of, list_of(fields.get("tool_calls"))))
        if isinstance(old := fields.get("function_call"), dict):
            calls.append({"function": old})
        for number, call in enumerate(calls):
            custom = dict_of(call.get("custom"))
            function = dict_of(call.get("function")) or custom or call
            own_id = text_of(call.get("id"))
            if own_id is None:
                own_id = f"{name}-{number}"
                self._waiting.append(own_id)
            arguments = function.get("arguments", function.get("input"))
            parsed = json_of(arguments)
            parameters = arguments if parsed is None else parsed
            yield call_block(own_id, function.get("name"), parameters)


def _arrival(
    fields: Fields, turn: Turn, model: str | None, *, is_last: bool
) -> Arrival:
    own_role = fields.get("role")
    blocks = spoken(turn.blocks)
    more = {k: v for k, v in fields.items() if k not in _PLACED and v is not None}
    is_known = own_role == turn.role or own_role == "tool"
    is_reply = turn.role == "assistant"
    return Arrival(
        key="",
        role=turn.role,
        blocks=hidden(blocks) if own_role in _FOLDED else blocks,
        created_at=_time(fields),
        tool_result_error=turn.is_error,
        facts=_facts(fields, model, is_last=is_last) if is_reply else None,
        meta={**more, **known(role=None if is_known else own_role)},
    )


def _time(fields: Fields) -> datetime | None:
    for name in _TIMES:
        value = fields.get(name)
        number = value if isinstance(value, int | float) else 0
        time = milliseconds(value) if number > _TOO_LATE else time_of(value)
        if time is not None:
            return time
    return None


def _facts(fields: Fields, model: str | None, *, is_last: bool) -> ReplyFacts:
    usage = dict_of(fields.get("usage")) if is_last else {}
    read = dict_of(usage.get("prompt_tokens_details"))
    written = dict_of(usage.get("completion_tokens_details"))
    return ReplyFacts(
        model=text_of(fields.get("model")) or model,
        input_tokens=count_of(usage.get("prompt_tokens", usage.get("input_tokens"))),
        output_tokens=count_of(
            usage.get("completion_tokens", usage.get("output_tokens"))
        ),
        cached_tokens=count_of(read.get("cached_tokens")),
        reasoning_tokens=count_of(written.get("reasoning_tokens")),
        finish_reason=text_of(fields.get("finish_reason")),
    )


def _thinking(fields: Fields) -> Iterator[Fields]:
    """Return the parts that think; what is signed is told again without."""
    if signed := list_of(fields.get("thinking_blocks")):
        yield from map(dict_of, signed)
        return
    for name in ("reasoning_content", "reasoning"):
        if text := text_of(fields.get(name)):
            yield {"type": "reasoning", "text": text}
            return


def _refusal(fields: Fields) -> Iterator[Block]:
    if text := text_of(fields.get("refusal")):
        yield text_block(text, refusal=True)


def _parts(content: object) -> list[Fields]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    parts = content if isinstance(content, list) else []
    return [
        part if isinstance(part, dict) else {"type": "text", "text": _text(part)}
        for part in parts
    ]


def _text(part: object) -> str:
    return part if isinstance(part, str) else compact(part)


def _block(part: Fields) -> Block:
    text = part.get("text")
    match part.get("type"):
        case "text" | "input_text" | "output_text" if isinstance(text, str):
            return text_block(text)
        case "refusal":
            return text_block(_text(part.get("refusal")), refusal=True)
        case "reasoning" if isinstance(text, str):
            return text_block(text, kind="thinking")
        case "image_url" | "input_image" if "image_url" in part:
            url = part["image_url"]
            if not isinstance(url, dict):
                return url_block(url)
            more = {k: v for k, v in url.items() if k != "url"}
            return _with(url_block(url.get("url")), more)
        case "input_audio" if text_of(dict_of(part.get("input_audio")).get("data")):
            audio = part["input_audio"]
            kind = text_of(audio.get("format")) or "wav"
            return image_block(audio["data"], f"audio/{_AUDIO.get(kind, kind)}")
        case "file" if text_of(dict_of(part.get("file")).get("file_data")):
            file = part["file"]
            more = {k: v for k, v in file.items() if k != "file_data"}
            return _with(url_block(file["file_data"]), more)
    return anthropic_block(part)


def _with(block: Block, more: Fields) -> Block:
    """Return a block with more in its extra fields."""
    fields = {**block.extra, **more}
    return replace(block, extra_fields=compact(fields) if fields else None)
