"""How a file gets its tables, and how convotui's own ones grow from version to version.

Only a write calls this. The two tables shared with CPE never change.
"""

from __future__ import annotations

from collections.abc import Callable

from peewee import SchemaManager, SqliteDatabase

from convotui.storage import index
from convotui.storage.connections import run
from convotui.storage.schema import (
    SHARED_TABLES,
    ChangeRow,
    IndexedRow,
    MetaRow,
    OriginRow,
    ReplyRow,
    TrashedBlockRow,
    TrashedMessageRow,
)

_FIRST_TABLES = (
    MetaRow,
    ReplyRow,
    ChangeRow,
    TrashedMessageRow,
    TrashedBlockRow,
    IndexedRow,
)


def _begin(database: SqliteDatabase) -> None:
    for model in _FIRST_TABLES:
        SchemaManager(model, database=database).create_all(safe=True)
    # Where only some tables were missing, the index may not agree with them.
    index.forget(database)


def _follow_replies(database: SqliteDatabase) -> None:
    """Tell why a reply failed, if it is being written, and where a message came from.

    And find trash by id.
    """
    table = ReplyRow._meta.table_name
    present = {row[1] for row in run(database, f"PRAGMA table_info({table})")}
    for column, kind in (("error", "TEXT"), ("beat_at", "TIMESTAMP")):
        # The first step makes the tables as they are today.
        if column not in present:
            run(database, f"ALTER TABLE {table} ADD COLUMN {column} {kind}")
    SchemaManager(TrashedMessageRow, database=database).create_indexes(safe=True)
    SchemaManager(OriginRow, database=database).create_all(safe=True)


_STEPS: tuple[Callable[[SqliteDatabase], None], ...] = (_begin, _follow_replies)
"""Step n takes convotui's own tables from version n to n + 1; a step once released
is never edited."""

CURRENT_VERSION = len(_STEPS)
"""The version of convotui's own tables that this convotui reads and writes."""


def bring_up_to_date(database: SqliteDatabase, version: int) -> None:
    """Make what is missing and take our own tables from `version` to the current one.

    Runs inside the caller's transaction, so a file is never left in between.
    """
    for model in SHARED_TABLES:
        SchemaManager(model, database=database).create_all(safe=True)
    for step in _STEPS[version:]:
        step(database)
    current = {"key": "schema_version", "value": str(CURRENT_VERSION)}
    MetaRow.insert(current).on_conflict_replace().execute(database)
