"""Whole messages out of the store: by id, in order of time, as threads and subtrees.

Each function is one statement however many messages it returns, except that a long
list of ids goes out in batches.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from peewee import CTE, JOIN, SQL, Case, Ordering, Select, SqliteDatabase, fn

from convotui.storage.beats import Clock, state_at
from convotui.storage.connections import MAX_VALUE_BYTES
from convotui.storage.errors import MessageNotFoundError
from convotui.storage.records import (
    Block,
    ChatMessage,
    MessageId,
    ReplyFacts,
    read_time,
)
from convotui.storage.schema import ROW_NUMBER, BlockRow, MessageRow, ReplyRow

BATCH = 1_000
"""How many ids go into one statement."""

# Any value can be in any column of a file that others write, so each is cast.
_MESSAGE = (
    MessageRow.id,
    MessageRow.parent,
    MessageRow.role.cast("TEXT"),
    MessageRow.created_at.cast("TEXT"),
    MessageRow.title.cast("TEXT"),
    MessageRow.tool_result_error,
)
_BLOCK = (
    BlockRow.sequence_order.cast("INTEGER"),
    Case(
        None,
        [
            (
                fn.octet_length(BlockRow.content) < MAX_VALUE_BYTES,
                BlockRow.content.cast("TEXT"),
            )
        ],
        "[too long to be read]",
    ),
    BlockRow.block_type.cast("TEXT"),
    BlockRow.modality_type.cast("INTEGER"),
    BlockRow.mime_type.cast("TEXT"),
    BlockRow.id.cast("TEXT"),
    BlockRow.extra_fields.cast("TEXT"),
)
_REPLY = (
    ReplyRow.message_id,
    ReplyRow.model.cast("TEXT"),
    ReplyRow.input_tokens.cast("INTEGER"),
    ReplyRow.output_tokens.cast("INTEGER"),
    ReplyRow.cached_tokens.cast("INTEGER"),
    ReplyRow.reasoning_tokens.cast("INTEGER"),
    ReplyRow.cost.cast("REAL"),
    ReplyRow.first_token_seconds.cast("REAL"),
    ReplyRow.duration_seconds.cast("REAL"),
    ReplyRow.finish_reason.cast("TEXT"),
    ReplyRow.state.cast("TEXT"),
    ReplyRow.error.cast("TEXT"),
    ReplyRow.beat_at.cast("TEXT"),
)

_UPWARDS = """(
    WITH RECURSIVE up(id, parent_id) AS (
        SELECT id, parent_id FROM messages WHERE id = ?
        UNION
        SELECT m.id, m.parent_id FROM messages AS m JOIN up ON m.id = up.parent_id
        LIMIT ?
    )
    SELECT id FROM up
)"""
"""The ids from a message up to its root. Peewee knows no limit within a recursion, and
one outside of it would only be counted when all of the thread has been walked."""


def get(
    database: SqliteDatabase, message_ids: Sequence[MessageId], clock: Clock
) -> Iterator[ChatMessage]:
    """Yield the messages with these ids, in this order.

    Raises:
        MessageNotFoundError: If there is none with one of them.
    """
    for start in range(0, len(message_ids), BATCH):
        batch = message_ids[start : start + BATCH]
        query = _messages().where(MessageRow.id.in_(among(batch)))
        found = _by_id(database, query, clock)
        for message_id in batch:
            if message_id not in found:
                raise MessageNotFoundError(message_id)
            yield found[message_id]


def in_order(
    database: SqliteDatabase,
    clock: Clock,
    *,
    ascending: bool,
    offset: int,
    limit: int | None,
) -> list[ChatMessage]:
    """Return messages by time and, where that is equal, in the order of saving."""
    order: tuple[Ordering, ...] = (
        (MessageRow.created_at.asc(), ROW_NUMBER.asc())
        if ascending
        else (MessageRow.created_at.desc(), ROW_NUMBER.desc())
    )
    page = (
        MessageRow.select(MessageRow.id)
        .where(MessageRow.id.is_null(False))
        .order_by(*order)
        .limit(-1 if limit is None else limit)
        .offset(offset)
    )
    query = _messages().where(MessageRow.id.in_(page)).order_by(*order)
    return list(_by_id(database, query, clock).values())


def thread(
    database: SqliteDatabase, message_id: MessageId, clock: Clock, limit: int | None
) -> list[ChatMessage]:
    """Return the messages from the root down to this one, or the last `limit` of them.

    Raises:
        MessageNotFoundError: If there is no such message.
    """
    up = SQL(_UPWARDS, (message_id, -1 if limit is None else limit))
    found = _by_id(database, _messages().where(MessageRow.id.in_(up)), clock)
    chain: list[ChatMessage] = []
    current: MessageId | None = message_id
    # Taking each message out of what was found ends the walk on a cycle too.
    while current is not None and (message := found.pop(current, None)) is not None:
        chain.append(message)
        current = message.parent_id
    if not chain:
        raise MessageNotFoundError(message_id)
    return chain[::-1]


def subtree(
    database: SqliteDatabase, message_id: MessageId, clock: Clock
) -> list[ChatMessage]:
    """Return a message and everything below it, each parent before its replies.

    Raises:
        MessageNotFoundError: If there is no such message.
    """
    down = downwards([message_id])
    found = _by_id(
        database,
        _messages()
        .where(MessageRow.id.in_(down.select_from(down.c.id)))
        .order_by(MessageRow.created_at, ROW_NUMBER)
        .with_cte(down),
        clock,
    )
    if message_id not in found:
        raise MessageNotFoundError(message_id)
    replies: dict[MessageId | None, list[ChatMessage]] = defaultdict(list)
    for message in found.values():
        if message.id != message_id:
            replies[message.parent_id].append(message)
    ordered: list[ChatMessage] = []
    pending = [found[message_id]]
    while pending:
        message = pending.pop()
        ordered.append(message)
        pending.extend(reversed(replies.pop(message.id, [])))
    return ordered


def downwards(message_ids: Iterable[MessageId]) -> CTE:
    """The ids of these messages and of all below them, as a table `down`."""
    # UNION on the id alone ends on a cycle; another column would make each round new.
    top = (
        MessageRow.select(MessageRow.id)
        .where(MessageRow.id.in_(among(message_ids)))
        .cte("down", recursive=True, columns=("id",))
    )
    reply = MessageRow.alias()
    return top.union(
        reply.select(reply.id)
        .join(top, on=(reply.parent == top.c.id))
        .where(reply.id.is_null(False))
    )


def among(message_ids: Iterable[str]) -> SQL:
    """Any number of ids as a subquery; there is a limit to how many can be listed."""
    return SQL("(SELECT value FROM json_each(?))", (json.dumps(list(message_ids)),))


def _messages() -> Select:
    """All messages, a row for each block, blocks that belong to none left out."""
    return (
        MessageRow.select(*_MESSAGE, *_BLOCK, *_REPLY)
        .join(BlockRow, JOIN.LEFT_OUTER, on=(BlockRow.message == MessageRow.id))
        .join_from(
            MessageRow,
            ReplyRow,
            JOIN.LEFT_OUTER,
            on=(ReplyRow.message_id == MessageRow.id),
        )
    )


def _by_id(
    database: SqliteDatabase, query: Select, clock: Clock
) -> dict[MessageId, ChatMessage]:
    """Run a query made with `_messages`; the messages keep its order."""
    rows: dict[MessageId, list[Any]] = {}
    for row in query.tuples().execute(database):
        rows.setdefault(row[0], []).append(row)
    return {message_id: _message(found, clock) for message_id, found in rows.items()}


def _message(rows: list[Any], clock: Clock) -> ChatMessage:
    first = rows[0]
    blocks_from, facts_from = len(_MESSAGE), len(_MESSAGE) + len(_BLOCK)
    message_id, parent_id, role, created_at, title, error = first[:blocks_from]
    blocks = sorted(
        (row[blocks_from:facts_from] for row in rows if row[blocks_from] is not None),
        key=lambda block: block[0],
    )
    return ChatMessage(
        id=message_id,
        parent_id=parent_id,
        role=role,
        blocks=tuple(Block(*block[1:]) for block in blocks),
        created_at=read_time(created_at),
        title=title,
        tool_result_error=bool(error),
        facts=_facts(*first[facts_from:], clock=clock),
    )


def _facts(message_id: str | None, *known: Any, clock: Clock) -> ReplyFacts | None:
    if message_id is None:
        return None
    *values, beat_at = known
    facts = ReplyFacts(*values)
    state = state_at(facts.state, beat_at, clock)
    return facts if state == facts.state else replace(facts, state=state)
