"""What every export says of a message, in the same words."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal

from convotui.storage.records import UNKNOWN_TIME, Block, ChatMessage, Modality

Kind = Literal["text", "result", "thinking", "secret", "call", "data", "other"]

Local = Callable[[datetime], datetime]
"""Takes a stored time to the time where the reader is."""

_ROLES = {"user": "User", "assistant": "Assistant", "tool_result": "Tool result"}


def kind(block: Block, role: str) -> Kind:
    """Say how a block of a message is shown; `secret` is thinking nobody can read."""
    if block.type == "redacted_thinking" or (
        block.type not in ("content", "tool_call")
        and block.extra.get("reasoning_type") == "reasoning.encrypted"
    ):
        return "secret"
    if not block.is_text:
        return "data"
    match block.type:
        case "content":
            return "result" if role == "tool_result" else "text"
        case "tool_call":
            return "call"
        case "thinking":
            return "thinking"
    return "other"


def role_name(role: str) -> str:
    """Name a role for people; one that convotui does not know keeps its own name."""
    return _ROLES.get(role, role) or "Unknown"


def shown_time(created_at: datetime, local: Local) -> str:
    """Write a stored time as people read it."""
    if created_at == UNKNOWN_TIME:
        return "time unknown"
    # The ends of the calendar are in no zone but UTC.
    with suppress(OverflowError, ValueError, OSError):
        created_at = local(created_at)
    return created_at.isoformat(" ", "minutes")[:16]


def marks(message: ChatMessage) -> list[str]:
    """What a reader must know before trusting a message."""
    found = []
    if message.tool_result_error:
        found.append("error")
    facts = message.facts
    if facts is not None and facts.state != "complete":
        found.append(f"{facts.state}: {facts.error}" if facts.error else facts.state)
    return found


def secrecy(block: Block) -> str:
    """Why thinking cannot be read."""
    return "redacted" if block.type == "redacted_thinking" else "encrypted"


def data_name(block: Block) -> str:
    """Name content that is not text by its type, its size and its file's name."""
    size = len(block.content) * 3 // 4 - block.content[-2:].count("=")
    parts = [_data_type(block), f"{max(0, size):,} bytes"]
    file_name = block.extra.get("filename")
    if isinstance(file_name, str) and file_name:
        parts.append(file_name)
    return ", ".join(parts)


def _data_type(block: Block) -> str:
    if block.mime_type:
        return block.mime_type
    known = block.modality in Modality.__members__.values()
    return Modality(block.modality).name.lower() if known else "unknown type"


def call_parts(block: Block) -> tuple[str, str | None]:
    """The name of the tool that was called, if it has one, and what it was given."""
    call = _parsed(block.content)
    if not isinstance(call, dict) or not isinstance(call.get("name"), str):
        return "", block.content
    if not call.keys() <= {"name", "parameters"}:
        return call["name"], block.content
    if call.get("parameters") is None:
        return call["name"], None
    try:
        return call["name"], json.dumps(call["parameters"], ensure_ascii=False)
    except RecursionError:
        return call["name"], block.content


def pretty(text: str) -> str | None:
    """Indent `text` if it is a JSON object or list of which nothing gets lost."""
    value = _parsed(text)
    if not isinstance(value, dict | list):
        return None
    try:
        return json.dumps(value, indent=2, ensure_ascii=False)
    except RecursionError:
        return None


def _parsed(text: str) -> Any:
    try:
        return json.loads(
            text,
            object_pairs_hook=_unique,
            parse_float=_exact,
            parse_constant=_refused,
        )
    except (ValueError, ArithmeticError, RecursionError):
        return None


def _unique(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    listed = list(pairs)
    unique = dict(listed)
    if len(unique) != len(listed):
        raise ValueError
    return unique


def _exact(digits: str) -> float:
    number = float(digits)
    if Decimal(digits) != Decimal(repr(number)):
        raise ValueError
    return number


def _refused(_: str) -> float:
    raise ValueError
