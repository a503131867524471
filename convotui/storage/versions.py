"""What tells whether the tree has to be read again."""

from __future__ import annotations

from peewee import SqliteDatabase

from convotui.storage.connections import run

_SIGNS = """
SELECT count(*), max(rowid), count(title), total(length(title)) FROM messages
"""


def tree_version(database: SqliteDatabase) -> tuple[object, ...]:
    """Return what is the same as long as no message came, went or was labelled."""
    return tuple(run(database, _SIGNS)[0])
