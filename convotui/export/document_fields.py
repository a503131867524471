"""The fields of a document's messages, each checked before it is taken."""

from __future__ import annotations

import math
import re
from datetime import datetime
from typing import Any, get_args

from convotui.storage.records import (
    UNKNOWN_TIME,
    Block,
    ChatMessage,
    MessageId,
    Modality,
    ReplyFacts,
    ReplyState,
)

_TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?", re.ASCII)
_LIMIT = 2**63
"""The store keeps whole numbers below this."""


class DocumentError(ValueError):
    """A document cannot be read; the message says why and is fit to be shown."""


def read_message(value: object, number: int) -> ChatMessage:
    """Read the message that is `number` in its document, counted from one.

    Raises:
        DocumentError: If a field is missing or is not what it should be.
    """
    found = _Fields(value, f"Message {number}")
    parent = found.maybe_text("parent_id")
    facts = found.get("facts")
    return ChatMessage(
        id=MessageId(found.text("id")),
        parent_id=None if parent is None else MessageId(parent),
        role=found.text("role"),
        blocks=tuple(
            _block(_Fields(block, f"{found.where}, block {place}"))
            for place, block in enumerate(found.items("blocks"), 1)
        ),
        created_at=_time(found),
        title=found.maybe_text("title"),
        tool_result_error=found.flag("tool_result_error"),
        facts=None
        if facts is None
        else _facts(_Fields(facts, f"{found.where}, facts")),
    )


def _block(found: _Fields) -> Block:
    return Block(
        content=found.text("content"),
        type=found.text("type", "content"),
        modality=found.integer("modality", Modality.TEXT),
        mime_type=found.text("mime_type", "text/plain"),
        id=found.maybe_text("id"),
        extra_fields=found.maybe_text("extra_fields"),
    )


def _facts(found: _Fields) -> ReplyFacts:
    state: Any = found.text("state", "complete")
    if state not in get_args(ReplyState):
        raise found.wrong("state", "a known state")
    return ReplyFacts(
        model=found.maybe_text("model"),
        input_tokens=found.maybe_integer("input_tokens"),
        output_tokens=found.maybe_integer("output_tokens"),
        cached_tokens=found.maybe_integer("cached_tokens"),
        reasoning_tokens=found.maybe_integer("reasoning_tokens"),
        cost=found.maybe_number("cost"),
        first_token_seconds=found.maybe_number("first_token_seconds"),
        duration_seconds=found.maybe_number("duration_seconds"),
        finish_reason=found.maybe_text("finish_reason"),
        state=state,
        error=found.maybe_text("error"),
    )


def _time(found: _Fields) -> datetime:
    text = found.maybe_text("created_at")
    if text is None:
        return UNKNOWN_TIME
    try:
        if _TIME.fullmatch(text):
            return datetime.fromisoformat(text)
    except ValueError:
        pass
    raise found.wrong("created_at", "a time")


class _Fields:
    """One JSON object; a field that may be unknown is so when it is missing."""

    def __init__(self, value: object, where: str) -> None:
        if not isinstance(value, dict):
            raise DocumentError(f"{where} is not an object")
        self.get = value.get
        self.where = where

    def wrong(self, name: str, expected: str) -> DocumentError:
        return DocumentError(f"{self.where}: '{name}' is not {expected}")

    def text(self, name: str, default: str | None = None) -> str:
        value = self.get(name, default)
        if not isinstance(value, str):
            raise self.wrong(name, "text")
        return value

    def maybe_text(self, name: str) -> str | None:
        return None if self.get(name) is None else self.text(name)

    def integer(self, name: str, default: int | None = None) -> int:
        value = self.get(name, default)
        if not isinstance(value, int) or isinstance(value, bool):
            raise self.wrong(name, "a whole number")
        if not -_LIMIT <= value < _LIMIT:
            raise self.wrong(name, "a number that can be kept")
        return value

    def maybe_integer(self, name: str) -> int | None:
        return None if self.get(name) is None else self.integer(name)

    def maybe_number(self, name: str) -> float | None:
        value = self.get(name)
        if value is None:
            return None
        if isinstance(value, int):
            return float(self.integer(name))
        if not isinstance(value, float) or not math.isfinite(value):
            raise self.wrong(name, "a number")
        return value

    def flag(self, name: str) -> bool:
        value = self.get(name, False)
        if not isinstance(value, bool):
            raise self.wrong(name, "true or false")
        return value

    def items(self, name: str) -> list[object]:
        value = self.get(name)
        if not isinstance(value, list):
            raise self.wrong(name, "a list")
        return value
