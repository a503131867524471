"""What one line of a session of Claude Code says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from convotui.importers.shaping import (
    amount_of,
    count_of,
    dict_of,
    known,
    list_of,
    text_of,
)
from convotui.storage.records import Block, ReplyFacts

SOURCE = "claude-code"

Line = dict[str, Any]

_PLACED = (
    "type",
    "message",
    "uuid",
    "parentUuid",
    "logicalParentUuid",
    "timestamp",
    "isSidechain",
)
"""What of a line has a place of its own."""
_SYNTHETIC = "<synthetic>"
"""The model of what the program itself says in the model's name."""


def said(line: Line) -> object | None:
    """Return the content of a line; `None` if it is no message."""
    if line.get("type") in ("user", "assistant"):
        content = dict_of(line.get("message")).get("content")
        return content if isinstance(content, str | list) else None
    attachment = dict_of(line.get("attachment"))
    if line.get("type") == "attachment" and attachment.get("type") == "queued_command":
        # What the user typed while a reply was coming in.
        prompt = attachment.get("prompt")
        return prompt if isinstance(prompt, str | list) else None
    return None


def without_content(line: Line) -> Line:
    """Return a line without what it says, which would be in memory twice."""
    line = dict(line)
    message, result = line.get("message"), line.get("toolUseResult")
    if isinstance(message, dict):
        line["message"] = {k: v for k, v in message.items() if k != "content"}
    if isinstance(result, dict):
        # The file as it was before it was edited is no part of the conversation.
        line["toolUseResult"] = {k: v for k, v in result.items() if k != "originalFile"}
    elif line.get("type") == "progress":
        line.pop("data", None)
    return line


def asked_agents(content: object) -> dict[str, str]:
    """Return the kinds of agents that a reply asks, by what they are asked."""
    asked: dict[str, str] = {}
    for part in map(dict_of, list_of(content)):
        call = dict_of(part.get("input"))
        prompt, kind = text_of(call.get("prompt")), text_of(call.get("subagent_type"))
        if prompt and kind:
            asked[prompt] = kind.replace(":", "-")
    return asked


def is_boundary(line: Line) -> bool:
    """Whether a conversation begins anew here, with a summary of what was said."""
    return text_of(line.get("parentUuid")) is None and line.get("type") == "system"


def event_of(line: Line) -> Line | None:
    """Return what is worth keeping of a line that is no message."""
    if line.get("type") not in ("system", "attachment"):
        return None
    left_out = ("uuid", "parentUuid", "sessionId", "cwd", "version", "gitBranch")
    return {name: value for name, value in line.items() if name not in left_out}


def meta_of(first: Line, last: Line, events: Sequence[Line]) -> dict[str, Any]:
    """Return what else is known of a message."""
    meta = {
        name: value
        for name, value in first.items()
        if name not in _PLACED and value not in (None, False, "", [])
    }
    message = dict_of(last.get("message"))
    return {
        **meta,
        **known(
            message_id=text_of(message.get("id")),
            usage=dict_of(message.get("usage")) or None,
            events=list(events) or None,
        ),
    }


def facts_of(first: Line, last: Line, blocks: Sequence[Block]) -> ReplyFacts:
    """Return what is known of a reply; its last line knows all that was used."""
    message = dict_of(last.get("message"))
    usage = dict_of(message.get("usage"))
    parts = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    read = [count for name in parts if (count := count_of(usage.get(name))) is not None]
    model = text_of(message.get("model"))
    has_failed = first.get("isApiErrorMessage") is True
    text = next((b.content for b in blocks if b.type == "content"), "")
    return ReplyFacts(
        model=None if model == _SYNTHETIC else model,
        input_tokens=sum(read) if read else None,
        output_tokens=count_of(usage.get("output_tokens")),
        cached_tokens=count_of(usage.get("cache_read_input_tokens")),
        cost=amount_of(last.get("costUSD")),
        finish_reason=text_of(message.get("stop_reason")),
        state="failed" if has_failed else "complete",
        error=" ".join(text.split())[:500] if has_failed else None,
    )
