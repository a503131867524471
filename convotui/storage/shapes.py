"""What kind of file it is: ours to write, somebody else's to read, or neither."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from peewee import Model, SqliteDatabase

from convotui.storage.connections import run
from convotui.storage.errors import NewerVersionError, NotAStoreError
from convotui.storage.migrations import CURRENT_VERSION
from convotui.storage.schema import SHARED_TABLES

_SQLITE_TABLES = re.compile(r"sqlite_(sequence|stat\d)")
_OWN_PREFIX = "convotui_"
_COMMENTS = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)
_CODE_IN_A_TABLE = re.compile(r"\b(CHECK|GENERATED|COLLATE|AS)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Shape:
    """What the tables of a file say about who wrote it and what may be done."""

    is_empty: bool
    """Whether there are no tables yet."""
    own_version: int | None
    """The version of convotui's own tables, or `None` if the file has none."""
    foreign_because: str | None
    """Why the file may be read but not written, or `None` if it may be written."""
    message_columns: frozenset[str]

    @classmethod
    def of_nothing(cls) -> Self:
        """The shape of a file without tables, or of none."""
        return cls(True, None, None, frozenset())

    @property
    def name(self) -> str:
        """The kind of file in the user's words."""
        if self.is_empty:
            return "empty"
        if self.foreign_because is not None:
            return "foreign"
        return "CPE" if self.own_version is None else "CPE with convotui's own tables"


def shape_of(database: SqliteDatabase, path: Path) -> Shape:
    """Return the shape of an open file.

    Raises:
        NotAStoreError: If it holds no conversations that convotui can read.
        NewerVersionError: If a newer convotui wrote it.
    """
    objects = run(
        database,
        "SELECT type, name, tbl_name, coalesce(sql, '') FROM main.sqlite_schema",
    )
    tables = {name: sql for kind, name, _, sql in objects if kind == "table"}
    if not objects:
        return Shape.of_nothing()
    if not {"messages", "blocks"} <= tables.keys():
        raise NotAStoreError(path, _what_else(database, tables.keys()))
    columns = {name: columns_of(database, name) for name in ("messages", "blocks")}
    wanted = {model._meta.table_name: _fields(model) for model in SHARED_TABLES}
    if not wanted["messages"] - {"title"} <= columns["messages"]:
        raise NotAStoreError(path, "its table 'messages' is not CPE's.")
    if not wanted["blocks"] <= columns["blocks"]:
        raise NotAStoreError(path, "its table 'blocks' is not CPE's.")
    return Shape(
        is_empty=False,
        own_version=_own_version(database, path, tables.keys()),
        foreign_because=(
            "was written by a newer CPE, whose tables differ"
            if columns != wanted
            else _suspicion(objects)
        ),
        message_columns=columns["messages"],
    )


def _suspicion(objects: list[tuple[Any, ...]]) -> str | None:
    """Say what in the schema could run code or belongs to another program."""
    known = {"messages", "blocks"}
    for kind, name, table, sql in objects:
        ours = name in known or name.startswith(_OWN_PREFIX)
        if kind in ("trigger", "view"):
            return f"holds the {kind} {name!r}, which could run when it is written"
        if kind == "table" and not ours and not _SQLITE_TABLES.fullmatch(name):
            return f"holds the table {name!r} of another program"
        if kind == "index" and sql and not _is_plain_index(name, table):
            return f"holds the index {name!r} of another program"
        if name in known and _CODE_IN_A_TABLE.search(_COMMENTS.sub(" ", sql)):
            return f"holds a table {name!r} with rules of its own"
    return None


def _is_plain_index(name: str, table: str) -> bool:
    return table.startswith(_OWN_PREFIX) or name in (
        "idx_messages_created_at",
        "idx_messages_parent_id",
    )


def _own_version(
    database: SqliteDatabase, path: Path, tables: Iterable[str]
) -> int | None:
    if "convotui_meta" not in tables:
        return None
    rows = run(
        database, "SELECT value FROM main.convotui_meta WHERE key = 'schema_version'"
    )
    try:
        version = int(rows[0][0]) if rows else 0
    except (TypeError, ValueError):
        raise NotAStoreError(path, "its convotui tables have no version.") from None
    if version > CURRENT_VERSION:
        raise NewerVersionError(
            path,
            f"was written by a newer convotui (tables of version {version}, this one "
            f"knows {CURRENT_VERSION}). Upgrade convotui to open it.",
        )
    return version


def _what_else(database: SqliteDatabase, tables: Iterable[str]) -> str:
    """Name the program that a database without our tables belongs to."""
    names = set(tables)
    columns = columns_of(database, "conversations")
    program = "something else"
    if "executor_data" in columns:
        program = "CPE from before April 2025 (version 0.19 or older)"
    elif {"turns", "sessions"} <= names:
        program = "Pingu"
    elif {"messages", "sessions"} <= names:
        program = "egirl"
    elif "messages" in columns:
        program = "orcx"
    elif columns == {"key", "value"} or "conversations_v2" in names:
        program = "Amazon Q or Kiro"
    return (
        f"is a database of {program}, not a .cpeconvo file. "
        "Name another file with --db."
    )


def columns_of(database: SqliteDatabase, table: str) -> frozenset[str]:
    """Return the names of a table's columns; none if there is no such table."""
    # Hidden and generated columns count too: they make the table another one.
    rows = run(database, f'PRAGMA main.table_xinfo("{table}")')
    return frozenset(row[1] for row in rows)


def _fields(model: type[Model]) -> frozenset[str]:
    return frozenset(field.column_name for field in model._meta.sorted_fields)
