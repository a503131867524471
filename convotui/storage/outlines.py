"""What a listing needs: places and beginnings, without loading any message.

These queries run over a whole file of a million messages or for every row on a screen,
so they are written in SQL and read as tuples: building Peewee's rows costs six times
as much as reading them.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, takewhile
from typing import Any

from peewee import SqliteDatabase

from convotui.storage.beats import Clock, state_at
from convotui.storage.beginnings import BEGINNING_BYTES, beginning, first_words
from convotui.storage.connections import MAX_VALUE_BYTES, connection_of, run
from convotui.storage.errors import AmbiguousIdError, MessageNotFoundError
from convotui.storage.packing import Packer
from convotui.storage.reading import BATCH
from convotui.storage.records import (
    MISSING_PARENT,
    NO_PARENT,
    ROLES,
    MessageId,
    Outline,
    Preview,
    ReplyState,
    is_storable,
    read_time,
)

_AMBIGUOUS = 20
_RECENT = 20_000

_OUTLINE = """
SELECT id, parent_id, role, CAST(title AS TEXT) FROM messages
WHERE typeof(id) = 'text' ORDER BY created_at, rowid
"""

_ROWS = f"""
SELECT m.id, CAST(m.role AS TEXT), m.created_at, CAST(m.title AS TEXT),
    m.tool_result_error, {{facts}}
    b.sequence_order, CAST(b.block_type AS TEXT), b.modality_type,
    CAST(b.mime_type AS TEXT),
    CASE WHEN b.modality_type = 0 AND octet_length(b.content) < {MAX_VALUE_BYTES}
        THEN substr(CAST(b.content AS BLOB), 1, {BEGINNING_BYTES})
    END
FROM json_each(?) AS wanted
CROSS JOIN messages AS m ON m.id = wanted.value
{{replies}}
LEFT JOIN blocks AS b ON b.message_id = m.id
"""
# The tables of a CROSS JOIN are gone through in the order in which they are written, so
# that all blocks of a message come together. To sort them here would copy every text.
_LINES = _ROWS.format(facts="", replies="")
_PREVIEWS = _ROWS.format(
    facts="CAST(r.model AS TEXT), CAST(r.cost AS REAL), CAST(r.state AS TEXT),"
    " CAST(r.beat_at AS TEXT),",
    replies="LEFT JOIN convotui_replies AS r ON r.message_id = m.id",
)

_UNFINISHED = """
SELECT message_id, CAST(state AS TEXT), CAST(beat_at AS TEXT) FROM convotui_replies
WHERE state <> 'complete'
"""

_NEWEST_REPLY = """
WITH RECURSIVE trace(id) AS (
    SELECT id FROM messages WHERE title GLOB 'subagent:*'
    UNION
    SELECT m.id FROM messages AS m JOIN trace ON m.parent_id = trace.id
)
SELECT id FROM messages
WHERE role IN ('assistant', 'tool_result') AND typeof(id) = 'text'
    AND id NOT IN (SELECT id FROM trace WHERE id IS NOT NULL)
ORDER BY created_at DESC, rowid DESC LIMIT 1
"""

_NEIGHBOURS = """
SELECT value, CAST((SELECT max(id) FROM messages WHERE id < value) AS TEXT),
    CAST((SELECT min(id) FROM messages WHERE id > value) AS TEXT)
