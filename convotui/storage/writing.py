"""Messages and labels into the store. Each function runs inside one transaction."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import astuple, fields
from datetime import datetime

from peewee import SqliteDatabase

from convotui.storage import index
from convotui.storage.connections import MAX_VALUE_BYTES, run, run_many
from convotui.storage.errors import (
    IdTakenError,
    InvalidTextError,
    MessageNotFoundError,
)
from convotui.storage.reading import BATCH
from convotui.storage.records import (
    ROLES,
    Block,
    Draft,
    MessageId,
    ReplyFacts,
    storable,
)
from convotui.storage.schema import MessageRow

_ATTEMPTS = 10
"""How often a new id is tried before the store gives up, as CPE does."""

_INSERT_MESSAGE = """
INSERT INTO messages (id, parent_id, title, role, tool_result_error, created_at)
VALUES (?, ?, ?, ?, ?, ?)
"""
BLOCK_COLUMNS = (
    "id, message_id, block_type, modality_type, mime_type, content, extra_fields,"
    " sequence_order, created_at"
)
_INSERT_BLOCK = f"INSERT INTO blocks ({BLOCK_COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?)"
_FACTS = ("message_id", *(field.name for field in fields(ReplyFacts)), "beat_at")
_INSERT_FACTS = (
    f"INSERT OR REPLACE INTO convotui_replies ({', '.join(_FACTS)})"
    f" VALUES (?{', ?' * (len(_FACTS) - 1)})"
)
_DELETE_STRAYS = """
DELETE FROM blocks WHERE message_id IN (SELECT value FROM json_each(?))
"""
_THERE = "SELECT id FROM messages WHERE id IN (SELECT value FROM json_each(?))"
_TAKEN = """
SELECT value FROM json_each(?)
WHERE value IN (SELECT id FROM messages)
    OR value IN (SELECT id FROM convotui_trashed_messages)
