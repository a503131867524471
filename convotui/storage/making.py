"""How a file comes to be, and how it is written from then on."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import apsw
from peewee import SqliteDatabase

from convotui.storage import files, mounts
from convotui.storage.connections import translating
from convotui.storage.errors import BusyError, ReadOnlyError
from convotui.storage.turns import BUSY_SECONDS


def make_or_find(path: Path, on_made: Callable[[Path], None] | None) -> bool:
    """Make the file if there is none; whether it is empty.

    Raises:
        ReadOnlyError: If there is one that cannot be written.
        DiskError: If it cannot be made.
    """
    state = files.look_at(path)
    if state is None and files.make(path):
        if on_made is not None:
            on_made(path)
        return True
    state = files.look_at(path)
    if state is not None and not state.is_writable:
        raise ReadOnlyError(
            path, "it or its directory is read-only; nothing was changed."
        )
    return state is None or state.is_empty


def use_best_journal(writer: SqliteDatabase, path: Path) -> None:
    """Switch the log of a new file on, where it can be trusted.

    Elsewhere, and where SQLite finds that it cannot work, a rollback journal stays.
    """
    if is_log_sound() and mounts.network_kind(path) is None:
        _use_write_ahead_log(writer, path)


def is_log_sound(version: str | None = None) -> bool:
    """Return whether this SQLite, or that of a version, has a log without a known bug.

    The bug damages a file that several processes share. One built into a system can be
    older than the one that comes with apsw.
    """
    parts = (version or apsw.sqlite_lib_version()).split(".")
    major, minor, patch = (int(part) for part in parts[:3])
    repaired = {44: 6, 50: 7, 51: 3}
    return (major, minor) > (3, 51) or patch >= repaired.get(minor, patch + 1)


def _use_write_ahead_log(writer: SqliteDatabase, path: Path) -> None:
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            with translating(path):
                writer.pragma("journal_mode", "wal")
                return
        except BusyError:
            # SQLite does not wait here by itself when two processes begin at once.
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)
