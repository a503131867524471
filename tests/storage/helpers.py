"""Messages in few words, and the file as another program sees and writes it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import apsw

from convotui.storage import (
    Block,
    Change,
    Draft,
    MessageId,
    ReplyFacts,
    Role,
    Store,
)

SEED_SQL = """
CREATE TABLE messages (
    id                TEXT PRIMARY KEY,
    parent_id         TEXT,
    title             TEXT,
    role              TEXT      NOT NULL,
    tool_result_error BOOLEAN   NOT NULL DEFAULT 0,
    created_at        TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
    FOREIGN KEY (parent_id) REFERENCES messages (id) ON DELETE RESTRICT
);
CREATE INDEX idx_messages_created_at ON messages (created_at);
CREATE INDEX idx_messages_parent_id ON messages (parent_id);
CREATE TABLE blocks (
    id             TEXT,
    message_id     TEXT      NOT NULL,
    block_type     TEXT      NOT NULL,
    modality_type  INTEGER   NOT NULL,
    mime_type      TEXT      NOT NULL,
    content        TEXT      NOT NULL,
    extra_fields   TEXT,
    sequence_order INTEGER   NOT NULL,
    created_at     TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
    PRIMARY KEY (message_id, sequence_order),
    FOREIGN KEY (message_id) REFERENCES messages (id) ON DELETE CASCADE
);
"""
"""The two tables as CPE's specification defines them."""

Rows = list[tuple[Any, ...]]


def draft(
    text: str,
    parent: MessageId | int | None = None,
    *,
    role: Role = "user",
    title: str | None = None,
    facts: ReplyFacts | None = None,
    at: datetime | None = None,
    id: str | None = None,  # noqa: A002
) -> Draft:
    """One message that says `text`."""
    return Draft(
        role=role,
        blocks=[Block(text)],
        parent=parent,
        title=title,
        facts=facts,
        created_at=at,
        id=None if id is None else MessageId(id),
    )


def chain(texts: Sequence[str]) -> list[Draft]:
    """Messages each of which replies to the one before, user and assistant in turn."""
    return [
        draft(
            text,
            position - 1 if position else None,
            role="assistant" if position % 2 else "user",
        )
        for position, text in enumerate(texts)
    ]


def ids_of(*names: str) -> list[MessageId]:
    return [MessageId(name) for name in names]


def texts(store: Store, *, ascending: bool = True) -> list[str]:
    """What the messages say, oldest first."""
    return [message.text for message in store.list_messages(ascending=ascending)]


def trashed(store: Store) -> list[Change]:
    """The deletes that are in the trash, newest first."""
    return [entry.change for entry in store.trash()]


@contextmanager
def other_program(path: Path) -> Iterator[apsw.Connection]:
    """Another program at the same file; what it did is kept when it is done.

    Like CPE of the seed's time it does not check references. It is no second SQLite:
    two in one process do not see each other's locks.
    """
    connection = apsw.Connection(str(path))
    connection.set_busy_timeout(5000)
    try:
        with connection:
            yield connection
    finally:
        connection.close()


def rows(path: Path, sql: str) -> Rows:
    """What another program reads from the file."""
    with other_program(path) as connection:
        return connection.execute(sql).fetchall()


def seed_file(path: Path, sql: str = "") -> Path:
    """Make a file as CPE of the seed's time does, and run `sql` in it."""
    with other_program(path) as connection:
        connection.execute(SEED_SQL + sql)
    return path


def add_message(
    connection: apsw.Connection,
    message_id: str | None,
    text: str | None = None,
    *,
    parent: str | None = None,
    title: str | None = None,
    role: str = "user",
    at: str = "2026-01-01 00:00:00",
) -> None:
    """Add a message as another program does."""
    connection.execute(
        "INSERT INTO messages (id, parent_id, title, role, created_at)"
        " VALUES (?, ?, ?, ?, ?)",
        (message_id, parent, title, role, at),
    )
    if text is not None:
        connection.execute(
            "INSERT INTO blocks (message_id, block_type, modality_type, mime_type,"
            " content, sequence_order) VALUES (?, 'content', 0, 'text/plain', ?, 0)",
            (message_id, text),
        )


def is_whole(path: Path) -> bool:
    """Whether SQLite finds neither damage nor broken references in the file."""
    connection = apsw.Connection(str(path))
    try:
        return (
            list(connection.execute("PRAGMA integrity_check")) == [("ok",)]
            and list(connection.execute("PRAGMA foreign_key_check")) == []
        )
    finally:
        connection.close()


def bytes_beside(path: Path) -> dict[str, bytes]:
    """Every file in the directory of `path`, with what it holds."""
    return {
        file.name: file.read_bytes() if file.is_file() else b""
        for file in path.parent.iterdir()
    }


LOOKS: dict[str, Callable[[Store], object]] = {
    "list_messages": lambda store: store.list_messages(),
    "list_rows": lambda store: store.list_rows(),
    "outline": lambda store: store.outline(),
    "previews": lambda store: store.previews(store.outline().ids),
    "get": lambda store: store.get(store.outline().ids),
    "thread": lambda store: [store.thread(id_) for id_ in store.outline().ids],
    "subtree": lambda store: [store.subtree(id_) for id_ in store.outline().ids],
    "search": lambda store: store.search("a"),
    "usage": lambda store: store.usage(),
    "thread_usage": lambda store: [
        store.thread_usage(id_) for id_ in store.outline().ids
    ],
    "subtree_usage": lambda store: [
        store.subtree_usage(id_) for id_ in store.outline().ids
    ],
    "reply_totals": lambda store: store.reply_totals(),
    "weigh": lambda store: store.weigh(store.outline().ids),
    "trash": lambda store: store.trash(),
    "health": lambda store: store.health(),
    "shape": lambda store: store.shape(),
    "resolve": lambda store: [store.resolve(id_) for id_ in store.outline().ids],
    "newest_reply": lambda store: store.newest_reply(),
    "unique_prefixes": lambda store: store.unique_prefixes(store.outline().ids),
    "version": lambda store: store.version(),
    "exists": lambda store: store.exists(),
}
"""Every way to look at a store."""
