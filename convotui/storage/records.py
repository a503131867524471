"""The values that the store takes and gives: no rows, no queries, no connections."""

from __future__ import annotations

import json
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import IntEnum
from typing import Any, Literal, NamedTuple, NewType

from convotui.storage.packing import PackedIds

MessageId = NewType("MessageId", str)

Role = Literal["user", "assistant", "tool_result"]
ROLES: tuple[Role, ...] = ("user", "assistant", "tool_result")

ReplyState = Literal["complete", "streaming", "interrupted", "failed"]

BEAT_LIFETIME = timedelta(seconds=15)
"""How long after its last beat a reply that streams still counts as streaming."""

SUBAGENT_PREFIX = "subagent:"
"""A title that begins so marks the trace of a subagent, and is no user's label."""

UNKNOWN_TIME = datetime.min
"""What stands for a stored time that cannot be read."""


class Modality(IntEnum):
    """What a block's content is; a file may hold other numbers too."""

    TEXT = 0
    IMAGE = 1
    AUDIO = 2
    VIDEO = 3


@dataclass(frozen=True, slots=True)
class Block:
    """One piece of a message's content.

    Text is kept as it is and anything else as base64. Types and modalities that
    convotui does not know are carried unchanged.
    """

    content: str
    type: str = "content"
    modality: int = Modality.TEXT
    mime_type: str = "text/plain"
    id: str | None = None
    """The tool call's id, on the call and on every block of its result."""
    extra_fields: str | None = None
    """JSON, character by character as it was stored."""

    @property
    def is_text(self) -> bool:
        """Whether the content can be read as it is."""
        return self.modality == Modality.TEXT

    @property
    def extra(self) -> dict[str, Any]:
        """The extra fields read as a JSON object; empty if they are none."""
        return read_object(self.extra_fields)


@dataclass(frozen=True, slots=True)
class ReplyFacts:
    """What is known of how a reply came about. `None` is unknown, not zero."""

    model: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost: float | None = None
    """In US dollars."""
    first_token_seconds: float | None = None
    duration_seconds: float | None = None
    finish_reason: str | None = None
    state: ReplyState = "complete"
    error: str | None = None
    """Why it failed, in one line."""


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One stored message with its content."""

    id: MessageId
    parent_id: MessageId | None
    role: str
    """One of `ROLES` in every file convotui wrote; any text in a foreign one."""
    blocks: tuple[Block, ...]
    created_at: datetime
    """UTC, without a zone."""
    title: str | None = None
    """The user's label, or the name of a subagent's trace."""
    tool_result_error: bool = False
    facts: ReplyFacts | None = None

    @property
    def text(self) -> str:
        """The readable content: what was said, without thinking and tool calls."""
        return "\n\n".join(
            block.content
            for block in self.blocks
            if block.is_text and block.type == "content"
        )


@dataclass(frozen=True, slots=True)
class Draft:
    """A message to be saved."""

    role: Role
    blocks: Sequence[Block]
    parent: MessageId | int | None = None
    """The parent's id, or the position of an earlier draft of the same save."""
    title: str | None = None
    tool_result_error: bool = False
    facts: ReplyFacts | None = None
    created_at: datetime | None = None
    """UTC, without a zone; the store's clock if not given."""
    id: MessageId | None = None
    """Kept if given; the save fails if it is taken."""


MISSING_PARENT = -2
"""In `Outline.parents`: a parent is named, but there is no such message."""
NO_PARENT = -1
"""In `Outline.parents`: the message begins a conversation."""


@dataclass(frozen=True, slots=True)
class Outline:
    """Where every message hangs, in the order of time, without any content.

    It is made for a million messages: ids without objects and flat arrays beside them,
    all indexed by a message's position in time.
    """

    ids: PackedIds = field(default_factory=PackedIds)
    parents: array[int] = field(default_factory=lambda: array("i"))
    """Positions, or `NO_PARENT`, or `MISSING_PARENT`. May hold cycles."""
    roles: bytearray = field(default_factory=bytearray)
    """Indexes into `ROLES`; `len(ROLES)` for any other role."""
    titles: dict[int, str] = field(default_factory=dict)
    """Only the messages that have one."""

    def __len__(self) -> int:
        return len(self.ids)


class Preview(NamedTuple):
    """What one row of a listing shows of a message."""

    id: MessageId
    role: str
    created_at: datetime
    text: str
    """The beginning of the message on one line."""
    title: str | None = None
    tool_result_error: bool = False
    model: str | None = None
    cost: float | None = None
    state: ReplyState = "complete"


def utc_now() -> datetime:
    """The current time as the store keeps it: UTC, without a zone."""
    return datetime.now(UTC).replace(tzinfo=None)


def read_object(stored: str | None) -> dict[str, Any]:
    """Return a stored JSON object; an empty one if it is none."""
    try:
        value = json.loads(stored or "{}")
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def read_time(stored: object) -> datetime:
    """Return a stored time; `UNKNOWN_TIME` if it is none."""
    if not isinstance(stored, str):
        return UNKNOWN_TIME
    try:
        time = datetime.fromisoformat(stored)
        return (
            time if time.tzinfo is None else time.astimezone(UTC).replace(tzinfo=None)
        )
    except (ValueError, OverflowError):
        return UNKNOWN_TIME


def is_storable(text: str) -> bool:
    """Whether a text has no half characters, which UTF-8 cannot hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def storable(text: str) -> str:
    """Return a text with half characters replaced; two halves become a whole."""
    if text.isascii() or is_storable(text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def is_subagent(title: str | None) -> bool:
    """Whether a title marks a subagent's trace."""
    return title is not None and title.startswith(SUBAGENT_PREFIX)
