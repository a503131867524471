"""The files that are to be read: named, in directories, in archives.

Nothing is written beside them. Databases are copied first, archives unpacked into a
directory of our own, and a link inside of a directory is not followed.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from functools import cached_property, partial
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from convotui.importers import databases
from convotui.importers.databases import Database, Tables
from convotui.importers.documents import Record, Skip, elements, records
from convotui.importers.records import Problem, Problems, UnreadableError
from convotui.importers.shelf import Shelf, Spool

MAX_TEXT = 64_000_000
"""Bytes of a file that is read as a whole."""

_PEEKED = 50
"""How many records tell the format."""
_LINE = 10_000
_PEEKED_BYTES = 1_000_000
"""After how many bytes those that have been read have to do."""


class Source:
    """One file that may hold conversations."""

    def __init__(
        self,
        path: Path,
        scratch: Path,
        problems: Problems,
        *,
        name: str | None = None,
        directory: Path | None = None,
    ) -> None:
        self.path = path
        self.name = name or str(path)
        """What the user calls it."""
        self.directory = path.parent if name is None else directory
        """Where it lies, if not in an archive."""
        self._scratch = scratch
        self._problems = problems
        self._position = 0
        self._copy: Path | None = None
        self._spool = Spool(scratch)

    def close(self) -> None:
        """Let go of what was kept on the way; the file itself is not open."""
        self._spool.close()

    def shelf(self) -> Shelf:
        """Return a place for what is too much to be held in memory."""
        return Shelf(self._spool)

    def skip(self, where: str, reason: str) -> None:
        """Note that something of it cannot be read."""
        self._problems.add(Problem(self.name, where, reason))

    @cached_property
    def modified(self) -> datetime:
        """When it was written last, in UTC without a zone."""
        try:
            seconds = self.path.stat().st_mtime
            return datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None)
        except (OSError, OverflowError, ValueError):
            return datetime.now(UTC).replace(tzinfo=None)

    @cached_property
    def size(self) -> int:
        """How many bytes it has."""
        try:
            return self.path.stat().st_size
        except OSError:
            return 0

    @property
    def progress(self) -> float:
        """How much of it has been read, from 0 to 1, as far as that is known."""
        return min(1.0, self._position / self.size) if self.size else 0.0

    @cached_property
    def head(self) -> bytes:
        """How it begins."""
        with self.open() as file:
            return file.read(4096)

    @property
    def head_text(self) -> str:
        """How it begins, as text."""
        return self.head.decode("utf-8-sig", "replace")

    @property
    def is_database(self) -> bool:
        """Whether it is an SQLite file."""
        return self.head.startswith(databases.MAGIC)

    @property
    def is_json(self) -> bool:
        """Whether it begins as JSON does."""
        return self.head.lstrip(b"\xef\xbb\xbf\xff\xfe\0 \t\r\n")[:1] in (b"{", b"[")

    @cached_property
    def tables(self) -> Tables:
        """The tables of a database, and their columns."""
        return databases.read_tables(self._database_copy())

    def database(self, *allowed: str) -> AbstractContextManager[Database]:
        """Open a copy of the database, of which only these tables can be read."""
        return databases.opened(self._database_copy(), self.tables, allowed)

    def records(self) -> Iterator[Record]:
        """Yield the elements of a JSON array, the objects on lines, or one object."""
        return self._told(records)

    def elements(self, beginning: re.Pattern[str]) -> Iterator[Record]:
        """Yield the elements of a JSON array that begins where `beginning` ends."""
        return self._told(partial(elements, beginning=beginning))

    def _told(
        self, read: Callable[[BinaryIO, Skip], Iterator[Record]]
    ) -> Iterator[Record]:
        # The first conversation would be in memory twice.
        self.__dict__.pop("first_records", None)
        with self.open() as file:
            for record in read(file, self.skip):
                self._position = file.tell()
                yield record

    @cached_property
    def first_records(self) -> list[Any]:
        """The first records, to tell the format by."""
        found: list[Any] = []
        with self.open() as file:
            for record in islice(records(file, lambda where, why: None), _PEEKED):
                found.append(record.value)
                if file.tell() > _PEEKED_BYTES:
                    break
        return found

    @cached_property
    def text(self) -> str:
        """All of a text file that is not too long; empty if it is none."""
        with self.open() as file:
            data = file.read(MAX_TEXT + 1)
        return "" if len(data) > MAX_TEXT else data.decode("utf-8-sig", "replace")

    def open(self) -> BinaryIO:
        """Open it to be read, byte by byte.

        Raises:
            UnreadableError: If it cannot be opened.
        """
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)
        try:
            file = os.fdopen(os.open(self.path, flags), "rb")
        except OSError as error:
            raise UnreadableError(f"cannot be read ({error.strerror}).") from error
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            file.close()
            raise UnreadableError("is no regular file.")
        return file

    def line_of(self, path: Path) -> str | None:
        """Return the first line of a file that is beside it, if there is one."""
        if path.is_symlink() or not path.is_file():
            return None
        try:
            with path.open("rb") as file:
                line = file.readline(_LINE)
        except OSError:
            return None
        return line.decode("utf-8-sig", "replace").strip() or None

    def at(self, share: float) -> None:
        """Note how much of it has been read, from 0 to 1."""
        self._position = int(self.size * share)

    def _database_copy(self) -> Path:
        if self._copy is None:
            self._copy = databases.copy(self.path, self._scratch)
        return self._copy
