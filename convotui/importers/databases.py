"""Other programs' SQLite files, read from a copy and never where they are.

The copy is opened so that nothing in it can run, and of its tables only those can be
read that are named: some files also hold credentials.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

from convotui.importers.records import UnreadableError

MAGIC = b"SQLite format 3\x00"
MAX_VALUE = 500_000_000
"""Bytes of one value; what is longer is not read."""

_SIDE_FILES = ("-wal", "-journal")
_COPIES = 5
"""How often a file is copied that is written meanwhile."""
_COLUMNS = """
SELECT t.name, c.name FROM sqlite_schema AS t, pragma_table_xinfo(t.name) AS c
WHERE t.type = 'table' AND t.rootpage > 0
"""
"""Virtual tables, which have no page of their own, would run code to tell theirs."""
_SCHEMA_TABLES = frozenset({"sqlite_master", "sqlite_schema", "sqlite_temp_master"})
_SWITCHES = (
    (apsw.SQLITE_DBCONFIG_DEFENSIVE, 1),
    (apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
    (apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0),
    (apsw.SQLITE_DBCONFIG_ENABLE_VIEW, 0),
)

Tables = Mapping[str, frozenset[str]]
"""The columns of each table."""
Row = tuple[Any, ...]


class Database:
    """A copy of a program's SQLite file."""

    def __init__(self, connection: apsw.Connection, tables: Tables) -> None:
        self._connection = connection
        self.tables = tables

    def select(
        self,
        table: str,
        columns: Sequence[str],
        *,
        order: str = "rowid",
        where: str = "TRUE",
        parameters: Sequence[object] = (),
        at: Callable[[float], None] | None = None,
    ) -> Iterator[Row]:
        """Yield these columns of a table; `None` for a column that it lacks.

        `at` is told how much of the table has been read, from 0 to 1.
        """
        shown = ", ".join(self.shown(table, name) for name in columns)
        rest = f'FROM "{table}" WHERE {where}'
        rows = self.rows(f"SELECT {shown} {rest} ORDER BY {order}", parameters)
        if at is None:
            yield from rows
            return
        [(count,)] = self.rows(f"SELECT count(*) {rest}", parameters)
        for number, row in enumerate(rows):
            at(number / count)
            yield row

    def shown(self, table: str, column: str) -> str:
        """Return an expression for a column, which gives text that can be read.

        It is NULL if the table lacks the column.
        """
        if column not in self.tables.get(table, frozenset()):
            return "NULL"
        name = f'"{table}"."{column}"'
        return f"iif(typeof({name}) = 'text', CAST({name} AS BLOB), {name})"

    def run(self, sql: str, parameters: Sequence[object] = ()) -> None:
        """Run a statement, such as one that makes a temporary table."""
        for _ in self.rows(sql, parameters):
            pass

    def rows(self, sql: str, parameters: Sequence[object] = ()) -> Iterator[Row]:
        """Yield the rows of a query, text in whatever encoding as text."""
        with _translating():
            for row in self._connection.execute(sql, parameters):
                yield tuple(map(_value, row))


def _value(value: Any) -> Any:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def read_tables(path: Path) -> Tables:
    """Return the tables of a copy and their columns.

    Raises:
        UnreadableError: If it is no database, or damaged.
    """
    with _translating(), _opened(path, ()) as connection:
        tables: dict[str, set[str]] = {}
        for table, column in connection.execute(_COLUMNS):
            tables.setdefault(str(table), set()).add(str(column))
        return {table: frozenset(columns) for table, columns in tables.items()}


@contextmanager
def opened(path: Path, tables: Tables, allowed: Collection[str]) -> Iterator[Database]:
    """Open a copy so that only the `allowed` tables can be read.

    Raises:
        UnreadableError: If it is no database, or damaged.
    """
    with _translating(), _opened(path, allowed) as connection:
        yield Database(connection, tables)


def copy(path: Path, directory: Path) -> Path:
    """Copy a database, with what its log holds, into a directory of our own.

    Raises:
        UnreadableError: If that cannot be done.
    """
    target = directory / "copy"
    files = {"": path} | {end: path.with_name(path.name + end) for end in _SIDE_FILES}
    for _ in range(_COPIES):
        before = _states(files)
        try:
            for ending, file in files.items():
                copied = target.with_name(target.name + ending)
                copied.unlink(missing_ok=True)
                # Side files that are links could lead anywhere.
                if file == path or (file.is_file() and not file.is_symlink()):
                    shutil.copyfile(file, copied)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise UnreadableError(f"cannot be copied ({error.strerror}).") from error
        if _states(files) == before:
            return target
    raise UnreadableError("is being written all the time; try again later.")


def _states(files: Mapping[str, Path]) -> list[tuple[int, int] | None]:
    states: list[tuple[int, int] | None] = []
    for file in files.values():
        try:
            info = os.stat(file)
            states.append((info.st_mtime_ns, info.st_size))
        except OSError:
            states.append(None)
    return states


@contextmanager
def _opened(path: Path, allowed: Collection[str]) -> Iterator[apsw.Connection]:
    # It has to be writable for SQLite to take in what its log holds.
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        for switch, value in _SWITCHES:
            connection.config(switch, value)
        connection.limit(apsw.SQLITE_LIMIT_LENGTH, MAX_VALUE)
        connection.execute("PRAGMA cell_size_check = 1")
        readable = _SCHEMA_TABLES | set(allowed)

        def authorize(
            action: int, table: str | None, column: str | None, *more: str | None
        ) -> int:
            if action == apsw.SQLITE_READ and not (
                table in readable or str(table).startswith("pragma_")
            ):
                return apsw.SQLITE_DENY
            return apsw.SQLITE_OK

        connection.authorizer = authorize
        yield connection
    finally:
        connection.close()


@contextmanager
def _translating() -> Iterator[None]:
    try:
        yield
    except apsw.Error as error:
        raise UnreadableError(f"is damaged, or no database ({error}).") from error
    except UnicodeDecodeError as error:
        raise UnreadableError("holds names that are not UTF-8.") from error
