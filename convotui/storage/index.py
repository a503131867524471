"""The full-text index: completed some messages at a time, and asked first.

Nothing keeps it up to date but the functions here, as there are no triggers. What it
does not hold yet is read and judged one by one, so a search is complete at any time
and never has to write; and a save leaves the index to a later one that has enough for
it to be worth the while.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from peewee import SqliteDatabase

from convotui.storage.connections import MAX_VALUE_BYTES, run
from convotui.storage.records import Hit, MessageId, read_time
from convotui.storage.schema import SEARCH_TABLE
from convotui.storage.search import Query

_BATCH = 200

LAG = 50
"""How many messages may wait for the index; a search reads so many in no time."""

_CATCH_UP = 500
"""How many messages of other programs a write puts into the index."""

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
FROM convotui_indexed AS i WHERE document >= ?
"""

_BEHIND = """
SELECT coalesce(seen, 0), coalesce(last, 0)
FROM (SELECT max(CAST(value AS INTEGER)) AS seen FROM convotui_meta
        WHERE key = 'indexed_up_to'),
    (SELECT max(rowid) AS last FROM messages)
"""
"""The number of the last message that was looked at, and of the last there is."""

_UNSEEN = """
SELECT rowid, id FROM messages
WHERE rowid > ? AND typeof(id) = 'text'
    AND id NOT IN (SELECT message_id FROM convotui_indexed)
ORDER BY rowid LIMIT ?
"""

_SEEN = "INSERT OR REPLACE INTO convotui_meta VALUES ('indexed_up_to', ?)"

_CANDIDATES = """
SELECT id FROM messages
WHERE typeof(id) = 'text' AND id IN (
    SELECT i.message_id FROM convotui_search AS s
    JOIN convotui_indexed AS i ON i.document = s.rowid
    WHERE s.text MATCH ?
    UNION SELECT value FROM json_each(?)
    UNION SELECT id FROM messages
        WHERE id NOT IN (SELECT message_id FROM convotui_indexed)
)
ORDER BY created_at DESC, rowid DESC
"""
"""A union, because with `OR` each row would be looked up in all three."""

_TITLES = """
SELECT id, CAST(title AS TEXT) FROM messages
WHERE title IS NOT NULL AND typeof(id) = 'text'
"""

_MATCHES = """
SELECT count(*) FROM (SELECT 1 FROM convotui_search WHERE text MATCH ? LIMIT ?)
"""
_INDEXED = "SELECT count(*) FROM convotui_indexed"

_FEW = 50
"""What more than one message in so many holds is found soonest by reading them."""

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
    added = run(
        database,
        "INSERT OR IGNORE INTO convotui_indexed (message_id)"
        " SELECT value FROM json_each(?) RETURNING document",
        (json.dumps(message_ids),),
    )
    if added:
        # Numbers are given in order, and above all that there are.
        run(database, _ADD, added[0])


def remove(
    database: SqliteDatabase, ids_query: str, parameters: tuple[object, ...] = ()
) -> None:
    """Take the messages that a query names out of the index."""
    documents = (
        f"SELECT document FROM convotui_indexed WHERE message_id IN ({ids_query})"
    )
    run(
        database,
        f"DELETE FROM {SEARCH_TABLE} WHERE rowid IN ({documents})",
        parameters,
    )
    run(
        database,
        f"DELETE FROM convotui_indexed WHERE message_id IN ({ids_query})",
        parameters,
    )


def catch_up(database: SqliteDatabase, saved: int = 0) -> None:
    """Index some of what has been added since the last time, if it is enough.

    Called before every write, and after a save that may be enough by itself. Looks
    only at rows above the last one it saw, so that it costs nothing when there is
    nothing to do.
    """
    [(seen, last)] = run(database, _BEHIND)
    if last < seen:
        # SQLite gives the numbers of the last rows away again.
        run(database, _SEEN, (str(last),))
    elif last - seen > LAG:
        _index_above(database, seen, last, saved + _CATCH_UP)


def _index_above(database: SqliteDatabase, seen: int, last: int, limit: int) -> bool:
    """Index so many of the messages above a number; whether that was all."""
    found = run(database, _UNSEEN, (seen, limit))
    if found:
        add(database, [row[1] for row in found])
    is_all = len(found) < limit
    run(database, _SEEN, (str(last if is_all else found[-1][0]),))
    return is_all


def rebuild(database: SqliteDatabase) -> None:
    """Index everything anew."""
    run(database, f"DELETE FROM {SEARCH_TABLE}")
    run(database, "DELETE FROM convotui_indexed")
    is_all = False
    run(database, _SEEN, ("0",))
    while not is_all:
        [(seen, last)] = run(database, _BEHIND)
        is_all = _index_above(database, seen, last, 10_000)


def find(database: SqliteDatabase, query: Query) -> Iterator[Hit]:
    """Yield the messages that hold what was typed, newest first."""
    expression = query.index_expression
    rows = (
        run(database, _EVERYTHING)
        if expression is None or _is_common(database, expression)
        else run(database, _CANDIDATES, (expression, _titled(database, query)))
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


def _is_common(database: SqliteDatabase, expression: str) -> bool:
    enough: int = run(database, _INDEXED)[0][0] // _FEW + 1
    found: int = run(database, _MATCHES, (expression, enough))[0][0]
    return found == enough and enough > _BATCH


def _titled(database: SqliteDatabase, query: Query) -> str:
    """Return the messages whose titles hold any of what is sought, as JSON."""
    titles = run(database, _TITLES)
    return json.dumps([row[0] for row in titles if query.touches(row[1])])
