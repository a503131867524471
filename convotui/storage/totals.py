"""What messages add up to, each counted once however many threads share it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from peewee import SqliteDatabase

from convotui.storage.connections import run
from convotui.storage.errors import MessageNotFoundError
from convotui.storage.records import MessageId
from convotui.storage.results import ReplyTotals, Usage

# UNION, unlike UNION ALL, ends on a ring of messages.
_UP = """
WITH RECURSIVE counted(id, parent_id) AS (
    SELECT id, parent_id FROM messages WHERE id = ?
    UNION
    SELECT m.id, m.parent_id FROM messages AS m JOIN counted AS c ON m.id = c.parent_id
)
"""
_DOWN = """
WITH RECURSIVE counted(id) AS (
    SELECT id FROM messages WHERE id = ?
    UNION
    SELECT m.id FROM messages AS m JOIN counted AS c ON m.parent_id = c.id
    WHERE m.id IS NOT NULL
)
"""
_AMONG = "counted JOIN messages AS m ON m.id = counted.id"
_USAGE = """
SELECT date(m.created_at, 'localtime'), CAST(r.model AS TEXT), count(*),
    total(r.input_tokens), total(r.output_tokens), total(r.cached_tokens), total(r.cost)
FROM {messages} LEFT JOIN convotui_replies AS r ON r.message_id = m.id
{where} GROUP BY 1, 2 ORDER BY 1, 2
"""
_USAGE_OF_SOME = _USAGE.format(
    messages="messages AS m", where="WHERE m.rowid > ? AND m.rowid <= ?"
)
_LAST_OF_SOME = """
SELECT max(rowid)
FROM (SELECT rowid FROM messages WHERE rowid > ? ORDER BY rowid LIMIT ?)
"""
_SOME = 20_000
"""How many messages are added up at a time; SQLite sorts them in memory."""
_BEFORE_ALL = -(1 << 63)

_REPLIES = """
SELECT message_id, CAST(model AS TEXT),
    CAST(coalesce(input_tokens, 0) AS INTEGER),
    CAST(coalesce(output_tokens, 0) AS INTEGER),
    CAST(coalesce(cost, 0) AS REAL)
FROM convotui_replies WHERE message_id IN (SELECT id FROM messages)
"""


def usage(database: SqliteDatabase) -> list[Usage]:
    """Return the totals of every day and model."""
    parts: list[Usage] = []
    before = _BEFORE_ALL
    while (last := run(database, _LAST_OF_SOME, (before, _SOME))[0][0]) is not None:
        parts += _usage(run(database, _USAGE_OF_SOME, (before, last)))
        before = last
    together: dict[tuple[str, str | None], Usage] = {}
    for part in parts:
        key = part.day, part.model
        together[key] = _sum(together[key], part) if key in together else part
    return sorted(
        together.values(),
        key=lambda used: (used.day, used.model is not None, used.model or ""),
    )


def thread_usage(database: SqliteDatabase, message_id: MessageId) -> list[Usage]:
    """Return the totals of every day and model from the root down to a message.

    Raises:
        MessageNotFoundError: If there is no such message.
    """
    return _usage_among(database, _UP, message_id)


def subtree_usage(database: SqliteDatabase, message_id: MessageId) -> list[Usage]:
    """Return the totals of every day and model of a message and all below it.

    Raises:
        MessageNotFoundError: If there is no such message.
    """
    return _usage_among(database, _DOWN, message_id)


def reply_totals(database: SqliteDatabase) -> list[ReplyTotals]:
    """Return model, tokens and cost of each reply of which they are known."""
    return [ReplyTotals(*row) for row in run(database, _REPLIES)]


def _usage_among(
    database: SqliteDatabase, counted: str, message_id: MessageId
) -> list[Usage]:
    rows = run(
        database, counted + _USAGE.format(messages=_AMONG, where=""), (message_id,)
    )
    if not rows:
        raise MessageNotFoundError(message_id)
    return _usage(rows)


def _usage(rows: Sequence[tuple[Any, ...]]) -> list[Usage]:
    return [
        Usage(
            day=day or "",
            model=model,
            messages=count,
            input_tokens=_whole(sent),
            output_tokens=_whole(received),
            cached_tokens=_whole(cached),
            cost=cost if cost is not None and math.isfinite(cost) else 0.0,
        )
        for day, model, count, sent, received, cached, cost in rows
    ]


def _sum(one: Usage, other: Usage) -> Usage:
    return replace(
        one,
        messages=one.messages + other.messages,
        input_tokens=one.input_tokens + other.input_tokens,
        output_tokens=one.output_tokens + other.output_tokens,
        cached_tokens=one.cached_tokens + other.cached_tokens,
        cost=one.cost + other.cost,
    )


def _whole(tokens: float) -> int:
    """Return a sum as a number of tokens; any number can be in a foreign file."""
    return int(tokens) if math.isfinite(tokens) else 0
