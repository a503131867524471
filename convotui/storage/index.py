"""The full-text index: kept by our own writes, completed after others', asked first.

Nothing keeps it up to date but the functions here, as there are no triggers. What it
does not hold yet is read and judged one by one, so a search is complete at any time
and never has to write.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from peewee import SqliteDatabase

from convotui.storage.connections import MAX_VALUE_BYTES, run
from convotui.storage.records import Hit, MessageId, read_time
from convotui.storage.schema import SEARCH_TABLE, MetaRow
from convotui.storage.search import Query

_BATCH = 200
_WATERMARK = "indexed_up_to"

_SEARCHABLE = (
    "modality_type = 0 AND block_type <> 'redacted_thinking'"
    f" AND octet_length(content) < {MAX_VALUE_BYTES // 10}"
)
"""What is longer cannot be read together with the other blocks of its message."""

_ADD = f"""
INSERT INTO {SEARCH_TABLE} (rowid, text)
SELECT document, coalesce((
    SELECT group_concat(indexed_words(CAST(content AS BLOB)), ' ') FROM blocks
    WHERE message_id = i.message_id AND {_SEARCHABLE}
), '')
FROM convotui_indexed AS i WHERE document > ?
"""

_CANDIDATES = """
SELECT id FROM messages
WHERE typeof(id) = 'text' AND (id IN (
    SELECT i.message_id FROM convotui_search AS s
    JOIN convotui_indexed AS i ON i.document = s.rowid
    WHERE s.text MATCH ?
) OR title IS NOT NULL OR id NOT IN (SELECT message_id FROM convotui_indexed))
ORDER BY created_at DESC, rowid DESC
"""

_EVERYTHING = """
SELECT id FROM messages WHERE typeof(id) = 'text'
ORDER BY created_at DESC, rowid DESC
"""

_TEXTS = f"""
SELECT m.id, CAST(m.role AS TEXT), m.created_at, CAST(m.title AS TEXT),
    CAST(b.content AS TEXT)
FROM json_each(?) AS wanted
JOIN messages AS m ON m.id = wanted.value
LEFT JOIN blocks AS b ON b.message_id = m.id AND {_SEARCHABLE}
ORDER BY wanted.key, b.sequence_order
"""


def add(database: SqliteDatabase, message_ids: Sequence[MessageId]) -> None:
    """Index messages that are not indexed yet."""
    _add(database, "SELECT value FROM json_each(?)", (json.dumps(message_ids),))


def _add(
    database: SqliteDatabase, ids_query: str, parameters: tuple[object, ...]
) -> None:
    [(last,)] = run(database, "SELECT coalesce(max(document), 0) FROM convotui_indexed")
    run(
        database,
        f"INSERT OR IGNORE INTO convotui_indexed (message_id) {ids_query}",
        parameters,
    )
    run(database, _ADD, (last,))


def remove(database: SqliteDatabase, ids_query: str) -> None:
    """Take the messages that a query names out of the index."""
    documents = (
        f"SELECT document FROM convotui_indexed WHERE message_id IN ({ids_query})"
    )
    run(database, f"DELETE FROM {SEARCH_TABLE} WHERE rowid IN ({documents})")
    run(
        database,
        f"DELETE FROM convotui_indexed WHERE message_id IN ({ids_query})",
    )


def catch_up(database: SqliteDatabase, limit: int) -> bool:
    """Index some of what others have added since the last time; whether that was all.

    Looks only at rows above the last one it saw, so that it costs nothing when there
    is nothing to do.
    """
    row = MetaRow.select(MetaRow.value).where(MetaRow.key == _WATERMARK)
    seen = int(row.scalar(database) or 0)
    found = run(
        database,
        "SELECT rowid FROM messages WHERE rowid > ? ORDER BY rowid LIMIT ?",
        (seen, limit),
    )
    if found:
        [last] = found[-1]
        _add(
            database,
            "SELECT id FROM messages WHERE rowid BETWEEN ? AND ?"
            " AND typeof(id) = 'text' ORDER BY rowid",
            (seen + 1, last),
        )
        mark = {"key": _WATERMARK, "value": str(last)}
        MetaRow.insert(mark).on_conflict_replace().execute(database)
    return len(found) < limit


def rebuild(database: SqliteDatabase) -> None:
    """Index everything anew."""
    run(database, f"DELETE FROM {SEARCH_TABLE}")
    run(database, "DELETE FROM convotui_indexed")
    MetaRow.delete().where(MetaRow.key == _WATERMARK).execute(database)
    while not catch_up(database, 10_000):
        pass


def find(database: SqliteDatabase, query: Query) -> Iterator[Hit]:
    """Yield the messages that hold what was typed, newest first."""
    expression = query.index_expression
    rows = (
        run(database, _EVERYTHING)
        if expression is None
        else run(database, _CANDIDATES, (expression,))
    )
    for start in range(0, len(rows), _BATCH):
        batch = [row[0] for row in rows[start : start + _BATCH]]
        messages: dict[str, list[tuple[Any, ...]]] = {}
        for row in run(database, _TEXTS, (json.dumps(batch),)):
            messages.setdefault(row[0], []).append(row)
        for found in messages.values():
            message_id, role, created_at, title, _ = found[0]
            texts = [row[4] for row in found if row[4] is not None]
            if match := query.find([*texts, title] if title else texts):
                yield Hit(
                    id=message_id,
                    role=role,
                    created_at=read_time(created_at),
                    title=title,
                    before=match.before,
                    match=match.match,
                    after=match.after,
                )
