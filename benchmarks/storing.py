"""The store against SQLite itself."""

from __future__ import annotations

import shutil
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import Bar, compare
from benchmarks.stores import make
from convotui.conversations.listing import tree_ids
from convotui.storage import Block, Draft, MessageId, Store
from convotui.tree import Forest

_SAVES = 200
_TREE = "SELECT id, parent_id, role, title, created_at FROM messages"


def bars(directory: Path, count: int) -> Iterator[Bar]:
    """Measure saving, reading the tree, and deleting all of it."""
    path = make(directory / "store", count)
    # Two SQLites in one process ignore each other's locks, so each has its own file.
    raw = directory / "raw copy"
    shutil.copy(path, raw)
    yield _saving(directory)
    yield _tree_ready(path, raw, count)
    yield _deleting(directory / "deleting", path, raw, count)


def _saving(directory: Path) -> Bar:
    raw = sqlite3.connect(directory / "raw", isolation_level=None)
    raw.execute("PRAGMA journal_mode = WAL")
    raw.execute("PRAGMA synchronous = NORMAL")
    raw.execute("CREATE TABLE messages (id TEXT PRIMARY KEY, content TEXT)")
    names = iter(range(10**9))

    def insert() -> None:
        for _ in range(_SAVES):
            raw.execute("INSERT INTO messages VALUES (?, 'hello')", (str(next(names)),))

    with Store(directory / "saving") as store:

        def save() -> None:
            for _ in range(_SAVES):
                store.save([Draft("user", [Block("hello")])])

        return compare("save / raw insert", 8, save, insert)


def _tree_ready(path: Path, copy: Path, count: int) -> Bar:
    with Store(path) as store:

        def raw() -> None:
            connection = sqlite3.connect(copy)
            connection.execute(_TREE).fetchall()
            connection.close()

        name = f"tree ready / raw fetchall ({count:,})"
        ours = lambda: Forest(store.outline())  # noqa: E731
        return compare(name, 3, ours, raw, time.process_time)


def _deleting(scratch: Path, path: Path, copy: Path, count: int) -> Bar:
    own, other = 0.0, 0.0
    with Store(path) as store:
        everything = tree_ids(store)
        for _ in range(3):
            shutil.copy(copy, scratch)
            start = time.process_time()
            store.delete(everything, recursive=True)
            own += time.process_time() - start
            start = time.process_time()
            _delete_raw(scratch, everything)
            other += time.process_time() - start
            # The next round needs the messages back, which is not part of the time.
            store.undo()
    name = f"delete / raw, into the trash ({count:,})"
    return Bar(name, own / other, 1.3, own / 3, other / 3)


def _delete_raw(path: Path, ids: list[MessageId]) -> None:
    """Move everything into tables like the trash's, without an index of words."""
    raw = sqlite3.connect(path, isolation_level=None)
    raw.execute("PRAGMA secure_delete = ON")
    raw.execute("BEGIN IMMEDIATE")
    raw.execute("CREATE TEMP TABLE doomed (id TEXT PRIMARY KEY)")
    raw.executemany("INSERT INTO doomed VALUES (?)", ((name,) for name in ids))
    raw.execute("CREATE TABLE gone AS SELECT * FROM messages WHERE id IN doomed")
    raw.execute(
        "CREATE TABLE gone_blocks AS SELECT * FROM blocks WHERE message_id IN doomed"
    )
    raw.execute("DELETE FROM blocks WHERE message_id IN doomed")
    raw.execute("DELETE FROM messages WHERE id IN doomed")
    raw.execute("COMMIT")
    raw.close()