"""


def save(
    database: SqliteDatabase,
    drafts: Sequence[Draft],
    *,
    new_id: Callable[[], str],
    now: datetime,
) -> list[MessageId]:
    """Save messages and return their ids in the same order.

    Raises:
        MessageNotFoundError: If a parent does not exist.
        IdTakenError: If a given id is taken, or no free one was found.
        InvalidTextError: If a role is none that the file may hold.
    """
    _check_each(database, drafts)
    ids = _choose_ids(database, drafts, new_id)
    parents = _parents(database, drafts, ids)
    times = [str(draft.created_at or now) for draft in drafts]
    # Files from before references were checked can hold blocks of messages long gone.
    run(database, _DELETE_STRAYS, (json.dumps(ids),))
    _insert(database, ids, parents, drafts, times, now)
    if len(ids) > index.LAG:
        index.catch_up(database, len(ids))
    return ids


def _insert(
    database: SqliteDatabase,
    ids: Sequence[MessageId],
    parents: Sequence[MessageId | None],
    drafts: Sequence[Draft],
    times: Sequence[str],
    now: datetime,
) -> None:
    run_many(
        database,
        _INSERT_MESSAGE,
        (
            (
                message_id,
                parent,
                draft.title and storable(draft.title),
                draft.role,
                int(draft.tool_result_error),
                time,
            )
            for message_id, parent, draft, time in zip(
                ids, parents, drafts, times, strict=True
            )
        ),
    )
    insert_blocks(
        database,
        (
            row
            for message_id, draft, time in zip(ids, drafts, times, strict=True)
            for row in block_rows(message_id, draft.blocks, time)
        ),
    )
    run_many(
        database,
        _INSERT_FACTS,
        (
            _fact_row(message_id, draft.facts, now)
            for message_id, draft in zip(ids, drafts, strict=True)
            if draft.facts is not None
        ),
    )


def insert_blocks(database: SqliteDatabase, rows: Iterable[tuple[object, ...]]) -> None:
    """Save rows as `block_rows` makes them."""
    run_many(database, _INSERT_BLOCK, rows)


def check(database: SqliteDatabase, drafts: Sequence[Draft]) -> None:
    """Raise what a save of these drafts would raise."""
    _check_each(database, drafts)
    names = [draft.id or MessageId(f"#{n}") for n, draft in enumerate(drafts)]
    _parents(database, drafts, names)


def set_facts(
    database: SqliteDatabase, message_id: MessageId, facts: ReplyFacts, now: datetime
) -> None:
    """Keep what is known of a reply, in place of what was known before."""
    run(database, _INSERT_FACTS, _fact_row(message_id, facts, now))


def _fact_row(
    message_id: MessageId, facts: ReplyFacts, now: datetime
) -> tuple[object, ...]:
    values = (
        storable(value) if isinstance(value, str) else value for value in astuple(facts)
    )
    beat_at = str(now) if facts.state == "streaming" else None
    return (message_id, *values, beat_at)


def set_title(
    database: SqliteDatabase, message_id: MessageId, title: str | None
) -> str | None:
    """Set a message's label and return the one it had.

    Raises:
        MessageNotFoundError: If there is no such message.
    """
    rows = run(database, "SELECT title FROM messages WHERE id = ?", (message_id,))
    if not rows:
        raise MessageNotFoundError(message_id)
    MessageRow.update(title=title).where(MessageRow.id == message_id).execute(database)
    before: str | None = rows[0][0]
    return before


def _check_each(database: SqliteDatabase, drafts: Sequence[Draft]) -> None:
    for draft in drafts:
        if draft.role not in ROLES:
            raise InvalidTextError(f"{draft.role!r} is no role of a message.")
        check_sizes(draft.blocks)
    given = [draft.id for draft in drafts if draft.id is not None]
    if (taken := _taken(database, given)) or len(set(given)) < len(given):
        raise IdTakenError(f"The id {min(taken or given)} is taken.")


def check_sizes(blocks: Iterable[Block]) -> None:
    """Raise if one of these blocks is longer than any that could be read again.

    Raises:
        InvalidTextError: If so.
    """
    for block in blocks:
        # No character takes more than four bytes, so most need not be counted.
        if 4 * len(block.content) < MAX_VALUE_BYTES:
            continue
        if len(block.content.encode(errors="replace")) >= MAX_VALUE_BYTES:
            limit = MAX_VALUE_BYTES // 1_000_000
            raise InvalidTextError(f"A block of over {limit} MB cannot be saved.")


def block_rows(
    message_id: MessageId, blocks: Iterable[Block], time: str
) -> Iterator[tuple[object, ...]]:
    """Yield a row of `BLOCK_COLUMNS` for each block of a message."""
    for order, block in enumerate(blocks):
        yield (
            block.id and storable(block.id),
            message_id,
            storable(block.type),
            block.modality,
            storable(block.mime_type),
            storable(block.content),
            block.extra_fields and storable(block.extra_fields),
            order,
            time,
        )


def _choose_ids(
    database: SqliteDatabase, drafts: Sequence[Draft], new_id: Callable[[], str]
) -> list[MessageId]:
    """Return an id for each draft, its own or a new one that is free.

    Nobody else can take one meanwhile, as the transaction already holds the lock.
    """
    used: set[str] = {draft.id for draft in drafts if draft.id is not None}
    chosen: list[MessageId | None] = [draft.id for draft in drafts]
    for _ in range(_ATTEMPTS):
        candidates: dict[str, int] = {}
        for position, message_id in enumerate(chosen):
            if message_id is None and (candidate := new_id()) not in used:
                candidates.setdefault(candidate, position)
        taken = _taken(database, candidates)
        for candidate, position in candidates.items():
            if candidate not in taken:
                chosen[position] = MessageId(candidate)
                used.add(candidate)
        free = [message_id for message_id in chosen if message_id is not None]
        if len(free) == len(drafts):
            return free
    raise IdTakenError(f"No free message id was found in {_ATTEMPTS} attempts.")


def _taken(database: SqliteDatabase, candidates: Iterable[str]) -> set[str]:
    ids = list(candidates)
    return {
        row[0]
        for start in range(0, len(ids), BATCH)
        for row in run(database, _TAKEN, (json.dumps(ids[start : start + BATCH]),))
    }


def _parents(
    database: SqliteDatabase, drafts: Sequence[Draft], ids: list[MessageId]
) -> list[MessageId | None]:
    """Return each draft's parent, which exists or is saved before it."""
    parents: list[MessageId | None] = []
    outside: set[MessageId] = set()
    before: set[MessageId] = set()
    for position, draft in enumerate(drafts):
        parent = draft.parent
        if isinstance(parent, int):
            if not 0 <= parent < position:
                raise MessageNotFoundError(str(parent))
            parent = ids[parent]
        elif parent is not None and parent not in before:
            outside.add(parent)
        parents.append(parent)
        before.add(ids[position])
    known = list(outside)
    for start in range(0, len(known), BATCH):
        batch = json.dumps(known[start : start + BATCH])
        outside.difference_update(row[0] for row in run(database, _THERE, (batch,)))
    if outside:
        raise MessageNotFoundError(min(outside))
    return parents
