"""What state a file is in, a copy of it, and the repairs that are safe."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from itertools import chain, islice
from pathlib import Path

import apsw
from peewee import SqliteDatabase

from convotui.storage import changes, files, index
from convotui.storage.connections import connection_of, run
from convotui.storage.errors import DiskError
from convotui.storage.shapes import tables_without_code

_SHOWN_PROBLEMS = 20

_ORPHAN_BLOCKS = "message_id NOT IN (SELECT id FROM messages WHERE id IS NOT NULL)"
_MISSING_PARENT = (
    "parent_id IS NOT NULL"
    " AND parent_id NOT IN (SELECT id FROM messages WHERE id IS NOT NULL)"
)
_UNREACHED = f"""
WITH RECURSIVE reached(id) AS (
    SELECT id FROM messages WHERE parent_id IS NULL OR ({_MISSING_PARENT})
    UNION
    SELECT m.id FROM messages AS m JOIN reached ON m.parent_id = reached.id
)
SELECT id, parent_id FROM messages
WHERE id IS NOT NULL AND id NOT IN (SELECT id FROM reached WHERE id IS NOT NULL)
ORDER BY created_at, rowid
"""
_STRAY_FACTS = (
    "message_id NOT IN (SELECT id FROM messages WHERE id IS NOT NULL)"
    " AND message_id NOT IN (SELECT id FROM convotui_trashed_messages)"
)
_UNINDEXED = "id IS NOT NULL AND id NOT IN (SELECT message_id FROM convotui_indexed)"


@dataclass(frozen=True, slots=True)
class Health:
    """What an examination of a file found."""

    sqlite_version: str
    journal_mode: str
    size: int
    messages: int
    blocks: int
    trashed_messages: int
    damage: tuple[str, ...]
    """What SQLite's own check says is broken; nothing if the file is sound."""
    orphan_blocks: int
    """Blocks that belong to no message."""
    missing_parents: int
    """Messages whose parent does not exist."""
    cycles: int
    """Rings of messages that are all below one another."""
    stray_facts: int
    """Rows of convotui's own whose message another program deleted."""
    unindexed: int
    """Messages that a search has to read because the index lacks them."""
    advice: tuple[str, ...] = ()
    """What is good to know about where the file is and what lies beside it."""

    @property
    def is_sound(self) -> bool:
        """Whether there is nothing to repair."""
        return not (
            self.damage or self.orphan_blocks or self.missing_parents or self.cycles
        )


def examine(database: SqliteDatabase, *, is_foreign: bool) -> Health:
    """Check the whole file; of one that is not ours, only what computes nothing."""
    damage = _check_foreign(database) if is_foreign else _check(database)
    return Health(
        sqlite_version=apsw.sqlite_lib_version(),
        journal_mode=str(database.pragma("journal_mode")),
        size=_one(
            database,
            "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size",
        ),
        messages=_count(database, "messages"),
        blocks=_count(database, "blocks"),
        trashed_messages=_count(database, "convotui_trashed_messages"),
        damage=damage,
        orphan_blocks=_count(database, "blocks", _ORPHAN_BLOCKS),
        missing_parents=_count(database, "messages", _MISSING_PARENT),
        cycles=len(_first_of_cycles(database)),
        stray_facts=_count(database, "convotui_replies", _STRAY_FACTS),
        unindexed=_count(database, "messages", _UNINDEXED),
    )


def empty_trash(database: SqliteDatabase, before: datetime | None) -> int:
    """Destroy what is in the trash, with its words and facts; how many messages."""
    count = changes.empty(database, before)
    if count:
        sweep(database)
    return count


def unreadable(reason: str) -> Health:
    """Return the health of a file of which nothing can be read."""
    counts = dict.fromkeys(
        (
            "size",
            "messages",
            "blocks",
            "trashed_messages",
            "orphan_blocks",
            "missing_parents",
            "cycles",
            "stray_facts",
            "unindexed",
        ),
        0,
    )
    return Health(
        sqlite_version=apsw.sqlite_lib_version(),
        journal_mode="unknown",
        damage=(reason,),
        advice=(),
        **counts,
    )


