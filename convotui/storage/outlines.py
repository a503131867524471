"""What a listing needs: places, beginnings and totals, without loading any message.

These queries run over a whole file of a million messages or for every row on a screen,
so they are written in SQL and read as tuples: building Peewee's rows costs six times
as much as reading them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, takewhile
from operator import itemgetter
from typing import Any

from peewee import SqliteDatabase

from convotui.storage.connections import MAX_VALUE_BYTES, connection_of, run
from convotui.storage.errors import AmbiguousIdError, MessageNotFoundError
from convotui.storage.reading import BATCH
from convotui.storage.records import (
    MISSING_PARENT,
    NO_PARENT,
    ROLES,
    MessageId,
    Modality,
    Outline,
    Preview,
    ReplyTotals,
    Usage,
    is_storable,
    read_time,
)

_PREVIEW_LENGTH = 300
_AMBIGUOUS = 20

_OUTLINE = """
SELECT id, parent_id, role, CAST(title AS TEXT) FROM messages
WHERE typeof(id) = 'text' ORDER BY created_at, rowid
"""

_PREVIEWS = f"""
SELECT m.id, CAST(m.role AS TEXT), m.created_at, CAST(m.title AS TEXT),
    m.tool_result_error,
    CAST(r.model AS TEXT), CAST(r.cost AS REAL), CAST(r.state AS TEXT),
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

_USAGE = """
SELECT date(m.created_at, 'localtime'), CAST(r.model AS TEXT), count(*),
    total(r.input_tokens), total(r.output_tokens), total(r.cached_tokens), total(r.cost)
FROM messages AS m LEFT JOIN convotui_replies AS r ON r.message_id = m.id
GROUP BY 1, 2 ORDER BY 1, 2
"""

_NEIGHBOURS = """
SELECT value, CAST((SELECT max(id) FROM messages WHERE id < value) AS TEXT),
    CAST((SELECT min(id) FROM messages WHERE id > value) AS TEXT)
FROM json_each(?)
"""

_TOOL_NAME = re.compile(r'"name"\s*:\s*"((?:[^"\\]|\\.)*)"')
_TOOL_PARAMETERS = re.compile(r'"parameters"\s*:\s*(.*)', re.DOTALL)


def outline(database: SqliteDatabase) -> Outline:
    """Return where every message hangs."""
    result = Outline()
    position_of: dict[str, int] = {}
    role_codes = {role: code for code, role in enumerate(ROLES)}
    unplaced: list[tuple[int, str]] = []
    ids, parents, roles = result.ids, result.parents, result.roles
    for position, (message_id, parent_id, role, title) in enumerate(
        connection_of(database).execute(_OUTLINE)
    ):
        position_of[message_id] = position
        ids.append(message_id)
        roles.append(role_codes.get(role, len(ROLES)))
        if title is not None:
            result.titles[position] = title
        if parent_id is None:
            parents.append(NO_PARENT)
            continue
        parent = position_of.get(parent_id, MISSING_PARENT)
        parents.append(parent)
        if parent == MISSING_PARENT:
            # It may only be later: clocks can be set back.
            unplaced.append((position, parent_id))
    for position, parent_id in unplaced:
        parents[position] = position_of.get(parent_id, MISSING_PARENT)
    return result


def previews(
    database: SqliteDatabase, message_ids: Sequence[MessageId]
) -> Iterator[Preview]:
    """Yield what a row shows of each of these messages; those that are gone are not."""
    for start in range(0, len(message_ids), BATCH):
        batch = json.dumps(message_ids[start : start + BATCH])
        found = run(database, _PREVIEWS, (batch,))
        for message_id, rows in groupby(found, itemgetter(0)):
            blocks = list(rows)
            _, role, created_at, title, error, model, cost, state, *_ = blocks[0]
            yield Preview(
                id=message_id,
                role=role,
                created_at=read_time(created_at),
                text=beginning(row[8:] for row in blocks),
                title=title,
                tool_result_error=bool(error),
                model=model,
                cost=cost,
                state=state or "complete",
            )


def rows(
    database: SqliteDatabase,
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
    return previews(database, [row[0] for row in ids])


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


def usage(database: SqliteDatabase) -> list[Usage]:
    """Return the totals of every day and model, each message counted once."""
    return [
        Usage(day or "", model, count, int(sent), int(received), int(cached), cost)
        for day, model, count, sent, received, cached, cost in run(database, _USAGE)
    ]


def reply_totals(database: SqliteDatabase) -> list[ReplyTotals]:
    """Return model, tokens and cost of each reply of which they are known."""
    rows = run(
        database,
        "SELECT message_id, CAST(model AS TEXT),"
        " CAST(coalesce(input_tokens, 0) AS INTEGER),"
        " CAST(coalesce(output_tokens, 0) AS INTEGER),"
        " CAST(coalesce(cost, 0) AS REAL) FROM convotui_replies"
        " WHERE message_id IN (SELECT id FROM messages)",
    )
    return [ReplyTotals(*row) for row in rows]


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
        text = (content or b"").decode("utf-8", "replace")[:_PREVIEW_LENGTH]
        if kind == "content":
            if words := " ".join(text.split()):
                return words
        elif kind == "tool_call":
            done = done or _tool_call(text)
        elif kind != "redacted_thinking":
            done = done or " ".join(text.split())
    return done


def _tool_call(beginning: str) -> str:
    """Name a call by the beginning of its JSON, which may have been cut."""
    name = _TOOL_NAME.search(beginning)
    parameters = _TOOL_PARAMETERS.search(beginning)
    if name is None:
        return " ".join(beginning.split())
    rest = " ".join(parameters[1].split()).removesuffix("}") if parameters else ""
    return f"{name[1]} {rest}".rstrip()
