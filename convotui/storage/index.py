"""The full-text index: completed some messages at a time, and asked first.

Nothing keeps it up to date but the functions here, as there are no triggers. What it
does not hold yet is read and judged one by one, so a search is complete at any time
and never has to write; and a save leaves the index to a later one that has enough for
it to be worth the while.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import apsw
from peewee import SqliteDatabase

from convotui.storage.connections import MAX_VALUE_BYTES, run
from convotui.storage.records import read_time
from convotui.storage.results import Hit
from convotui.storage.schema import CREATE_SEARCH_TABLE, SEARCH_TABLE
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

_REMOVE = f"""
DELETE FROM {SEARCH_TABLE} WHERE rowid IN (SELECT value FROM json_each(?))
"""
_WRITE = f"INSERT INTO {SEARCH_TABLE}({SEARCH_TABLE}) VALUES ('flush')"
_MERGE = f"INSERT INTO {SEARCH_TABLE}({SEARCH_TABLE}) VALUES ('optimize')"

_DAMAGE = (apsw.CorruptError, apsw.SQLError, apsw.ConstraintError)
"""What SQLite raises where the index is not as it left it."""

_BEHIND = """
SELECT coalesce(seen, 0), coalesce(last, 0)
FROM (SELECT max(CAST(value AS INTEGER)) AS seen FROM convotui_meta
        WHERE key = 'indexed_up_to'),
    (SELECT max(rowid) AS last FROM messages)
"""
"""The number of the last message that was looked at, and of the last there is."""

_UNSEEN = """
SELECT count(*), max(rowid) FROM (
    SELECT rowid FROM messages
    WHERE rowid > ? AND typeof(id) = 'text'
        AND id NOT IN (SELECT message_id FROM convotui_indexed)
    ORDER BY rowid LIMIT ?
)
"""
_BETWEEN = """
SELECT id FROM messages WHERE rowid > ? AND rowid <= ? AND typeof(id) = 'text'
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


def add(
    database: SqliteDatabase, ids_query: str, parameters: tuple[object, ...] = ()
) -> None:
    """Index the messages that a query names, without those that are indexed."""
    added = run(
        database,
        "INSERT OR IGNORE INTO convotui_indexed (message_id)"
        f" {ids_query} RETURNING document",
        parameters,
    )
    if added:
        # Numbers are given in order, and above all that there are.
        _change(database, _ADD, added[0])


def remove(
    database: SqliteDatabase, ids_query: str, parameters: tuple[object, ...] = ()
) -> None:
    """Take the messages that a query names out of the index."""
    removed = run(
        database,
        f"DELETE FROM convotui_indexed WHERE message_id IN ({ids_query})"
        " RETURNING document",
        parameters,
    )
    if removed:
        _change(database, _REMOVE, (json.dumps([row[0] for row in removed]),))


def tidy(database: SqliteDatabase) -> None:
    """Destroy the words that were taken out; they stay until parts are merged."""
    _change(database, _MERGE)


def forget(database: SqliteDatabase) -> None:
    """Begin the index anew, whatever state it is in."""
    # Where not even that is possible, a search reads everything.
    with suppress(*_DAMAGE):
        run(database, f"DROP TABLE IF EXISTS {SEARCH_TABLE}")
        run(database, CREATE_SEARCH_TABLE)
    run(database, "DELETE FROM convotui_indexed")
    run(database, _SEEN, ("0",))


def _change(
    database: SqliteDatabase, sql: str, parameters: tuple[object, ...] = ()
) -> None:
    """Change what the index holds; one that is damaged is no reason to fail."""
    try:
        run(database, sql, parameters)
        # Otherwise the damage would show when everything is to be kept.
        run(database, _WRITE)
    except _DAMAGE:
        forget(database)


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
    [(count, highest)] = run(database, _UNSEEN, (seen, limit))
    is_all = count < limit
    add(database, _BETWEEN, (seen, highest or seen))
    run(database, _SEEN, (str(last if is_all else highest),))
    return bool(is_all)


def rebuild(database: SqliteDatabase) -> None:
    """Index everything anew."""
    forget(database)
    is_all = False
    while not is_all:
        [(seen, last)] = run(database, _BEHIND)
        is_all = _index_above(database, seen, last, 10_000)


def find(database: SqliteDatabase, query: Query) -> Iterator[Hit]:
    """Yield the messages that hold what was typed, newest first."""
    rows = _candidates(database, query)
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


def _candidates(database: SqliteDatabase, query: Query) -> list[tuple[Any, ...]]:
    """Return the ids of the messages that may hold what is sought."""
    expression = query.index_expression
    try:
        if expression is not None and not _is_common(database, expression):
            return run(database, _CANDIDATES, (expression, _titled(database, query)))
    except _DAMAGE:
        pass
    return run(database, _EVERYTHING)


def _is_common(database: SqliteDatabase, expression: str) -> bool:
    enough: int = run(database, _INDEXED)[0][0] // _FEW + 1
    found: int = run(database, _MATCHES, (expression, enough))[0][0]
    return found == enough and enough > _BATCH


def _titled(database: SqliteDatabase, query: Query) -> str:
    """Return the messages whose titles hold any of what is sought, as JSON."""
    titles = run(database, _TITLES)
    return json.dumps([row[0] for row in titles if query.touches(row[1])])
