"""Temporary tables for a reader whose file lacks some, so that looking makes none.

They are empty, or show another program's columns under our names. With them every
query works on every file.
"""

from __future__ import annotations

from collections.abc import Iterable

from peewee import Model, SchemaManager, SqliteDatabase

from convotui.storage.connections import run
from convotui.storage.schema import (
    CREATE_SEARCH_TABLE,
    OWN_TABLES,
    SEARCH_TABLE,
    SHARED_TABLES,
    ReplyRow,
)
from convotui.storage.shapes import Shape

_USAGE_COLUMNS = {"model_id", "input_tokens", "output_tokens", "cache_read_tokens"}

_MESSAGES_WITHOUT_TITLE = """
CREATE TEMP VIEW messages AS
SELECT rowid AS rowid, id, parent_id, NULL AS title, role, tool_result_error, created_at
FROM main.messages
"""

_REPLIES_FROM_MESSAGES = """
CREATE TEMP VIEW convotui_replies AS
SELECT id AS message_id, model_id AS model, input_tokens, output_tokens,
    cache_read_tokens AS cached_tokens, NULL AS reasoning_tokens, NULL AS cost,
    NULL AS first_token_seconds, NULL AS duration_seconds, NULL AS finish_reason,
    'complete' AS state
FROM main.messages WHERE model_id IS NOT NULL
"""


def stand_in(database: SqliteDatabase, shape: Shape) -> None:
    """Give a reader temporary tables in place of those that its file lacks."""
    if shape.is_empty:
        _make(database, SHARED_TABLES)
    elif "title" not in shape.message_columns:
        run(database, _MESSAGES_WITHOUT_TITLE)
    if shape.own_version is not None:
        return
    models = set(OWN_TABLES)
    if shape.message_columns >= _USAGE_COLUMNS:
        models.remove(ReplyRow)
        run(database, _REPLIES_FROM_MESSAGES)
    _make(database, models)
    run(database, CREATE_SEARCH_TABLE.replace(SEARCH_TABLE, f"temp.{SEARCH_TABLE}"))


def _make(database: SqliteDatabase, models: Iterable[type[Model]]) -> None:
    for model in models:
        SchemaManager(model, database=database).create_table(safe=False, temporary=True)
