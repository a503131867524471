"""One entry of a session of pi as a message, if it is one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from convotui.importers.shaping import (
    amount_of,
    call_block,
    compact,
    count_of,
    dict_of,
    list_of,
    milliseconds,
    text_block,
    text_of,
    time_of,
    url_block,
)
from convotui.storage.arrivals import Arrival
from convotui.storage.records import Block, ReplyFacts, ReplyState, Role

_ROLES: dict[str, Role] = {"assistant": "assistant", "toolResult": "tool_result"}
_ENTRIES = {
    "custom_message": "custom",
    "compaction": "compaction",
    "branch_summary": "branch_summary",
}
"""Entries that are messages themselves, and what they would be as one."""
_STATES: dict[str, ReplyState] = {"error": "failed", "aborted": "interrupted"}
_TOLD = frozenset(
    (
        "type",
        "id",
        "parentId",
        "timestamp",
        "role",
        "content",
        "command",
        "output",
        "summary",
        "model",
        "stopReason",
        "errorMessage",
        "toolCallId",
        "isError",
    )
)
"""What has a place of its own."""

Fields = dict[str, Any]


def message_of(entry: Fields) -> Arrival | None:
    """Return the message that an entry is, without a key and a place."""
    kind = entry["type"]
    if kind in _ENTRIES:
        message = {**entry, "role": _ENTRIES[kind]}
    elif kind == "message":
        message = dict_of(entry.get("message"))
    else:
        return None
    stored = text_of(message.get("role")) or "user"
    role = _ROLES.get(stored, "user")
    call = text_of(message.get("toolCallId")) if role == "tool_result" else None
    time = time_of(entry.get("timestamp")) or milliseconds(message.get("timestamp"))
    return Arrival(
        key="",
        role=role,
        blocks=list(_blocks(stored, message, call)) or [text_block("", call=call)],
        created_at=time,
        tool_result_error=role == "tool_result" and message.get("isError") is True,
        facts=_facts(message) if role == "assistant" else None,
        meta={name: value for name, value in message.items() if name not in _TOLD},
    )


def _facts(message: Fields) -> ReplyFacts:
    usage = dict_of(message.get("usage"))
    read = count_of(usage.get("cacheRead"))
    sent = [count_of(usage.get("input")), read, count_of(usage.get("cacheWrite"))]
    reason = text_of(message.get("stopReason"))
    return ReplyFacts(
        model=text_of(message.get("model")),
        # pi does not count as input what was read from a cache, or written to it.
        input_tokens=sum(filter(None, sent)) if any(sent) else None,
        output_tokens=count_of(usage.get("output")),
        cached_tokens=read,
        cost=amount_of(dict_of(usage.get("cost")).get("total")),
        finish_reason=reason,
        state=_STATES.get(reason or "", "complete"),
        error=text_of(message.get("errorMessage")),
    )


def _blocks(stored: str, message: Fields, call: str | None) -> Iterator[Block]:
    match stored:
        case "compaction" | "compactionSummary" | "branch_summary" | "branchSummary":
            summary = text_of(message.get("summary")) or ""
            kind = "compaction" if stored.startswith("compaction") else "branch_summary"
            yield text_block(summary, injected=True, pi_role=kind)
        case "bashExecution":
            said = [text_of(message.get(name)) or "" for name in ("command", "output")]
            yield text_block("$ " + "\n".join(said), pi_role=stored)
        case "custom" | "hookMessage":
            yield from _content(message.get("content"), None, "custom")
        case "user" | "assistant" | "toolResult":
            yield from _content(message.get("content"), call, None)
        case _:
            yield from _content(message.get("content"), call, stored)


def _content(content: object, call: str | None, role: str | None) -> Iterator[Block]:
    """Yield blocks, marked with a role that nobody else has."""
    injected = True if role == "custom" else None
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    for part in map(dict_of, list_of(content)):
        text = text_of(part.get("text"))
        match part.get("type"):
            case "text" if text is not None:
                signature = part.get("textSignature")
                yield text_block(
                    text,
                    call=call,
                    injected=injected,
                    pi_role=role,
                    text_signature=signature,
                )
            case "text":
                continue
            case "thinking":
                yield text_block(
                    text_of(part.get("thinking")) or "",
                    kind="thinking",
                    thinking_signature=part.get("thinkingSignature"),
                )
            case "toolCall":
                name, arguments = part.get("name"), part.get("arguments")
                signature = part.get("thoughtSignature")
                yield call_block(
                    text_of(part.get("id")),
                    name,
                    arguments,
                    thought_signature=signature,
                )
            case "image" if text_of(part.get("data")) is not None:
                mime_type = text_of(part.get("mimeType")) or "image/png"
                picture = url_block(f"data:{mime_type};base64,{part['data']}")
                yield replace(picture, id=call)
            case _:
                yield text_block(compact(part), call=call, pi_role=role)
