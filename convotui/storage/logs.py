"""A log that may have been left behind by another file of the same name.

Nothing in a write-ahead log says whose it is. When a file is put in the place of one
whose log a crash has left there, SQLite takes the old log for the new file's: it shows
what was there before, and the next write destroys what was put there.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import apsw

from convotui.storage import connections, files, upkeep

_MAGIC = (0x377F0682, 0x377F0683)
_HEADER = struct.Struct(">8I")
_FRAME = struct.Struct(">6I")


def is_in_doubt(path: Path) -> bool:
    """Return whether a file came to its place after its log, and lacks some of it.

    A file also changes after its log when SQLite moves the log's pages into it; then
    it has them.
    """
    log = files.beside(path, "-wal")
    try:
        if path.lstat().st_ctime_ns <= log.lstat().st_mtime_ns:
            return False
        with log.open("rb") as held, files.reading(path) as file:
            size = file.xFileSize()
            return not all(
                start + len(page) <= size and file.xRead(len(page), start) == page
                for start, page in _pages(held)
            )
    except (OSError, apsw.Error):
        return False


def has_pages(path: Path) -> bool:
    """Return whether a log beside a file holds anything."""
    try:
        with files.beside(path, "-wal").open("rb") as held:
            return any(_pages(held))
    except OSError:
        return False


def keep_apart(path: Path) -> Path:
    """Copy a file without what its log would make of it; where that is.

    Raises:
        DiskError: If it cannot be written.
    """
    copy = files.free_name(path, "without-log")
    database = connections.open_without_log(path)
    try:
        upkeep.back_up(database, copy)
    finally:
        database.close()
    return copy


def _pages(log: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Yield the pages that a log holds, with their places in the file."""
    header = log.read(_HEADER.size)
    if len(header) < _HEADER.size:
        return
    magic, _, page_size, _, *salts, _, _ = _HEADER.unpack(header)
    if magic not in _MAGIC or not 512 <= page_size <= 65_536:
        return
    for number, start in _last_of_each(log, page_size, salts).items():
        log.seek(start)
        yield (number - 1) * page_size, log.read(page_size)


def _last_of_each(log: BinaryIO, page_size: int, salts: list[int]) -> dict[int, int]:
    """Return where in a log the last kept version of every page is."""
    kept: dict[int, int] = {}
    uncommitted: dict[int, int] = {}
    while len(frame := log.read(_FRAME.size)) == _FRAME.size:
        number, pages_after_commit, *frame_salts, _, _ = _FRAME.unpack(frame)
        if frame_salts != salts:
            break
        uncommitted[number] = log.tell()
        log.seek(page_size, os.SEEK_CUR)
        if pages_after_commit:
            kept.update(uncommitted)
            uncommitted = {}
    return kept
