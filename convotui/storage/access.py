"""One file, or none yet, behind two connections: one that looks and one that writes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TypeVar

from peewee import SqliteDatabase

from convotui.storage import (
    connections,
    files,
    index,
    logs,
    making,
    migrations,
    standins,
    upkeep,
)
from convotui.storage.connections import translating
from convotui.storage.errors import FileReplacedError, ReadOnlyError
from convotui.storage.guards import Patience
from convotui.storage.shapes import Shape, shape_of

_MANY = 1 << 32
"""More than any connection counts changes, so that a new one counts as a change."""

_GONE = (
    "was moved, replaced or deleted while in use; nothing was written."
    " Put it back, or start convotui again."
)

_LOG_GONE = (
    "its log was moved, replaced or deleted while in use; nothing was written."
    " What it held is in {copy}."
)

_NOWHERE = Path(":memory:")

T = TypeVar("T")
Job = Callable[[SqliteDatabase], T]


class Access:
    """Runs jobs on a file: one read and one write at a time, from any thread.

    Without a path everything is kept in memory.
    """

    def __init__(
        self, path: Path | None, on_made: Callable[[Path], None] | None = None
    ) -> None:
        self.path = path or _NOWHERE
        self._in_memory = path is None
        self._on_made = on_made
        self._lock = threading.RLock()
        self._patience = Patience(self.path)
        self._reader: SqliteDatabase | None = None
        self._reader_identity: files.Identity | None = None
        self._shape: Shape | None = None
        self._schema_version = 0
        self._is_stale = False
        self._openings = 0
        self._writer: SqliteDatabase | None = None
        self._writer_identity: files.Identity | None = None
        self._log_identity: files.LogIdentity | None = None
        self._is_up_to_date = False
        self._written_schema = 0
        self._writing = threading.RLock()
        """Taken after the other lock, if both are."""

    def read(self, job: Job[T]) -> T:
        """Run a job that only looks."""
        with self._lock, translating(self.path):
            reader = self._open_reader()
            try:
                return job(reader)
            except UnicodeDecodeError:
                # Only a damaged file needs it, and it makes reading slow.
                assert self._shape is not None
                standins.read_any_bytes(reader, self._shape)
                return job(reader)

    def write(self, job: Job[T], *, makes_file_after: Job[None] | None = None) -> T:
        """Run a job in one immediate transaction: all of it is kept, or none.

        Where there is no file yet, one is made only for a job that comes with a check,
        if an empty store passes it; any other job finds an empty store.
        """
        if self._in_memory:
            with self._lock, translating(self.path):
                return _run(self._open_reader(), job)
        with self._writing:
            if not self._has_lost_log():
                return self._write(job, makes_file_after)
        raise FileReplacedError(self.path, _LOG_GONE.format(copy=self._start_over()))

    def version(self) -> int:
        """Return a number that changes when anybody writes to the file."""
        with self._lock, translating(self.path):
            reader = self._open_reader()
            # In memory there is one connection, which only counts its own changes.
            own = connections.connection_of(reader).total_changes()
            return int(reader.pragma("data_version")) + own + self._openings * _MANY

    def shape(self) -> Shape:
        """Return what kind of file it is."""
        with self._lock, translating(self.path):
            self._open_reader()
            assert self._shape is not None
            return self._shape

    @property
    def is_in_memory(self) -> bool:
        """Whether there is no file, and never will be."""
        return self._in_memory

    def read_anew(self, job: Job[T]) -> T:
        """Run a job that only looks, on a connection that remembers nothing."""
        with self._lock:
            if not self._in_memory:
                self._close_reader()
            return self.read(job)

    def close(self) -> None:
        """Wait for writes under way and let go of the file."""
        with self._lock:
            self._close_reader()
        with self._writing:
            self._close_writer()

    def _open_reader(self) -> SqliteDatabase:
        self._patience.begin()
        if self._reader is not None and not self._reader_is_outdated():
            return self._reader
        self._close_reader()
        self._let_go_of_replaced_file()
        self._is_stale = False
        state = None if self._in_memory else files.look_at(self.path)
        if state is None:
            reader = _nothing()
            self._shape = Shape.of_nothing()
        else:
            reader = connections.open_for_reading(self.path, state)
            with connections.closing_on_error(reader):
                self._patience.limit(connections.connection_of(reader))
                self._shape = shape_of(reader, self.path)
                self._schema_version = _schema_version(reader)
                standins.stand_in(reader, self._shape)
                reader.pragma("query_only", 1)
            self._reader_identity = state.identity
        self._reader = reader
        self._openings += 1
        return reader

    def _reader_is_outdated(self) -> bool:
        """Whether another file has come to the path, or real tables for stand-ins."""
        if self._in_memory:
            return False
        identity = files.identity_of(self.path)
        if self._is_stale or (identity and identity != self._reader_identity):
            return True
        if self._reader is None or self._shape is None or identity is None:
            return False
        return self._shape.own_version != migrations.CURRENT_VERSION and (
            _schema_version(self._reader) != self._schema_version
        )

    def _let_go_of_replaced_file(self) -> None:
        """Close the writer of a file that another one has replaced."""
        identity = files.identity_of(self.path)
        if self._writer is None or identity in (None, self._writer_identity):
            return
        with self._writing:
            if self._writer is not None:
                self._abandon_writer()

    def _has_lost_log(self) -> bool:
        """Whether what is written now would go where nobody finds it."""
        return (
            self._log_identity is not None
            and files.log_identity_of(self.path) != self._log_identity
            and files.identity_of(self.path) == self._writer_identity
        )

    def _start_over(self) -> Path:
        """Keep what the log held in a copy, and let go of the file; where that is."""
        with self._lock, self._writing, translating(self.path):
            if self._writer is None:
                return self.path
            # All connections of a process share what they know of a log.
            self._close_reader()
            return self._abandon_writer()

    def _abandon_writer(self) -> Path:
        """Keep what a replaced file held, and take its log from beside the new one.

        SQLite would take that log for the new file's, and leaves it there.
        """
        assert self._writer is not None
        is_ours = files.log_identity_of(self.path) == self._log_identity
        copy = files.free_name(self.path, "replaced")
        upkeep.back_up(self._writer, copy)
        # What others have written to the file since must not be overwritten.
        connections.leave_log(self._writer)
        self._close_writer()
        if is_ours:
            files.remove_log(self.path)
        return copy

    def _close_reader(self) -> None:
        if self._reader is not None:
            self._reader.close()
        self._reader, self._reader_identity = None, None

    def _write(self, job: Job[T], makes_file_after: Job[None] | None) -> T:
        if self._writer is None and files.identity_of(self.path) is None:
            if self._reader_identity is not None:
                raise FileReplacedError(self.path, _GONE)
            with translating(self.path), closing(_nothing()) as nothing:
                if makes_file_after is None:
                    return _run(nothing, job)
                _run(nothing, makes_file_after)
        with translating(self.path):
            writer = self._open_writer()
            if files.identity_of(self.path) != self._writer_identity:
                raise FileReplacedError(self.path, _GONE)
            with connections.transaction(writer):
                # A job that fails leaves the file as it was, without our tables too.
                self._bring_up_to_date(writer)
                index.catch_up(writer)
                result = job(writer)
            if self._log_identity is None:
                # As long as a connection is open, its log stays the same file.
                self._log_identity = files.log_identity_of(self.path)
            if not self._is_up_to_date:
                # The reader may have temporary tables where there are real ones now.
                self._is_up_to_date = self._is_stale = True
        return result

    def _open_writer(self) -> SqliteDatabase:
        if self._writer is not None:
            return self._writer
        is_new = making.make_or_find(self.path, self._on_made)
        if logs.is_in_doubt(self.path):
            logs.keep_apart(self.path)
        writer = connections.open_for_writing(self.path)
        with connections.closing_on_error(writer):
            if is_new:
                making.use_best_journal(writer, self.path)
            self._writer_identity = files.identity_of(self.path)
        self._writer = writer
        return writer

    def _bring_up_to_date(self, writer: SqliteDatabase) -> None:
        """Make what tables are missing, when first written and after others did."""
        if self._is_up_to_date and self._written_schema == _schema_version(writer):
            return
        shape = shape_of(writer, self.path)
        if shape.foreign_because is not None:
            raise ReadOnlyError(
                self.path,
                f"{shape.foreign_because}, so convotui only reads it."
                " Name a file of your own with --db to write.",
            )
        if shape.own_version != migrations.CURRENT_VERSION:
            migrations.bring_up_to_date(writer, shape.own_version or 0)
        self._written_schema = _schema_version(writer)

    def _close_writer(self) -> None:
        if self._writer is not None:
            self._writer.close()
        self._writer, self._log_identity, self._is_up_to_date = None, None, False


def _schema_version(database: SqliteDatabase) -> int:
    """Return a number that changes when anybody changes a table."""
    [(version,)] = connections.run(database, "PRAGMA main.schema_version")
    return int(version)


def _nothing() -> SqliteDatabase:
    """Open an empty store in memory."""
    database = connections.open_memory()
    migrations.bring_up_to_date(database, 0)
    return database


def _run(database: SqliteDatabase, job: Job[T]) -> T:
    with connections.transaction(database):
        return job(database)
