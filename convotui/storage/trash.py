"""The trash: deleted messages as they were, until it is emptied.

Each function runs inside the transaction of the change it is part of.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter

from peewee import Model, SchemaManager, SqliteDatabase, TextField, fn

from convotui.storage import index
from convotui.storage.beginnings import beginning
from convotui.storage.connections import MAX_VALUE_BYTES, run
from convotui.storage.errors import IdTakenError, NothingToUndoError
from convotui.storage.reading import downwards
from convotui.storage.records import SUBAGENT_PREFIX, MessageId
from convotui.storage.results import Change, Weight
from convotui.storage.schema import MessageRow
from convotui.storage.writing import BLOCK_COLUMNS

_MESSAGE = "id, parent_id, title, role, tool_result_error, created_at"
_DOOMED = "SELECT id FROM temp.doomed"


class _DoomedRow(Model):
    """The messages a delete takes, in a temporary table for as long as it runs."""

    id = TextField(primary_key=True)

    class Meta:
        table_name = "doomed"


def weigh(database: SqliteDatabase, message_ids: Sequence[MessageId]) -> Weight:
    """Return what deleting these messages with everything below them would take."""
    down = downwards(message_ids)
    inside = down.select_from(down.c.id)
    labels = fn.SUM(
        MessageRow.title.is_null(False) & ~(MessageRow.title % f"{SUBAGENT_PREFIX}*")
    )
    [(messages, labelled)] = (
        MessageRow.select(fn.COUNT(MessageRow.id), labels)
        .where(MessageRow.id.in_(inside))
        .with_cte(down)
        .tuples()
        .execute(database)
    )
    forked = (
        MessageRow.select(MessageRow.parent)
        .where(MessageRow.parent.in_(inside))
        .group_by(MessageRow.parent)
        .having(fn.COUNT(MessageRow.id) > 1)
        .with_cte(down)
    )
    forks = len(list(forked.tuples().execute(database)))
    return Weight(messages, forks, labelled or 0)


def doom(database: SqliteDatabase, named: Sequence[MessageId]) -> int:
    """Fill the temporary table with `named` and everything below; how many."""
    doomed = SchemaManager(_DoomedRow, database=database)
    doomed.create_table(safe=True, temporary=True)
    _DoomedRow.delete().execute(database)
    down = downwards(named)
    query = down.select_from(down.c.id)
    _DoomedRow.insert_from(query, fields=[_DoomedRow.id]).execute(database)
    count: int = _DoomedRow.select().count(database)
    return count


def beginnings(database: SqliteDatabase, changes: Sequence[Change]) -> dict[int, str]:
    """Return the beginning of the first message that each change named."""
    named = {change.id: change.message_ids[0] for change in changes}
    rows = run(
        database,
        "SELECT change_id, block_type, modality_type, mime_type,"
        f" CASE WHEN octet_length(content) < {MAX_VALUE_BYTES}"
        "   THEN substr(CAST(content AS BLOB), 1, 1200) END"
        " FROM json_each(?) AS wanted JOIN convotui_trashed_blocks"
        " ON change_id = wanted.key AND message_id = wanted.value"
        " ORDER BY change_id, sequence_order",
        (json.dumps(named),),
    )
    return {
        change_id: beginning(row[1:] for row in blocks)
        for change_id, blocks in groupby(rows, itemgetter(0))
    }


def move_to_trash(database: SqliteDatabase, change_id: int) -> None:
    """Move what `doom` chose into the trash, under a change's number."""
    index.remove(database, _DOOMED)
    run(
        database,
        f"INSERT INTO convotui_trashed_messages (change_id, position, {_MESSAGE})"
        f" SELECT ?, rowid, {_MESSAGE} FROM messages WHERE id IN ({_DOOMED})",
        (change_id,),
    )
    run(
        database,
        f"INSERT INTO convotui_trashed_blocks (change_id, {BLOCK_COLUMNS})"
        f" SELECT ?, {BLOCK_COLUMNS} FROM blocks WHERE message_id IN ({_DOOMED})",
        (change_id,),
    )
    # RESTRICT is checked row by row unless it is put off to the end.
    run(database, "PRAGMA defer_foreign_keys = ON")
    # SQLite allows messages without an id; nobody could name them to delete them.
    run(
        database,
        "UPDATE messages SET parent_id = NULL"
        f" WHERE id IS NULL AND parent_id IN ({_DOOMED})",
    )
    run(database, f"DELETE FROM blocks WHERE message_id IN ({_DOOMED})")
    run(database, f"DELETE FROM messages WHERE id IN ({_DOOMED})")


def move_back(database: SqliteDatabase, change_id: int) -> None:
    """Put the messages of a change back where they were.

    Raises:
        NothingToUndoError: If they are gone, or hang from others in the trash.
        IdTakenError: If one of their ids has been given away since.
    """
    trashed = f"convotui_trashed_messages WHERE change_id = {change_id}"
    [(count, offset, taken)] = run(
        database,
        "SELECT count(*), iif(count(m.rowid) = 0, 0,"
        "   (SELECT max(rowid) FROM messages) - min(position) + 1),"
        " (SELECT min(id) FROM messages WHERE id IN"
        f"   (SELECT id FROM {trashed}))"
        f" FROM (SELECT position FROM {trashed})"
        " LEFT JOIN messages AS m ON m.rowid = position",
    )
    if count == 0:
        raise NothingToUndoError("What was deleted is no longer in the trash.")
    if taken is not None:
        raise IdTakenError(f"The id {taken} has been given to another message since.")
    _refuse_below_trash(database, change_id, trashed)
    # The old row numbers decide between equal times; if one has been given away, all
    # move above the others, which keeps their order among themselves.
    run(
        database,
        "INSERT INTO messages (rowid, id, title, role, tool_result_error, created_at)"
        f" SELECT position + {offset}, id, title, role, tool_result_error, created_at"
        f" FROM {trashed} ORDER BY position",
    )
    run(
        database,
        "UPDATE messages SET parent_id = (SELECT t.parent_id"
        "   FROM convotui_trashed_messages AS t"
        f"  WHERE t.change_id = {change_id} AND t.id = messages.id"
        "   AND t.parent_id IN (SELECT id FROM messages))"
        f" WHERE id IN (SELECT id FROM {trashed})",
    )
    run(
        database,
        f"INSERT INTO blocks ({BLOCK_COLUMNS}) SELECT {BLOCK_COLUMNS}"
        f" FROM convotui_trashed_blocks WHERE change_id = {change_id}",
    )
    index.add(database, f"SELECT id FROM {trashed}")
    forget_contents(database, change_id)


def _refuse_below_trash(database: SqliteDatabase, change_id: int, trashed: str) -> None:
    """Raise if a message hangs from one that another entry of the trash holds."""
    rows = run(
        database,
        "SELECT id, change_id FROM convotui_trashed_messages"
        f" WHERE change_id <> {change_id}"
        f" AND id IN (SELECT parent_id FROM {trashed})"
        " AND id NOT IN (SELECT id FROM messages) LIMIT 1",
    )
    for message_id, other in rows:
        raise NothingToUndoError(
            f"It hangs below {message_id}, which is in the trash too:"
            f" restore entry {other} first."
        )


def forget_contents(database: SqliteDatabase, change_id: int) -> None:
    """Take a change's messages out of the trash for good."""
    for table in ("convotui_trashed_messages", "convotui_trashed_blocks"):
        run(database, f"DELETE FROM {table} WHERE change_id = ?", (change_id,))
