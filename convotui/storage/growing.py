"""A reply while it is being written, wherever its message is by then.

Each function runs inside one transaction.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime

from peewee import SqliteDatabase

from convotui.storage import index
from convotui.storage.connections import run, run_many
from convotui.storage.errors import MessageNotFoundError
from convotui.storage.records import Block, MessageId, ReplyFacts
from convotui.storage.writing import (
    BLOCK_COLUMNS,
    block_rows,
    check_sizes,
    insert_blocks,
    set_facts,
)

_TRASHED = """
SELECT change_id, created_at FROM convotui_trashed_messages
WHERE id = ? ORDER BY change_id DESC LIMIT 1
"""
_INSERT_TRASHED = (
    f"INSERT INTO convotui_trashed_blocks (change_id, {BLOCK_COLUMNS})"
    " VALUES (?,?,?,?,?,?,?,?,?,?)"
)


def grow(
    database: SqliteDatabase,
    message_id: MessageId,
    blocks: Sequence[Block],
    facts: ReplyFacts,
    now: datetime,
) -> None:
    """Give a reply these blocks and facts, also if it has been deleted meanwhile.

    Raises:
        MessageNotFoundError: If it is not in the trash either.
        InvalidTextError: If a block is too long to be kept.
    """
    check_sizes(blocks)
    rows = run(database, "SELECT created_at FROM messages WHERE id = ?", (message_id,))
    if rows:
        _replace(database, message_id, blocks, rows[0][0])
        _reindex(database, message_id, is_final=facts.state != "streaming")
    elif rows := run(database, _TRASHED, (message_id,)):
        _replace_in_trash(database, message_id, blocks, *rows[0])
    else:
        raise MessageNotFoundError(message_id)
    set_facts(database, message_id, facts, now)


def _replace(
    database: SqliteDatabase, message_id: MessageId, blocks: Sequence[Block], time: str
) -> None:
    run(database, "DELETE FROM blocks WHERE message_id = ?", (message_id,))
    insert_blocks(database, block_rows(message_id, blocks, time))


def _replace_in_trash(
    database: SqliteDatabase,
    message_id: MessageId,
    blocks: Sequence[Block],
    change_id: int,
    time: str,
) -> None:
    run(
        database,
        "DELETE FROM convotui_trashed_blocks WHERE change_id = ? AND message_id = ?",
        (change_id, message_id),
    )
    rows = block_rows(message_id, blocks, time)
    run_many(database, _INSERT_TRASHED, ((change_id, *row) for row in rows))


def _reindex(
    database: SqliteDatabase, message_id: MessageId, *, is_final: bool
) -> None:
    """Keep a growing reply out of the index, so that a search reads what is there."""
    this = ("SELECT value FROM json_each(?)", (json.dumps([message_id]),))
    index.remove(database, *this)
    if is_final:
        index.add(database, *this)
