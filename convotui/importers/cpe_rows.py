"""One message of a `.cpeconvo` out of its rows, whatever columns the file has."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from convotui.importers.cpe_sessions import Sessions
from convotui.importers.databases import Database, Row
from convotui.importers.shaping import (
    amount_of,
    count_of,
    dict_of,
    json_of,
    known,
    state_of,
    string_of,
    text_of,
    time_of,
)
from convotui.storage.arrivals import Arrival, Origin
from convotui.storage.records import (
    ROLES,
    SUBAGENT_PREFIX,
    Block,
    MessageId,
    ReplyFacts,
    Role,
)

SOURCE = "cpe"

_ID = re.compile(r"[\w-]{1,64}", re.ASCII)
"""What can be an id here, too."""

_ANOTHER = re.compile(r"(~[0-9a-f]{24})+\Z")
"""What is added to the key of a message where another has taken it."""

_COLUMNS = {
    "messages": (
        "id",
        "parent_id",
        "title",
        "role",
        "tool_result_error",
        "created_at",
        "is_subagent",
        "compaction_parent_id",
        "message_extra_fields",
        "model_ref",
        "model_id",
        "model_type",
        "model_display_name",
        "input_tokens",
        "output_tokens",
        "cache_read_tokens",
        "cache_write_tokens",
    ),
    "convotui_replies": (
        "message_id",
        "model",
        "input_tokens",
        "output_tokens",
        "cached_tokens",
        "reasoning_tokens",
        "cost",
        "first_token_seconds",
        "duration_seconds",
        "finish_reason",
        "state",
        "error",
    ),
    "convotui_origins": (
        "source",
        "conversation",
        "key",
        "meta",
        "continues_conversation",
        "continues_key",
    ),
    "blocks": (
        "sequence_order",
        "content",
        "block_type",
        "modality_type",
        "mime_type",
        "id",
        "extra_fields",
    ),
}
_META = ("model_ref", "model_type", "model_display_name")

Fields = dict[str, Any]


def columns_of(database: Database) -> list[str]:
    """Return the expressions whose values `message_of` takes."""
    return [
        database.shown(table, name)
        for table, names in _COLUMNS.items()
        for name in names
    ]


def message_of(rows: Sequence[Row], sessions: Sessions, modified: datetime) -> Arrival:
    """Return a message; it has a row for each of its blocks, or one without any."""
    tables = [_tables(row) for row in rows]
    message = tables[0]["messages"]
    reply, came_from = tables[0]["convotui_replies"], tables[0]["convotui_origins"]
    message_id = str(message["id"])
    stored_role = text_of(message["role"]) or ""
    role = _role(stored_role)
    is_error = bool(message["tool_result_error"])
    blocks = [_block(t["blocks"]) for t in tables if t["blocks"]["content"] is not None]
    origin = _origin(came_from)
    kept_id = message_id
    if origin is not None and origin.source == SOURCE:
        # It was given another id only because this one was taken.
        kept_id = origin.key
    edge = text_of(message["compaction_parent_id"])
    ending = sessions.ending.get(message_id, [])
    cost = sum(session.get("cost_usd", 0) for session in ending) or None
    return Arrival(
        key=message_id,
        role=role,
        blocks=blocks,
        parent=text_of(message["parent_id"]),
        created_at=time_of(message["created_at"]) or modified,
        title=_title(message) or sessions.titles.get(message_id),
        tool_result_error=is_error,
        facts=_facts(message, reply, cost if role == "assistant" else None),
        meta={
            **dict_of(json_of(came_from["meta"])),
            **known(
                cpe_role=None if stored_role == role else stored_role,
                **{name: text_of(message[name]) for name in _META},
                cache_write_tokens=count_of(message["cache_write_tokens"]),
                message_extra_fields=json_of(message["message_extra_fields"]) or None,
                compaction_parent_id=edge,
                acp_sessions=ending or None,
            ),
        },
        continues=_continues(came_from, edge),
        id=MessageId(kept_id) if _ID.fullmatch(kept_id) else None,
        origin=origin,
    )


def _tables(row: Row) -> dict[str, Fields]:
    values = iter(row)
    return {
        table: {name: next(values) for name in names}
        for table, names in _COLUMNS.items()
    }


def _role(stored: str) -> Role:
    for role in ROLES:
        if stored == role:
            return role
    return "user"


def _title(message: Fields) -> str | None:
    title = text_of(message["title"])
    if message["is_subagent"] and title is None:
        return f"{SUBAGENT_PREFIX}cpe"
    return title


def _block(fields: Fields) -> Block:
    content = fields["content"]
    return Block(
        content if isinstance(content, str) else str(content),
        str(fields["block_type"]),
        count_of(fields["modality_type"]) or 0,
        str(fields["mime_type"] or ""),
        string_of(fields["id"]),
        string_of(fields["extra_fields"]),
    )


def _facts(message: Fields, reply: Fields, cost: float | None) -> ReplyFacts | None:
    if reply["message_id"] is None:
        facts = ReplyFacts(
            model=text_of(message["model_id"]),
            input_tokens=count_of(message["input_tokens"]),
            output_tokens=count_of(message["output_tokens"]),
            cached_tokens=count_of(message["cache_read_tokens"]),
            cost=cost,
        )
        return None if facts == ReplyFacts() else facts
    return ReplyFacts(
        model=text_of(reply["model"]),
        input_tokens=count_of(reply["input_tokens"]),
        output_tokens=count_of(reply["output_tokens"]),
        cached_tokens=count_of(reply["cached_tokens"]),
        reasoning_tokens=count_of(reply["reasoning_tokens"]),
        cost=amount_of(reply["cost"]),
        first_token_seconds=amount_of(reply["first_token_seconds"]),
        duration_seconds=amount_of(reply["duration_seconds"]),
        finish_reason=text_of(reply["finish_reason"]),
        state=state_of(reply["state"]),
        error=text_of(reply["error"]),
    )


def _origin(fields: Fields) -> Origin | None:
    """Return where a message came from before, under the name it had there."""
    source, key = text_of(fields["source"]), text_of(fields["key"])
    if source is None or key is None:
        return None
    conversation = text_of(fields["conversation"]) or ""
    return Origin(source, conversation, _ANOTHER.sub("", key))


def _continues(fields: Fields, edge: str | None) -> Origin | None:
    if edge is not None:
        return Origin(SOURCE, "", edge)
    source, key = text_of(fields["source"]), text_of(fields["continues_key"])
    if source is None or key is None:
        return None
    return Origin(source, text_of(fields["continues_conversation"]) or "", key)
