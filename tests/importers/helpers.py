"""Files of other programs made by hand, and what becomes of them in a store."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import apsw

from convotui.conversations.importing import Importer, ImportOptions, ImportReport
from convotui.storage import Block, ChatMessage, Store

FIXTURES = Path(__file__).parent.parent / "fixtures"
SAMPLES = FIXTURES / "importers"


def bring_in(store: Store, *paths: Path, **options: Any) -> ImportReport:
    """Import files, of which all must be fit to be read."""
    report = Importer(store, ImportOptions(**options)).run(paths)
    assert report.problems == ()
    return report


def database(path: Path, sql: str, *rows: tuple[str, Sequence[object]]) -> Path:
    """Make another program's database."""
    connection = apsw.Connection(str(path))
    try:
        connection.execute(sql)
        for statement, values in rows:
            connection.execute(statement, values)
    finally:
        connection.close()
    return path


def saved(path: Path, value: object) -> Path:
    """Write a JSON file."""
    path.write_text(json.dumps(value))
    return path


def all_of(store: Store) -> list[ChatMessage]:
    return store.list_messages(ascending=True)


def texts(store: Store) -> list[str]:
    return [message.text for message in all_of(store)]


def tree(store: Store) -> list[tuple[str, str | None]]:
    """What each message says, and what the one it hangs from does."""
    said = {message.id: message.text for message in all_of(store)}
    return [
        (message.text, None if message.parent_id is None else said[message.parent_id])
        for message in all_of(store)
    ]


def contents(messages: Iterable[ChatMessage]) -> list[list[Block]]:
    return [list(message.blocks) for message in messages]
