"""What a listing needs: places and beginnings, without loading any message.

These queries run over a whole file of a million messages or for every row on a screen,
so they are written in SQL and read as tuples: building Peewee's rows costs six times
as much as reading them.
"""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from typing import Any

from peewee import SqliteDatabase

from convotui.storage.beats import Clock, state_at
from convotui.storage.connections import MAX_VALUE_BYTES, connection_of, run
from convotui.storage.errors import AmbiguousIdError, MessageNotFoundError
from convotui.storage.packing import PackedIds
from convotui.storage.reading import BATCH
from convotui.storage.records import (
    MISSING_PARENT,
    NO_PARENT,
    ROLES,
    MessageId,
    Modality,
    Outline,
    Preview,
    is_storable,
    read_time,
)

_PREVIEW_LENGTH = 300
_AMBIGUOUS = 20
_RECENT = 20_000

_OUTLINE = """
SELECT id, parent_id, role, CAST(title AS TEXT) FROM messages
WHERE typeof(id) = 'text' ORDER BY created_at, rowid
"""

_PREVIEWS = f"""
SELECT m.id, CAST(m.role AS TEXT), m.created_at, CAST(m.title AS TEXT),
    m.tool_result_error,
    CAST(r.model AS TEXT), CAST(r.cost AS REAL), CAST(r.state AS TEXT),
    CAST(r.beat_at AS TEXT),
    CAST(b.block_type AS TEXT), b.modality_type, CAST(b.mime_type AS TEXT),
    CASE WHEN b.modality_type = 0 AND octet_length(b.content) < {MAX_VALUE_BYTES}
        THEN substr(CAST(b.content AS BLOB), 1, {4 * _PREVIEW_LENGTH})
    END
FROM json_each(?) AS wanted
JOIN messages AS m ON m.id = wanted.value
LEFT JOIN convotui_replies AS r ON r.message_id = m.id
LEFT JOIN blocks AS b ON b.message_id = m.id
ORDER BY wanted.key, b.sequence_order
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

_PLAIN = bytes(range(ord(" "), ord("~") + 1))
_NO_ROW = (None,)
_TOOL_NAME = re.compile(r'"name"\s*:\s*"((?:[^"\\]|\\.)*)"')
_TOOL_PARAMETERS = re.compile(r'"parameters"\s*:\s*(.*)', re.DOTALL)


def outline(database: SqliteDatabase) -> Outline:
    """Return where every message hangs."""
    role_codes = {role: code for code, role in enumerate(ROLES)}
    names: list[str] = []
    letters, lengths = bytearray(), array("i")
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
            letters += "".join(names).encode()
            lengths.extend(map(len, names))
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
    letters += "".join(names).encode()
    lengths.extend(map(len, names))
    ids = PackedIds(letters.decode(), lengths)
    places = ids.positions_of(far.values())
    for position, far_parent in far.items():
        parents[position] = places.get(far_parent, MISSING_PARENT)
    return Outline(ids, parents, roles, titles)


def previews(
    database: SqliteDatabase, message_ids: Sequence[MessageId], clock: Clock
) -> Iterator[Preview]:
    """Yield what a row shows of each of these messages; those that are gone are not."""
    for start in range(0, len(message_ids), BATCH):
        batch = json.dumps(message_ids[start : start + BATCH])
        found = run(database, _PREVIEWS, (batch,))
        several: list[tuple[Any, ...]] = []
        for row, following in zip(found, [*found[1:], _NO_ROW], strict=False):
            id_, role, time, title, error, model, cost, state, beat, kind = row[:10]
            # Nearly all messages are one block of text; a listing has many of them.
            if following[0] == id_ or several or kind != "content" or not row[-1]:
                several.append(row[9:])
                if following[0] == id_:
                    continue
                text, several = beginning(several), []
            else:
                text = _words(row[-1])
            if state is None:
                state = "complete"
            elif state == "streaming":
                state = state_at(state, beat, clock)
            created_at, failed = read_time(time), bool(error)
            yield Preview(
                id_, role, created_at, text, title, failed, model, cost, state
            )


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


def beginning(blocks: Iterable[tuple[Any, ...]]) -> str:
    """Return the first words of what was said or, failing that, what was done.

    A block is its type, modality and MIME type, and the first bytes of its content.
    """
    done = ""
    for kind, modality, mime_type, content in blocks:
        if kind is None:
            continue
        if modality != Modality.TEXT:
            done = done or f"[{mime_type}]"
            continue
        # A text that is far too long is as good as none.
        content = content or b""
        if kind == "content":
            if words := _words(content):
                return words
        elif kind == "tool_call":
            done = done or _tool_call(content.decode("utf-8", "replace"))
        elif kind != "redacted_thinking":
            done = done or _words(content)
    return done


def _words(content: bytes) -> str:
    """Return the beginning of a text on one line."""
    # Taking all words apart is what a listing would spend most of its time on.
    text = content.decode("utf-8", "replace")[:_PREVIEW_LENGTH]
    if content.translate(None, _PLAIN) or "  " in text:
        return " ".join(text.split())
    return text.strip(" ")


def _tool_call(beginning: str) -> str:
    """Name a call by the beginning of its JSON, which may have been cut."""
    beginning = beginning[:_PREVIEW_LENGTH]
    name = _TOOL_NAME.search(beginning)
    parameters = _TOOL_PARAMETERS.search(beginning)
    if name is None:
        return " ".join(beginning.split())
    rest = " ".join(parameters[1].split()).removesuffix("}") if parameters else ""
    return f"{name[1]} {rest}".rstrip()
