"""Amazon Q Developer CLI and Kiro: the state of a conversation as one JSON object.

It is in a row of a database that also holds credentials, of which nothing is read, or
in a file that `/save` wrote. What it holds is read by `q_history`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from convotui.importers.databases import Database, Tables
from convotui.importers.formats import Format
from convotui.importers.q_history import read_state
from convotui.importers.records import Conversation
from convotui.importers.shaping import (
    dict_of,
    json_of,
    milliseconds,
    text_of,
)
from convotui.importers.sources import Source

_V1, _V2 = "conversations", "conversations_v2"


def _knows_tables(tables: Tables) -> bool:
    nothing: frozenset[str] = frozenset()
    return tables.get(_V1, nothing) == frozenset({"key", "value"}) or (
        {"key", "value"} <= tables.get(_V2, nothing)
    )


def _knows_records(records: Sequence[Any]) -> bool:
    states = [dict_of(record) for record in records]
    return any("conversation_id" in s and _is_history(s) for s in states)


def _is_history(state: dict[str, Any]) -> bool:
    history = state.get("history")
    if not isinstance(history, list):
        return False
    entries = (dict_of(entry).keys() for entry in history if isinstance(entry, dict))
    return all({"user", "assistant"} <= keys for keys in entries)


def _read(source: Source) -> Iterator[Conversation]:
    if source.is_database:
        with source.database(_V1, _V2) as database:
            yield from _read_rows(source, database)
        return
    for record in source.records():
        state = dict_of(record.value)
        if _is_history(state):
            yield _conversation(state, None, source.modified)
        else:
            source.skip(record.where, "holds no history of Amazon Q.")


def _read_rows(source: Source, database: Database) -> Iterator[Conversation]:
    for table in (_V1, _V2):
        if table not in database.tables:
            continue
        columns = ("key", "value", "conversation_id", "updated_at")
        for key, value, own_id, updated_at in database.select(
            table, columns, at=source.at
        ):
            state = json_of(value)
            if not isinstance(state, dict):
                source.skip(f"conversation of {key}", "is no JSON object.")
                continue
            state = {"conversation_id": text_of(own_id) or key} | state
            modified = milliseconds(updated_at) or source.modified
            yield _conversation(state, text_of(key), modified)


def _conversation(
    state: dict[str, Any], directory: str | None, modified: datetime
) -> Conversation:
    key = text_of(state.get("conversation_id")) or directory or ""
    messages, found = read_state(state, directory, modified)
    return Conversation(key, messages, directory or found)


FORMAT = Format(
    name="q",
    program="Amazon Q or Kiro",
    read=_read,
    knows_tables=_knows_tables,
    knows_records=_knows_records,
    places=(
        "{data}/amazon-q/data.sqlite3",
        "{data}/kiro-cli/data.sqlite3",
    ),
)