FROM json_each(?)
"""

_NO_ROW = (None,)
_RANKS: dict[type, int] = {int: 1, float: 1, str: 2, bytes: 3}


def outline(database: SqliteDatabase) -> Outline:
    """Return where every message hangs."""
    role_codes = {role: code for code, role in enumerate(ROLES)}
    names: list[str] = []
    packer = Packer()
    parents, roles = array("i"), bytearray()
    titles: dict[int, str] = {}
    far: dict[int, str] = {}
    # A parent is seldom far above; to know where every id is takes much memory.
    recent: dict[MessageId, int] = {}
    older: dict[MessageId, int] = {}
    for position, (message_id, parent_id, role, title) in enumerate(
        connection_of(database).execute(_OUTLINE)
    ):
        if len(names) == _RECENT:
            packer.add(names)
            names, recent, older = [], {}, recent
        names.append(message_id)
        recent[message_id] = position
        roles.append(role_codes.get(role, len(ROLES)))
        if title is not None:
            titles[position] = title
        if parent_id is None:
            parents.append(NO_PARENT)
            continue
        parent = recent.get(parent_id)
        if parent is None:
            parent = older.get(parent_id, MISSING_PARENT)
            if parent == MISSING_PARENT and isinstance(parent_id, str):
                # It may also be later: clocks can be set back.
                far[position] = parent_id
        parents.append(parent)
    packer.add(names)
    ids = packer.packed()
    places = ids.positions_of(far.values())
    for position, far_parent in far.items():
        parents[position] = places.get(far_parent, MISSING_PARENT)
    return Outline(ids, parents, roles, titles)


def previews(
    database: SqliteDatabase, message_ids: Sequence[MessageId], clock: Clock
) -> Iterator[Preview]:
    """Yield what a row shows of each of these messages; those that are gone are not."""
    for row, text in _found(database, _PREVIEWS, message_ids):
        id_, role, time, title, error, model, cost, state, beat = row[:9]
        if state is None:
            state = "complete"
        elif state == "streaming":
            state = state_at(state, beat, clock)
        created_at, failed = read_time(time), bool(error)
        yield Preview(id_, role, created_at, text, title, failed, model, cost, state)


def lines(
    database: SqliteDatabase,
    message_ids: Sequence[MessageId],
    unfinished: Mapping[MessageId, ReplyState],
) -> list[Preview]:
    """Return `previews` without models and costs, looking up nothing about replies."""
    return [
        Preview._make(
            (
                row[0],
                row[1],
                read_time(row[2]),
                text,
                row[3],
                bool(row[4]),
                None,
                None,
                unfinished.get(row[0], "complete"),
            )
        )
        for row, text in _found(database, _LINES, message_ids)
    ]


def unfinished(database: SqliteDatabase, clock: Clock) -> dict[MessageId, ReplyState]:
    """Return the states of all replies that are not complete."""
    return {
        message_id: state_at(state, beat_at, clock)
        for message_id, state, beat_at in run(database, _UNFINISHED)
    }


def rows(
    database: SqliteDatabase,
    clock: Clock,
    ascending: bool,
    offset: int,
    limit: int | None,
    id_prefix: str,
) -> Iterator[Preview]:
    """Yield what a row shows of the messages, in order of time."""
    order = "ASC" if ascending else "DESC"
    ids = run(
        database,
        "SELECT id FROM messages WHERE id >= ? AND id < ? AND typeof(id) = 'text'"
        f" ORDER BY created_at {order}, rowid {order} LIMIT ? OFFSET ?",
        (*_beginning_with(id_prefix), -1 if limit is None else limit, offset),
    )
    return previews(database, [row[0] for row in ids], clock)


def resolve(database: SqliteDatabase, prefix: str) -> MessageId:
    """Return the id that is, or alone begins with, `prefix`.

    Raises:
        MessageNotFoundError: If there is none.
        AmbiguousIdError: If there are several.
    """
    if not prefix or not is_storable(prefix):
        raise MessageNotFoundError(prefix)
    found = [
        row[0]
        for row in run(
            database,
            "SELECT id FROM messages WHERE id >= ? AND id < ? ORDER BY id LIMIT ?",
            (*_beginning_with(prefix), _AMBIGUOUS),
        )
    ]
    if not found:
        raise MessageNotFoundError(prefix)
    if len(found) > 1 and found[0] != prefix:
        raise AmbiguousIdError(prefix, found)
    return MessageId(found[0])


def unique_prefixes(
    database: SqliteDatabase, message_ids: Sequence[MessageId]
) -> dict[MessageId, int]:
    """Return how many characters of each id are needed to tell it from all others."""
    return {
        message_id: 1 + max(_shared(message_id, before), _shared(message_id, after))
        for start in range(0, len(message_ids), BATCH)
        for message_id, before, after in run(
            database, _NEIGHBOURS, (json.dumps(message_ids[start : start + BATCH]),)
        )
    }


def newest_reply(database: SqliteDatabase) -> MessageId | None:
    """Return the newest reply or tool result that is no subagent's, if there is one."""
    rows = run(database, _NEWEST_REPLY)
    return MessageId(rows[0][0]) if rows else None


def _shared(message_id: str, neighbour: str | None) -> int:
    pairs = zip(message_id, neighbour or "", strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _beginning_with(prefix: str) -> tuple[str, str]:
    """Return the bounds between which text begins so; an index can use them."""
    return prefix, prefix + "\U0010ffff"


def _found(
    database: SqliteDatabase, sql: str, message_ids: Sequence[MessageId]
) -> Iterator[tuple[tuple[Any, ...], str]]:
    """Yield a row for each message that is there, and the beginning of its text.

    The last five columns of a row are a block: its place in the message, and what
    `beginning` takes.
    """
    for start in range(0, len(message_ids), BATCH):
        found = run(database, sql, (json.dumps(message_ids[start : start + BATCH]),))
        blocks: list[tuple[Any, ...]] = []
        for row, following in pairwise([*found, _NO_ROW]):
            is_last = following[0] != row[0]
            # Nearly all messages are one block of text; a listing has many of them.
            if is_last and not blocks and row[-1] and row[-4] == "content":
                yield row, first_words(row[-1])
                continue
            blocks.append(row[-5:])
            if is_last:
                blocks.sort(key=_place)
                yield row, beginning(block[1:] for block in blocks)
                blocks = []


def _place(block: tuple[Any, ...]) -> tuple[int, Any]:
    """Return what sorts blocks as SQLite does; they may be numbered by anything."""
    return _RANKS.get(type(block[0]), 0), block[0]
