"""The store against SQLite itself: reading the tree, saving, deleting.

The reference has the same rows to read or write, through Python's own `sqlite3`. Two
SQLites in one process ignore each other's locks, so they never have a file in common
at the same time.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import apsw

from benchmarks.measure import Bar, Plan, compare, cpu, wall
from convotui.conversations.listing import tree_ids
from convotui.storage import Block, Draft, MessageId, Store, new_id, utc_now
from convotui.tree import Forest

_SAVES = 200
_TEXT = "hello"
_TREE = "SELECT id, parent_id, role, title, created_at FROM messages"


def bars(plan: Plan) -> Iterator[Bar]:
    """Measure the tree, saves, and the delete of a whole subtree."""
    for size in dict.fromkeys((plan.large, plan.huge)):
        yield _tree_ready(plan, plan.stores.of(size), size)
    yield from _saving(plan)
    yield _deleting(plan)


def _tree_ready(plan: Plan, path: Path, size: int) -> Bar:
    """Compare all that the tree needs, laid out, with five columns as they are."""

    def raw() -> None:
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(_TREE).fetchall()

    name = f"tree ready / raw fetchall ({size:,})"
    return compare(plan, name, 3, wall(lambda: tree(path)), wall(raw))


def tree(path: Path) -> Forest:
    """Return the tree of a store, ready to be shown."""
    with Store(path) as store:
        return Forest(store.outline())


def _saving(plan: Plan) -> Iterator[Bar]:
    """Compare saves with the same rows, one transaction each.

    A save is on the disk when it returns, and at NORMAL an insert is not. So there is
    also what it costs without the wait for the disk, and beside what is as safe.
    """
    with Store(plan.scratch / "saving") as store:

        def save() -> None:
            for _ in range(_SAVES):
                store.save([Draft("user", [Block(_TEXT)])])

        save()
        quick = _inserts(plan.scratch / "quick", "NORMAL")
        safe = _inserts(plan.scratch / "safe", "FULL")
        yield compare(plan, "save / raw insert, NORMAL", 8, wall(save), wall(quick))
        yield compare(plan, "save CPU / raw insert CPU", None, cpu(save), cpu(quick))
        yield compare(plan, "save / raw insert, FULL", None, wall(save), wall(safe))


def _inserts(path: Path, synchronous: str) -> Callable[[], None]:
    """Return what writes the rows of the saves, and nothing else."""
    with Store(path) as store:
        store.save([Draft("user", [Block(_TEXT)])])
    raw = sqlite3.connect(path, isolation_level=None)
    raw.execute(f"PRAGMA synchronous = {synchronous}")
    raw.execute("PRAGMA foreign_keys = ON")

    def insert() -> None:
        for _ in range(_SAVES):
            name, now = new_id(), str(utc_now())
            raw.execute("BEGIN IMMEDIATE")
            raw.execute(
                "INSERT INTO messages (id, role, created_at) VALUES (?, 'user', ?)",
                (name, now),
            )
            raw.execute(
                "INSERT INTO blocks (message_id, block_type, modality_type, mime_type,"
                " content, sequence_order, created_at)"
                " VALUES (?, 'content', 0, 'text/plain', ?, 0, ?)",
                (name, _TEXT, now),
            )
            raw.execute("COMMIT")

    return insert


def _deleting(plan: Plan) -> Bar:
    """Compare the delete of a chain, each round on new copies of the store."""
    chain = plan.stores.chain(plan.large)
    with Store(chain) as store:
        root = tree_ids(store)[0]
    ours, theirs = plan.scratch / "deleting", plan.scratch / "deleting raw"

    def delete() -> float:
        shutil.copy(chain, ours)
        with Store(ours) as store:
            return wall(lambda: store.delete([root], recursive=True))()

    def delete_raw() -> float:
        shutil.copy(chain, theirs)
        with closing(apsw.Connection(str(theirs))) as raw:
            return wall(lambda: _move_to_trash(raw, root))()

    name = f"subtree delete of {plan.large:,} / raw SQL doing the same"
    return compare(plan, name, 1.3, delete, delete_raw)


def _move_to_trash(raw: apsw.Connection, root: MessageId) -> None:
    """Move all below a message into the trash and its words out of the index.

    Python's own SQLite may be too old for the index.
    """
    message = "id, parent_id, title, role, tool_result_error, created_at"
    block = (
        "id, message_id, block_type, modality_type, mime_type, content, extra_fields,"
        " sequence_order, created_at"
    )
    for statement in (
        "PRAGMA secure_delete = ON",
        "PRAGMA synchronous = FULL",
        "PRAGMA foreign_keys = ON",
        "BEGIN IMMEDIATE",
        "CREATE TEMP TABLE doomed (id TEXT PRIMARY KEY)",
        "INSERT INTO doomed WITH RECURSIVE down(id) AS ("
        f" VALUES ('{root}') UNION SELECT messages.id FROM down"
        " JOIN messages ON messages.parent_id = down.id) SELECT id FROM down",
        "DELETE FROM convotui_search WHERE rowid IN (SELECT document"
        " FROM convotui_indexed WHERE message_id IN doomed)",
        "DELETE FROM convotui_indexed WHERE message_id IN doomed",
        f"INSERT INTO convotui_trashed_messages (change_id, position, {message})"
        f" SELECT 1, rowid, {message} FROM messages WHERE id IN doomed",
        f"INSERT INTO convotui_trashed_blocks (change_id, {block})"
        f" SELECT 1, {block} FROM blocks WHERE message_id IN doomed",
        "PRAGMA defer_foreign_keys = ON",
        "DELETE FROM blocks WHERE message_id IN doomed",
        "DELETE FROM messages WHERE id IN doomed",
        "COMMIT",
    ):
        raw.execute(statement)
