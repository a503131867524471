"""All that is known of a message, as values that JSON can hold."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, NamedTuple

from convotui.export.plain_json import finite
from convotui.storage.arrivals import Origin
from convotui.storage.records import UNKNOWN_TIME, Block, ChatMessage, ReplyFacts

# What `asdict` finds out anew for each of many messages, copying all it finds.
_NAMES = {
    record: tuple(field.name for field in fields(record))
    for record in (ChatMessage, Block, ReplyFacts)
}


class CameFrom(NamedTuple):
    """Where a message was before it came here, and what was known of it there."""

    origin: Origin
    meta: Mapping[str, Any]
    continues: Origin | None = None
    """What it goes on from without hanging from it."""


Described = tuple[ChatMessage, CameFrom | None]
"""A message, and where it came from if it is not from here."""


def values_of(described: Described) -> dict[str, Any]:
    """Return a message as values; where it came from is there only if it is known."""
    message, came_from = described
    is_timed = message.created_at != UNKNOWN_TIME
    values = {
        **_values(message),
        "blocks": [_values(block) for block in message.blocks],
        "created_at": message.created_at.isoformat(" ") if is_timed else None,
    }
    if message.facts is not None:
        facts = _values(message.facts)
        values["facts"] = {name: _finite(value) for name, value in facts.items()}
    if came_from is not None:
        values["origin"] = _origin(came_from)
    return values


def _origin(came_from: CameFrom) -> dict[str, Any]:
    values: dict[str, Any] = came_from.origin._asdict()
    if came_from.meta:
        values["meta"] = finite(came_from.meta)
    if (edge := came_from.continues) is not None:
        values["continues"] = {"conversation": edge.conversation, "key": edge.key}
    return values


def _values(record: ChatMessage | Block | ReplyFacts) -> dict[str, Any]:
    return {name: getattr(record, name) for name in _NAMES[type(record)]}


def _finite(value: object) -> object:
    return None if isinstance(value, float) and not math.isfinite(value) else value
