"""CPE of all times since April 2025, and convotui: another `.cpeconvo`.

Ids are kept, so that bringing two files together is the union of both. What newer
versions of CPE keep in columns of their own, and convotui in its own tables, comes
along where it is there.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter

from convotui.importers.cpe_rows import SOURCE, columns_of, message_of
from convotui.importers.cpe_sessions import Sessions, read_sessions
from convotui.importers.cpe_walk import (
    TEMPORARY,
    WALK,
    count_doubled,
    count_nameless,
    make_walk,
)
from convotui.importers.databases import Database, Row, Tables
from convotui.importers.formats import Format
from convotui.importers.records import Conversation, UnreadableError
from convotui.importers.sources import Source
from convotui.storage.arrivals import Arrival

_OWN_TABLES = ("convotui_replies", "convotui_origins")
_TABLES = ("messages", "blocks", "acp_sessions", *_OWN_TABLES)


def _knows(tables: Tables) -> bool:
    return _is_too_old(tables) or (
        {"id", "parent_id", "role"} <= tables.get("messages", frozenset())
        and {"message_id", "sequence_order"} <= tables.get("blocks", frozenset())
    )


def _is_too_old(tables: Tables) -> bool:
    return "executor_data" in tables.get("conversations", frozenset())


def _read(source: Source) -> Iterator[Conversation]:
    if _is_too_old(source.tables):
        raise UnreadableError(
            "was written by CPE before April 2025 (version 0.19 or older), and only"
            " that can read it."
        )
    with source.database(*_TABLES, *TEMPORARY) as database:
        if nameless := count_nameless(database):
            source.skip(f"{nameless} of its messages", "no id, so nothing can follow.")
        if doubled := count_doubled(database):
            source.skip(f"{doubled} of its messages", "an id that another has, too.")
        make_walk(database)
        sessions = read_sessions(database)
        [(count,)] = database.rows(f"SELECT max(1, count(*)) FROM {WALK}")
        rows = database.rows(_query(database))
        for root, tree in groupby(rows, itemgetter(1)):
            messages = _messages(tree, sessions, source, count)
            yield Conversation("", messages, sessions.directories.get(root))


def _query(database: Database) -> str:
    """Return a query for all there is, a row a block, in the order of the walk."""
    columns = ", ".join(columns_of(database))
    joins = "".join(
        f" LEFT JOIN {table} ON {table}.message_id = w.id"
        for table in ("blocks", *_OWN_TABLES)
        if table in database.tables
    )
    return (
        f"SELECT w.place, w.root, {columns} FROM {WALK} AS w"
        f" CROSS JOIN messages ON messages.rowid = w.saved{joins}"
        " ORDER BY w.place, blocks.sequence_order"
    )


def _messages(
    rows: Iterator[Row], sessions: Sessions, source: Source, count: int
) -> Iterator[Arrival]:
    time = source.modified
    for place, blocks in groupby(rows, itemgetter(0)):
        source.at(place / count)
        message = message_of([row[2:] for row in blocks], sessions, time)
        # One without a time has that of the one before.
        time = message.created_at or time
        yield message


FORMAT = Format(
    name=SOURCE,
    program="CPE or convotui",
    read=_read,
    knows_tables=_knows,
    places=("{CPE_DB_PATH}", "{config}/cpe/.cpeconvo"),
)
