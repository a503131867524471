"""Temporary tables for a reader whose file lacks some, so that looking makes none.

They are empty, or show another program's columns under our names. With them every
query works on every file.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from peewee import (
    BooleanField,
    FloatField,
    IntegerField,
    Model,
    SchemaManager,
    SqliteDatabase,
)

from convotui.storage.connections import connection_of, run
from convotui.storage.migrations import CURRENT_VERSION
from convotui.storage.schema import (
    CREATE_SEARCH_TABLE,
    OWN_TABLES,
    SEARCH_TABLE,
    SHARED_TABLES,
    BlockRow,
    MessageRow,
    OriginRow,
    ReplyRow,
)
from convotui.storage.shapes import Shape, columns_of

_NUMBERS = (IntegerField, BooleanField, FloatField)
_USAGE_COLUMNS = {"model_id", "input_tokens", "output_tokens", "cache_read_tokens"}

_REPLIES_FROM_MESSAGES = """
CREATE TEMP VIEW convotui_replies AS
SELECT id AS message_id, {model} AS model, input_tokens, output_tokens,
    cache_read_tokens AS cached_tokens, NULL AS reasoning_tokens, NULL AS cost,
    NULL AS first_token_seconds, NULL AS duration_seconds, NULL AS finish_reason,
    'complete' AS state, NULL AS error, NULL AS beat_at
FROM main.messages WHERE model_id IS NOT NULL
"""


def stand_in(database: SqliteDatabase, shape: Shape) -> None:
    """Give a reader temporary tables in place of those that its file lacks."""
    if shape.is_empty:
        _make(database, SHARED_TABLES)
    elif "title" not in shape.message_columns:
        _view(database, MessageRow, shape.message_columns)
    if shape.own_version is not None:
        if shape.own_version < CURRENT_VERSION:
            present = columns_of(database, ReplyRow._meta.table_name)
            _view(database, ReplyRow, present)
            _make(database, [OriginRow])
        return
    models = set(OWN_TABLES)
    if shape.message_columns >= _USAGE_COLUMNS:
        models.remove(ReplyRow)
        run(database, _REPLIES_FROM_MESSAGES.format(model="model_id"))
    _make(database, models)
    run(database, CREATE_SEARCH_TABLE.replace(SEARCH_TABLE, f"temp.{SEARCH_TABLE}"))


def read_any_bytes(database: SqliteDatabase, shape: Shape) -> None:
    """Have a reader see all text as text, whatever bytes the file holds for it."""
    connection_of(database).create_scalar_function(
        "readable", _readable, 1, deterministic=True
    )
    database.pragma("query_only", 0)
    _view(database, MessageRow, shape.message_columns, as_readable=True)
    _view(database, BlockRow, None, as_readable=True)
    if shape.own_version is not None:
        present = columns_of(database, ReplyRow._meta.table_name)
        _view(database, ReplyRow, present, as_readable=True)
    elif shape.message_columns >= _USAGE_COLUMNS:
        run(database, "DROP VIEW temp.convotui_replies")
        readable = "readable(CAST(model_id AS BLOB))"
        run(database, _REPLIES_FROM_MESSAGES.format(model=readable))
    database.pragma("query_only", 1)


def _view(
    database: SqliteDatabase,
    model: type[Model],
    present: frozenset[str] | None,
    *,
    as_readable: bool = False,
) -> None:
    """Show a table of the file under its own name, with NULL for missing columns."""
    columns = ["rowid AS rowid"]
    for field in model._meta.sorted_fields:
        name = field.column_name
        value = name if present is None or name in present else "NULL"
        if as_readable:
            text = f"readable(CAST({value} AS BLOB))"
            is_number = isinstance(field, _NUMBERS)
            value = (
                f"iif(typeof({value}) = 'text', {text}, {value})" if is_number else text
            )
        columns.append(f"{value} AS {name}")
    table = model._meta.table_name
    run(database, f"DROP VIEW IF EXISTS temp.{table}")
    run(
        database,
        f"CREATE TEMP VIEW {table} AS SELECT {', '.join(columns)} FROM main.{table}",
    )


def _readable(*values: Any) -> str | None:
    [value] = values
    return None if value is None else bytes(value).decode("utf-8", "replace")


def _make(database: SqliteDatabase, models: Iterable[type[Model]]) -> None:
    for model in models:
        SchemaManager(model, database=database).create_table(safe=False, temporary=True)
