"""One message as convotui itself writes it into JSON, be it a document or lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from convotui.importers.shaping import (
    amount_of,
    compact,
    count_of,
    dict_of,
    known,
    list_of,
    state_of,
    string_of,
    text_of,
    time_of,
)
from convotui.storage.arrivals import Arrival, Origin
from convotui.storage.records import ROLES, Block, MessageId, ReplyFacts, Role

TOO_NEW = "was written by a newer convotui; upgrade to read it."

_SOURCE = "cpe"
"""A message is the same whether it comes in a `.cpeconvo` or as JSON."""
_ID = re.compile(r"[\w-]{1,64}", re.ASCII)
"""What can be an id here, too."""
_ANOTHER = re.compile(r"(~[0-9a-f]{24})+\Z")
"""What is added to the key of a message where another has taken it."""

Fields = dict[str, Any]


def arrival_of(value: object, modified: datetime) -> Arrival | None:
    """Return a message; `None` if it is none with an id.

    It keeps the name of a parent that is not there, too: a part of a tree is known
    again where the whole is.
    """
    message = dict_of(value)
    if (message_id := text_of(message.get("id"))) is None:
        return None
    came_from = dict_of(message.get("origin"))
    origin = _origin(came_from) or Origin(_SOURCE, "", message_id)
    # It was given another id only because this one was taken.
    kept_id = origin.key if origin.source == _SOURCE else message_id
    stored_role = text_of(message.get("role"))
    role = _role(stored_role)
    return Arrival(
        key=message_id,
        role=role,
        blocks=[_block(dict_of(b)) for b in list_of(message.get("blocks"))],
        parent=text_of(message.get("parent_id")),
        created_at=time_of(message.get("created_at")) or modified,
        title=string_of(message.get("title")),
        tool_result_error=message.get("tool_result_error") is True,
        facts=_facts(message.get("facts")),
        meta={
            **dict_of(came_from.get("meta")),
            **known(cpe_role=None if stored_role == role else stored_role),
        },
        continues=_continues(origin.source, dict_of(came_from.get("continues"))),
        id=MessageId(kept_id) if _ID.fullmatch(kept_id) else None,
        origin=origin,
    )


def trees_of(messages: Iterable[Arrival]) -> Iterator[list[Arrival]]:
    """Yield each tree of messages that stand after their parents."""
    trees: list[list[Arrival]] = []
    tree_of: dict[str | None, list[Arrival]] = {}
    for message in messages:
        tree = tree_of.get(message.parent)
        if tree is None:
            tree = []
            trees.append(tree)
        tree_of[message.key] = tree
        tree.append(message)
    yield from trees


def _origin(fields: Fields) -> Origin | None:
    """Return where a message came from before, under the name it had there."""
    source, key = text_of(fields.get("source")), text_of(fields.get("key"))
    if source is None or key is None:
        return None
    return Origin(
        source, string_of(fields.get("conversation")) or "", _ANOTHER.sub("", key)
    )


def _continues(source: str, fields: Fields) -> Origin | None:
    if (key := text_of(fields.get("key"))) is None:
        return None
    return Origin(source, string_of(fields.get("conversation")) or "", key)


def _role(value: object) -> Role:
    return next((role for role in ROLES if role == value), "user")


def _block(block: Fields) -> Block:
    content = block.get("content")
    kind, mime_type = block.get("type"), block.get("mime_type")
    return Block(
        content=content if isinstance(content, str) else compact(content),
        type=kind if isinstance(kind, str) else "content",
        modality=count_of(block.get("modality")) or 0,
        mime_type=mime_type if isinstance(mime_type, str) else "text/plain",
        id=string_of(block.get("id")),
        extra_fields=string_of(block.get("extra_fields")),
    )


def _facts(value: object) -> ReplyFacts | None:
    if not isinstance(value, dict):
        return None
    return ReplyFacts(
        model=string_of(value.get("model")),
        input_tokens=count_of(value.get("input_tokens")),
        output_tokens=count_of(value.get("output_tokens")),
        cached_tokens=count_of(value.get("cached_tokens")),
        reasoning_tokens=count_of(value.get("reasoning_tokens")),
        cost=amount_of(value.get("cost")),
        first_token_seconds=amount_of(value.get("first_token_seconds")),
        duration_seconds=amount_of(value.get("duration_seconds")),
        finish_reason=string_of(value.get("finish_reason")),
        state=state_of(value.get("state")),
        error=string_of(value.get("error")),
    )
