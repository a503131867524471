"""How SQLite is opened: hardened against the file, careful with it, errors translated.

A connection for reading never changes the file. One for writing keeps what it
acknowledges: it waits for other programs, checks references, and syncs each commit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
from peewee import PeeweeException, SqliteDatabase
from playhouse.apsw_ext import APSWDatabase

from convotui.storage.errors import (
    BusyError,
    DamagedError,
    DiskError,
    FileReplacedError,
    NotAStoreError,
    ReadOnlyError,
)
from convotui.storage.files import FileState
from convotui.storage.guards import refuse_code
from convotui.storage.search import words_of
from convotui.storage.turns import wait_for_turn
from convotui.text import visible_line

MAX_VALUE_BYTES = 100_000_000
"""CPE stores files of up to 50 MB as base64; what is longer than this is no block."""

_CACHE_KILOBYTES = 8_000
_LOG_BYTES = 4_000_000
_LONGEST_REASON = 200

_MOVED = apsw.SQLITE_READONLY_DBMOVED
_SWITCHES = (
    (apsw.SQLITE_DBCONFIG_DEFENSIVE, 1),
    (apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
    (apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0),
    (apsw.SQLITE_DBCONFIG_ENABLE_VIEW, 0),
)


def open_memory() -> SqliteDatabase:
    """Open an empty database that is gone when it is closed."""
    database = _open(":memory:", apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
    _add_functions(database)
    return database


def open_for_reading(path: Path, state: FileState) -> SqliteDatabase:
    """Open a file so that nothing done through the connection can change it."""
    if state.is_writable:
        # A connection that may write cleans up the side files of a write-ahead log
        # when it closes; one that may not leaves them lying about.
        database = _open(str(path), apsw.SQLITE_OPEN_READWRITE)
        if state.has_pending_wal:
            leave_log(database)
    elif state.is_wal and not state.has_pending_wal:
        # Without write access to the directory SQLite cannot read a file in this mode
        # unless told that nobody writes; with no log beside it nobody does.
        database = open_without_log(path)
    else:
        database = _open(str(path), apsw.SQLITE_OPEN_READONLY)
    with closing_on_error(database):
        database.pragma("temp_store", "MEMORY")
        # Enough for the indexes of a large file; without, every row is a system call.
        database.pragma("cache_size", -_CACHE_KILOBYTES)
    return database


def open_without_log(path: Path) -> SqliteDatabase:
    """Open a file as it is by itself, whatever lies beside it or is being written."""
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    return _open(f"{path.absolute().as_uri()}?immutable=1", flags)


def open_for_writing(path: Path) -> SqliteDatabase:
    """Open a file so that what is acknowledged is on the disk."""
    database = _open(str(path), apsw.SQLITE_OPEN_READWRITE)
    with closing_on_error(database):
        database.pragma("synchronous", "FULL")
        # What one large change made of the log does not stay for ever.
        database.pragma("journal_size_limit", _LOG_BYTES)
        database.pragma("secure_delete", 1)
        database.pragma("foreign_keys", 1)
        if database.pragma("foreign_keys") != 1:
            raise DiskError(path, "this SQLite cannot check references.")
        _add_functions(database)
    return database


def leave_log(database: SqliteDatabase) -> None:
    """Have a connection leave a log and its file as they are when it is closed."""
    connection_of(database).config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)


def connection_of(database: SqliteDatabase) -> apsw.Connection:
    """Return the connection that Peewee keeps."""
    connection: apsw.Connection = database.connection()
    return connection


def run(
    database: SqliteDatabase, sql: str, parameters: Sequence[Any] = ()
) -> list[tuple[Any, ...]]:
    """Run a statement and return all its rows; a cursor would hold back checkpoints."""
    return connection_of(database).execute(sql, parameters).fetchall()


def run_many(
    database: SqliteDatabase, sql: str, rows: Iterable[tuple[Any, ...]]
) -> None:
    """Run one statement for every row."""
    connection_of(database).cursor().executemany(sql, rows)


@contextmanager
def transaction(database: SqliteDatabase) -> Iterator[None]:
    """Keep all that is done or, if anything stops it, none.

    Ctrl-C can come between any two steps, so what an earlier transaction may have left
    open is ended first.
    """
    connection = connection_of(database)
    if connection.in_transaction:
        connection.execute("ROLLBACK")
    try:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def closing_on_error(database: SqliteDatabase) -> Iterator[None]:
    """Let go of a file that turns out to be unusable, with all that lies beside it."""
    try:
        yield
    except BaseException:
        database.close()
        raise


@contextmanager
def translating(path: Path) -> Iterator[None]:
    """Turn what SQLite and Peewee raise into the store's own errors."""
    try:
        yield
    except (PeeweeException, apsw.Error) as error:
        raise _translated(path, error) or error from error
    except UnicodeDecodeError as error:
        raise DamagedError(
            path, "holds text that is not UTF-8, so it can only be read."
        ) from error


def _open(name: str, flags: int) -> SqliteDatabase:
    database: SqliteDatabase = APSWDatabase(name, thread_safe=False, flags=flags)
    database.connect()
    with closing_on_error(database):
        connection = connection_of(database)
        for switch, value in _SWITCHES:
            connection.config(switch, value)
        wait_for_turn(connection)
        connection.limit(apsw.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
        refuse_code(connection)
        database.pragma("cell_size_check", 1)
        database.pragma("mmap_size", 0)
    return database


def _add_functions(database: SqliteDatabase) -> None:
    connection_of(database).create_scalar_function(
        "indexed_words", lambda *texts: words_of(texts[0].decode("utf-8", "replace")), 1
    )


def _translated(path: Path, error: Exception) -> Exception | None:
    if isinstance(error, PeeweeException):
        # Peewee puts the driver's own error in one place or the other.
        for original in (*error.args, error.__context__):
            if isinstance(original, apsw.Error):
                error = original
    match error:
        case apsw.BusyError() | apsw.LockedError():
            return BusyError(
                path, "another program is writing to it; try again in a moment."
            )
        case apsw.ReadOnlyError() if getattr(error, "extendedresult", 0) == _MOVED:
            return FileReplacedError(path, "was moved or replaced while in use.")
        case apsw.ReadOnlyError() | apsw.PermissionsError():
            return ReadOnlyError(path, "is read-only; nothing was changed.")
        case apsw.FullError():
            return DiskError(path, "the disk is full; nothing was changed.")
        case apsw.NotADBError():
            return NotAStoreError(path, "is no SQLite database.")
        case apsw.CorruptError() | apsw.TooBigError() | apsw.FormatError():
            return DamagedError(
                path, f"is damaged ({_said(error)}); 'convotui doctor' tells more."
            )
        case apsw.InterruptError():
            return DamagedError(
                path, "takes far longer to read than its size explains; it was left."
            )
        case apsw.AuthError():
            return DamagedError(path, "holds code, which convotui does not run.")
        case apsw.CantOpenError() | apsw.IOError():
            return DiskError(path, f"cannot be used ({_said(error)}).")
        case apsw.Error():
            return DamagedError(path, f"is not as convotui left it ({_said(error)}).")
    return None


def _said(error: Exception) -> str:
    """Return what SQLite says, which may name what a stranger has named."""
    said = visible_line(str(error))
    return said if len(said) < _LONGEST_REASON else f"{said[:_LONGEST_REASON]}…"
