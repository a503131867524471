"""What kind of file it is: ours to write, somebody else's to read, or neither."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from peewee import Model, SqliteDatabase

from convotui.storage.connections import run
from convotui.storage.errors import NotAStoreError
from convotui.storage.migrations import CURRENT_VERSION
from convotui.storage.schema import OWN_TABLES, SEARCH_TABLE, SHARED_TABLES, OriginRow
from convotui.storage.suspicion import (
    SEARCH_PARTS,
    SchemaObject,
    is_without_code,
    of_others,
    of_own,
)

Columns = dict[str, dict[str, tuple[bool, int]]]


def _fields(models: Iterable[type[Model]]) -> dict[str, frozenset[str]]:
    return {
        model._meta.table_name: frozenset(
            field.column_name for field in model._meta.sorted_fields
        )
        for model in models
    }


_SHARED = _fields(SHARED_TABLES)
_OWN = _fields(OWN_TABLES)
_KEYS = {"messages": {"id"}, "blocks": {"message_id", "sequence_order"}}
_REFERENCES = {
    "messages": ("parent_id", "messages", "id"),
    "blocks": ("message_id", "messages", "id"),
}


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
    """
    objects = _objects(database)
    tables = {found.name for found in objects if found.kind == "table"}
    if not objects:
        return Shape.of_nothing()
    if not _SHARED.keys() <= tables:
        raise NotAStoreError(path, _what_else(database, tables))
    if (encoding := database.pragma("encoding")) != "UTF-8":
        raise NotAStoreError(
            path, f"holds its text as {encoding}, which convotui does not read."
        )
    columns = _columns(database, [*_SHARED, *_OWN])
    for name, wanted in _SHARED.items():
        has_all = wanted - {"title"} <= _stored(columns[name])
        if not has_all or not _is_ordinary(database, name):
            raise NotAStoreError(path, f"its table {name!r} is not CPE's.")
    own_version, reason = _own_tables(database, objects, columns)
    return Shape(
        is_empty=False,
        own_version=own_version,
        foreign_because=(
            _of_shared(columns)
            or reason
            or of_others(objects)
            or _of_references(database)
            or _of_numbers(database)
        ),
        message_columns=_stored(columns["messages"]),
    )


def _objects(database: SqliteDatabase) -> list[SchemaObject]:
    found = run(
        database,
        "SELECT coalesce(type, ''), coalesce(name, ''), coalesce(tbl_name, ''),"
        " coalesce(sql, ''), coalesce(rootpage, 0) FROM main.sqlite_schema",
    )
    return [SchemaObject(*row) for row in found]


def _own_tables(
    database: SqliteDatabase, objects: list[SchemaObject], columns: Columns
) -> tuple[int | None, str | None]:
    """Return the version of convotui's own tables, or why they are none of its.

    Those that are not are not even read. Where some are missing none counts; the next
    write makes them.
    """
    meta = [found for found in objects if found.name == "convotui_meta"]
    if not meta or of_own(meta) or not _is_ours("convotui_meta", columns, None):
        return None, of_own(objects)
    version = _own_version(database)
    if version is None:
        return None, "holds tables of convotui's own without a version"
    if version > CURRENT_VERSION:
        return None, (
            f"was written by a newer convotui (its own tables have version {version},"
            f" this one knows {CURRENT_VERSION}; upgrade to write to it)"
        )
    if reason := of_own(objects):
        return None, reason
    needed = {*_OWN, SEARCH_TABLE, *SEARCH_PARTS}
    if version < CURRENT_VERSION:
        needed.remove(OriginRow._meta.table_name)
    if not needed <= {found.name for found in objects}:
        return None, None
    for name in _OWN.keys() & needed:
        if not _is_ours(name, columns, version):
            return None, f"holds the table {name!r}, which is not convotui's"
    return version, None


def _is_ours(name: str, columns: Columns, version: int | None) -> bool:
    """Return whether one of convotui's own tables has the columns of its version."""
    missing = _OWN[name] - columns[name].keys()
    added = version is not None and version < CURRENT_VERSION
    return columns[name].keys() <= _OWN[name] and (
        not missing or (added and missing == {"error", "beat_at"})
    )


def _own_version(database: SqliteDatabase) -> int | None:
    rows = run(
        database,
        "SELECT CAST(value AS INTEGER) FROM main.convotui_meta"
        " WHERE key = 'schema_version' AND typeof(value) = 'text'"
        " AND value NOT GLOB '*[^0-9]*' AND value <> ''",
    )
    return int(rows[0][0]) if rows else None


def _is_ordinary(database: SqliteDatabase, table: str) -> bool:
    """Return whether the rows of a table are stored, and have numbers."""
    [(_, _, kind, _, has_no_numbers, _)] = run(
        database, f"PRAGMA main.table_list({table})"
    )
    return kind == "table" and not has_no_numbers


def _of_shared(columns: Columns) -> str | None:
    """Say how the two shared tables differ from those that CPE defined."""
    for name, wanted in _SHARED.items():
        if columns[name].keys() != wanted:
            return "was written by a newer CPE, whose tables differ"
        key = {column for column, (_, place) in columns[name].items() if place}
        if key != _KEYS[name]:
            return f"holds a table {name!r} with a key of its own"
    return None


def _of_references(database: SqliteDatabase) -> str | None:
    """Say what the shared tables refer to that is not theirs to refer to."""
    for name, wanted in _REFERENCES.items():
        rows = run(database, f"PRAGMA main.foreign_key_list({name})")
        if not {(row[3], row[2], row[4] or "id") for row in rows} <= {wanted}:
            return f"holds a table {name!r} with references of its own"
    return None


def _of_numbers(database: SqliteDatabase) -> str | None:
    """Say which numbers another program has put into the file's header."""
    for name in ("user_version", "application_id"):
        if number := database.pragma(f"main.{name}"):
            return f"has the {name} {number}, which convotui does not know"
    return None


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


def tables_without_code(database: SqliteDatabase) -> list[str]:
    """Return the names of the tables that only hold what was put into them."""
    return [found.name for found in _objects(database) if is_without_code(found)]


def columns_of(database: SqliteDatabase, table: str) -> frozenset[str]:
    """Return the names of a table's columns; none if there is no such table."""
    return frozenset(_columns(database, [table])[table])


def _columns(database: SqliteDatabase, tables: Iterable[str]) -> Columns:
    """Return for each column of these tables if it computes, and its place in a key."""
    names = list(tables)
    # Hidden and generated columns count too: they make the table another one.
    rows = run(
        database,
        "SELECT t.value, c.name, c.hidden, c.pk FROM json_each(?) AS t"
        " JOIN pragma_table_xinfo(t.value, 'main') AS c",
        (json.dumps(names),),
    )
    columns: Columns = {name: {} for name in names}
    for table, column, hidden, place in rows:
        columns[table][column] = (bool(hidden), place)
    return columns


def _stored(columns: dict[str, tuple[bool, int]]) -> frozenset[str]:
    """Return the names of the columns that hold what they say and compute nothing."""
    return frozenset(name for name, (computes, _) in columns.items() if not computes)
