"""What is known here already of messages that arrive."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from peewee import SqliteDatabase

from convotui.storage import reading
from convotui.storage.arrivals import Origin, fingerprint
from convotui.storage.connections import run
from convotui.storage.records import ROLES, Block, MessageId

_KNOWN = """
SELECT w.key, o.key, o.message_id, o.digest, o.details, m.id IS NOT NULL, m.title
FROM json_each(?) AS w
JOIN convotui_origins AS o ON o.source = w.value ->> 0
    AND o.conversation = w.value ->> 1 AND o.key IN (w.value ->> 2, w.value ->> 3)
LEFT JOIN messages AS m ON m.id = o.message_id
WHERE m.id IS NOT NULL
    OR o.message_id IN (SELECT id FROM convotui_trashed_messages)
"""
_ALIVE = "SELECT id FROM messages WHERE id IN (SELECT value FROM json_each(?))"


_IN_TRASH = """
SELECT m.id, m.role, m.tool_result_error, b.content, b.block_type, b.modality_type,
    b.mime_type, b.id, b.extra_fields
FROM convotui_trashed_messages AS m LEFT JOIN convotui_trashed_blocks AS b
    ON b.change_id = m.change_id AND b.message_id = m.id
WHERE m.id IN (SELECT value FROM json_each(?)) ORDER BY m.id, b.sequence_order
"""


class Known(NamedTuple):
    """A message that is here, or in the trash."""

    id: MessageId
    digest: str
    details: str | None
    """`None` if it was never imported."""
    is_alive: bool
    title: str | None = None
    parent: MessageId | None = None


def by_origin(
    database: SqliteDatabase, wanted: Sequence[tuple[Origin, str]]
) -> dict[tuple[int, str], Known]:
    """Return what came from these origins, or from there under another key.

    It is found by the position in `wanted` and the key.
    """
    names = json.dumps([(*origin, other_key) for origin, other_key in wanted])
    return {
        (position, key): Known(*rest)
        for position, key, *rest in run(database, _KNOWN, (names,))
    }


def in_store(
    database: SqliteDatabase, ids: list[MessageId], clock: Callable[[], datetime]
) -> Iterator[Known]:
    """Yield those of these messages that are there."""
    alive = [row[0] for row in run(database, _ALIVE, (json.dumps(ids),))]
    for message in reading.get(database, alive, clock):
        # Another program's role would have come in as a user's.
        role = message.role if message.role in ROLES else "user"
        mark = fingerprint(role, message.tool_result_error, message.blocks)
        yield Known(message.id, mark, None, True, message.title, message.parent_id)


def in_trash(database: SqliteDatabase, ids: list[MessageId]) -> Iterator[Known]:
    """Yield those of these messages that are in the trash."""
    found = run(database, _IN_TRASH, (json.dumps(ids),))
    for (message_id, role, error), rows in groupby(found, itemgetter(0, 1, 2)):
        blocks = [Block(*row[3:]) for row in rows if row[3] is not None]
        mark = fingerprint(role, bool(error), blocks)
        yield Known(message_id, mark, None, False)