def _check_foreign(database: SqliteDatabase) -> tuple[str, ...]:
    """Check each table by itself, without its indexes and rules."""
    found = (
        _check(database, f"""quick_check("{name.replace('"', '""')}")""")
        for name in tables_without_code(database)
    )
    return tuple(islice(chain.from_iterable(found), _SHOWN_PROBLEMS))


def _check(database: SqliteDatabase, how: str = "integrity_check") -> tuple[str, ...]:
    try:
        checked = [row[0] for row in run(database, f"PRAGMA main.{how}")]
    except apsw.Error as error:
        return (str(error),)
    return () if checked == ["ok"] else tuple(checked[:_SHOWN_PROBLEMS])


def sweep(database: SqliteDatabase) -> None:
    """Drop rows of our own whose message is neither in the file nor in the trash."""
    run(database, f"DELETE FROM convotui_replies WHERE {_STRAY_FACTS}")
    run(database, f"DELETE FROM convotui_origins WHERE {_STRAY_FACTS}")
    index.remove(
        database,
        "SELECT message_id FROM convotui_indexed"
        " WHERE message_id NOT IN (SELECT id FROM messages WHERE id IS NOT NULL)",
    )
    index.tidy(database)


def repair(database: SqliteDatabase) -> None:
    """Make the references sound again; the caller has a backup.

    Every message stays. Blocks of no message go, a parent that does not exist is
    forgotten, and a ring is cut above its oldest message.
    """
    run(database, f"DELETE FROM blocks WHERE {_ORPHAN_BLOCKS}")
    run(database, f"UPDATE messages SET parent_id = NULL WHERE {_MISSING_PARENT}")
    for message_id in _first_of_cycles(database):
        run(
            database, "UPDATE messages SET parent_id = NULL WHERE id = ?", (message_id,)
        )
    sweep(database)
    index.rebuild(database)


def back_up(database: SqliteDatabase, target: Path) -> None:
    """Copy the whole file, as of now, to a new one that only this user can read.

    It gets its name when it is complete, so that no half of one is taken for it.

    Raises:
        DiskError: If it cannot be written.
    """
    unfinished = files.free_name(target, "unfinished")
    if not files.make(unfinished):
        raise DiskError(unfinished, "is being made by another process.")
    try:
        copy = apsw.Connection(str(unfinished))
        try:
            with copy.backup("main", connection_of(database), "main") as backup:
                backup.step()
        finally:
            copy.close()
        files.give_name(unfinished, target)
    finally:
        for ending in ("", "-journal", "-wal", "-shm"):
            files.beside(unfinished, ending).unlink(missing_ok=True)


def _first_of_cycles(database: SqliteDatabase) -> list[str]:
    """Return the oldest message of every ring."""
    try:
        parents: dict[str, str] = dict(run(database, _UNREACHED))
    except apsw.Error:
        # The file is damaged, and says so elsewhere.
        return []
    age = {message_id: rank for rank, message_id in enumerate(parents)}
    first: list[str] = []
    seen: set[str] = set()
    for start in parents:
        path: list[str] = []
        current = start
        while current in parents and current not in seen:
            seen.add(current)
            path.append(current)
            current = parents[current]
        if current in path:
            ring = path[path.index(current) :]
            first.append(min(ring, key=age.__getitem__))
    return first


def _count(database: SqliteDatabase, table: str, condition: str = "TRUE") -> int:
    return _one(database, f"SELECT count(*) FROM {table} WHERE {condition}")


def _one(database: SqliteDatabase, sql: str) -> int:
    try:
        [(value,)] = run(database, sql)
    except apsw.Error:
        # What cannot be counted is damaged, and the check has said so.
        return 0
    return int(value)
