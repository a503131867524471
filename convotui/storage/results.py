"""What the store tells of messages: changes to them, searches, totals."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple

from convotui.storage.records import MessageId


@dataclass(frozen=True, slots=True)
class Change:
    """Something the user did that can be undone."""

    id: int
    kind: Literal["delete", "label"]
    message_ids: tuple[MessageId, ...]
    """The messages that were named, without those below them."""
    message_count: int
    """How many messages it took in all."""
    created_at: datetime
    before: str | None = None
    """The label that was there."""
    after: str | None = None


@dataclass(frozen=True, slots=True)
class TrashEntry:
    """A delete that can still be undone, and the beginning of what it took."""

    change: Change
    text: str


@dataclass(frozen=True, slots=True)
class Weight:
    """What goes when messages are deleted with everything below them."""

    messages: int
    forks: int
    labels: int


@dataclass(frozen=True, slots=True)
class Hit:
    """A message that a search found, with the words around the first match."""

    id: MessageId
    role: str
    created_at: datetime
    title: str | None
    before: str
    match: str
    after: str


class ReplyTotals(NamedTuple):
    """What one reply adds to the totals of its thread."""

    id: MessageId
    model: str | None
    input_tokens: int
    output_tokens: int
    cost: float


@dataclass(frozen=True, slots=True)
class Usage:
    """What was said with one model on one day, in local time."""

    day: str
    model: str | None
    messages: int
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    cost: float
