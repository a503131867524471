"""Messages of another program on their way into the store, and where they came from."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from datetime import datetime
from hashlib import blake2b
from typing import Any, NamedTuple

from convotui.storage.records import Block, MessageId, ReplyFacts, Role, storable


class Origin(NamedTuple):
    """What names a message in the program that it came from."""

    source: str
    """The program, as `--from` takes it."""
    conversation: str
    key: str


@dataclass(frozen=True, slots=True)
class Arrival:
    """A message that another program kept."""

    key: str
    """What tells it from the others of its conversation, at every import alike."""
    role: Role
    blocks: Sequence[Block]
    parent: str | None = None
    """The key of a message that arrived before; a root if there is none."""
    created_at: datetime | None = None
    """UTC, without a zone."""
    title: str | None = None
    tool_result_error: bool = False
    facts: ReplyFacts | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)
    """What else is known of it and has no place of its own; kept as JSON."""
    continues: Origin | None = None
    """The message it goes on from without hanging from it, as after a compaction."""
    id: MessageId | None = None
    """Kept if it is free."""
    origin: Origin | None = None
    """Set only if it had come from elsewhere before."""


@dataclass(frozen=True, slots=True)
class Intake:
    """What became of the messages that arrived."""

    new: int = 0
    known: int = 0
    """Those that are here already, be it in the trash."""
    grown: int = 0
    """Those that are here, and had less in them."""

    def __add__(self, other: Intake) -> Intake:
        return Intake(
            self.new + other.new, self.known + other.known, self.grown + other.grown
        )


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a message came from, and what was known of it there."""

    origin: Origin
    meta: dict[str, Any]
    continues: MessageId | None = None
    """The message it goes on from, if that is here."""
    continues_from: Origin | None = None
    """What names that message where it came from, whether it is here or not."""


def fingerprint(role: str, is_error: bool, blocks: Iterable[Block]) -> str:
    """Return what is equal for equal content."""
    return _digest([role, is_error, [astuple(block) for block in blocks]])


def combined(content: str, above: str | None) -> str:
    """Return what is equal for equal content below equal messages."""
    return _digest([content, above])


def details_of(arrival: Arrival) -> str:
    """Return what is equal as long as the same is known of a message."""
    facts = None if arrival.facts is None else astuple(arrival.facts)
    return _digest([facts, arrival.meta, arrival.continues])


def _digest(value: object) -> str:
    text = storable(json.dumps(value, ensure_ascii=False, default=str))
    return blake2b(text.encode(), digest_size=12).hexdigest()
