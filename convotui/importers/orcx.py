"""orcx: conversations in one row each, their messages as a JSON list."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from convotui.importers.databases import Row, Tables
from convotui.importers.formats import Format
from convotui.importers.records import Conversation
from convotui.importers.shaping import (
    amount_of,
    chain,
    compact,
    count_of,
    dict_of,
    json_of,
    known,
    text_block,
    text_of,
    time_of,
)
from convotui.importers.sources import Source
from convotui.storage.arrivals import Arrival
from convotui.storage.records import ReplyFacts

_COLUMNS = (
    "id",
    "model",
    "agent",
    "title",
    "messages",
    "total_tokens",
    "total_cost",
    "created_at",
    "updated_at",
)


def _knows(tables: Tables) -> bool:
    return {"id", "messages", "model"} <= tables.get("conversations", frozenset())


def _read(source: Source) -> Iterator[Conversation]:
    with source.database("conversations") as database:
        for row in database.select(
            "conversations", _COLUMNS, order="created_at, id", at=source.at
        ):
            messages = json_of(row[4])
            if not isinstance(messages, list):
                source.skip(f"conversation {row[0]}", "its messages are no JSON list.")
            elif messages:
                arrivals = chain(_arrivals(row, messages), source.modified)
                yield Conversation(str(row[0]), arrivals)


def _arrivals(row: Row, messages: list[Any]) -> Iterator[Arrival]:
    _, model, agent, title, _, tokens, cost, created_at, updated_at = row
    for number, message in enumerate(map(dict_of, messages)):
        is_first, is_last = number == 0, number == len(messages) - 1
        role = text_of(message.get("role")) or "user"
        is_reply = role == "assistant"
        total_tokens = count_of(tokens) or None if is_last else None
        total_cost = amount_of(cost) or None if is_last else None
        content = message.get("content")
        yield Arrival(
            key="",
            role="assistant" if is_reply else "user",
            blocks=[
                text_block(
                    content if isinstance(content, str) else compact(content),
                    orcx_role=None if role in ("user", "assistant") else role,
                )
            ],
            created_at=time_of(created_at if is_first else updated_at),
            title=text_of(title) if is_first else None,
            facts=ReplyFacts(text_of(model), cost=total_cost) if is_reply else None,
            meta=known(
                agent=text_of(agent) if is_first else None,
                total_tokens=total_tokens,
                total_cost=total_cost,
                time_estimated=True,
            ),
        )


FORMAT = Format(
    name="orcx",
    program="orcx",
    read=_read,
    knows_tables=_knows,
    places=("{home}/.config/orcx/conversations.db",),
)
