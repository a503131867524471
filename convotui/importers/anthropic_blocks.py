"""Content as Anthropic's API has it, and all programs that keep it as it came."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from convotui.importers.shaping import (
    call_block,
    compact,
    dict_of,
    image_block,
    list_of,
    text_block,
    text_of,
    url_block,
)
from convotui.importers.threads import spoken
from convotui.storage.records import Block, Role


@dataclass(slots=True)
class Turn:
    """What one side said in one go; a result is one of its own."""

    role: Role
    blocks: list[Block]
    is_error: bool = False
    started: object = None
    """When it began, if that is known."""


def content_blocks(content: object) -> Iterator[Block]:
    """Return the blocks of content that is text, or a list of parts."""
    return map(anthropic_block, _parts(content))


def _parts(content: object) -> Iterable[dict[str, Any]]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    parts = content if isinstance(content, list) else []
    return [
        part if isinstance(part, dict) else {"type": "text", "text": _text(part)}
        for part in parts
    ]


def _text(part: object) -> str:
    return part if isinstance(part, str) else compact(part)


def anthropic_block(part: dict[str, Any]) -> Block:
    """Return the block of a part; one of an unknown type keeps its type, as JSON."""
    kind = text_of(part.get("type")) or "unknown"
    match kind:
        case "text" if isinstance(part.get("text"), str):
            return text_block(part["text"], **_more(part, "text"))
        case "thinking":
            return _thinking(part)
        case "redacted_thinking" if isinstance(part.get("data"), str):
            return Block(part["data"], kind)
        case "tool_use" | "server_tool_use":
            more = _more(part, "id", "name", "input")
            call = text_of(part.get("id"))
            return call_block(call, part.get("name"), part.get("input"), **more)
        case "image" | "document":
            return _file(part)
    return Block(compact(part), kind, mime_type="application/json")


def _thinking(part: dict[str, Any]) -> Block:
    return text_block(
        _text(part.get("thinking") or ""),
        kind="thinking",
        thinking_generator="anthropic",
        anthropic_thinking_signature=text_of(part.get("signature")),
        **_more(part, "thinking", "signature"),
    )


def _more(part: dict[str, Any], *known: str) -> dict[str, Any]:
    """Return what else a part has, as one extra field."""
    known = ("type", "start_timestamp", "stop_timestamp", *known)
    more = {name: value for name, value in part.items() if name not in known and value}
    return {"anthropic_fields": more} if more else {}


def _file(part: dict[str, Any]) -> Block:
    source = dict_of(part.get("source"))
    name = text_of(part.get("title")) or text_of(part.get("filename"))
    data, mime_type = source.get("data"), text_of(source.get("media_type"))
    match source.get("type"):
        case "base64" if isinstance(data, str):
            return image_block(data, mime_type or "image/png", filename=name)
        case "text" if isinstance(data, str):
            return text_block(data, filename=name)
        case "content":
            inner = list_of(source.get("content"))
            return text_block(compact(inner), filename=name)
        case "url":
            return url_block(source.get("url"))
    return Block(compact(part), str(part.get("type")), mime_type="application/json")


def turns(
    content: object,
    role: Role,
    name: str,
    block_of: Callable[[dict[str, Any]], Block] = anthropic_block,
) -> list[Turn]:
    """Divide content into turns; `name` makes ids for calls that have none."""
    found: list[Turn] = []
    waiting: list[str] = []
    for number, part in enumerate(_parts(content)):
        if part.get("type") == "tool_result":
            found.append(_result(part, waiting))
            continue
        if part.get("type") == "tool_use":
            part = {**part, "id": text_of(part.get("id")) or f"{name}-{number}"}
            waiting.append(part["id"])
        if not found or found[-1].role != role:
            found.append(Turn(role, [], started=part.get("start_timestamp")))
        found[-1].blocks.append(block_of(part))
    return found


def _result(part: dict[str, Any], waiting: list[str]) -> Turn:
    """Return the result of the call that it names, or else of the first that waits."""
    call = text_of(part.get("tool_use_id")) or next(iter(waiting), None)
    if call in waiting:
        waiting.remove(call)
    blocks = spoken(content_blocks(part.get("content")), call)
    if more := _more(part, "tool_use_id", "content", "is_error"):
        extra = compact({**blocks[0].extra, **more})
        blocks[0] = replace(blocks[0], extra_fields=extra)
    is_error = part.get("is_error") is True
    return Turn("tool_result", blocks, is_error, part.get("start_timestamp"))
