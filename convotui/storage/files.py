"""The file itself: what lies at a path, and how a new one is made.

A file that came with somebody's project is not to be trusted, so everything here looks
before SQLite does, and follows no link.
"""

from __future__ import annotations

import errno
import os
import stat
import struct
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import apsw

from convotui.storage.errors import DiskError, NotAStoreError

_MAGIC = b"SQLite format 3\x00"
_HEADER_SIZE = 100
_WAL_VERSION = 2
_LOG = ("-wal", "-shm")
_JOURNAL = "-journal"
_JOURNAL_MAGIC = bytes.fromhex("d9d505f920a163d7")
_NAMES_A_FILE = struct.Struct(">II8s")
"""How a journal ends that names another file: how long the name is, a sum, a mark."""


Identity = tuple[int, int]
"""Device and inode: the same as long as it is the same file."""
LogIdentity = tuple[Identity, Identity]
"""Those of a log and of the memory in which processes share what they know of it."""


@dataclass(frozen=True, slots=True)
class FileState:
    """What lies at the path of a store."""

    identity: Identity
    is_empty: bool
    is_wal: bool
    """Whether the file says that it is written through a write-ahead log."""
    has_pending_wal: bool
    """Whether a log beside it holds what is not in the file yet."""
    is_writable: bool
    """Whether this user may write the file and its directory."""


def look_at(path: Path) -> FileState | None:
    """Return what lies at `path`, or `None` if nothing does.

    Raises:
        NotAStoreError: If it is no SQLite database.
        DiskError: If it cannot be read.
    """
    try:
        os.fspath(path).encode()
    except UnicodeEncodeError:
        raise NotAStoreError(path, "has a name that is not UTF-8.") from None
    try:
        info = path.lstat()
        if not stat.S_ISREG(info.st_mode):
            raise NotAStoreError(path, _kind(info.st_mode))
        header = _header(path) if info.st_size else b""
    except FileNotFoundError:
        return None
    except OSError as error:
        raise DiskError(path, f"cannot be read ({error.strerror}).") from error
    except apsw.Error as error:
        raise DiskError(path, f"cannot be read ({error}).") from error
    if header and not header.startswith(_MAGIC):
        raise NotAStoreError(
            path,
            "is no SQLite database, so convotui leaves it alone. (CPE before February "
            "2025 wrote such files in a form of its own, which only it can read.) "
            "Move it away, or name another file with --db.",
        )
    _check_beside(path)
    return FileState(
        identity=(info.st_dev, info.st_ino),
        is_empty=not header,
        is_wal=len(header) == _HEADER_SIZE and header[18] == _WAL_VERSION,
        has_pending_wal=_size(beside(path, "-wal")) > 0,
        is_writable=os.access(path, os.W_OK) and os.access(path.parent, os.W_OK),
    )


def identity_of(path: Path) -> Identity | None:
    """Return which file is at `path` now, or `None` if there is none."""
    try:
        info = os.lstat(path)
    except OSError:
        return None
    return info.st_dev, info.st_ino


def log_identity_of(path: Path) -> LogIdentity | None:
    """Return which log lies beside a file now, or `None` if there is none in use."""
    log, memory = (identity_of(beside(path, ending)) for ending in _LOG)
    return None if log is None or memory is None else (log, memory)


def remove_log(path: Path) -> None:
    """Take the log away from beside a file."""
    for ending in _LOG:
        beside(path, ending).unlink(missing_ok=True)


@lru_cache
def beside(path: Path, ending: str) -> Path:
    """Return the file of the same name with an ending such as `-wal`."""
    return path.with_name(path.name + ending)


def free_name(path: Path, why: str) -> Path:
    """Return a name for a copy beside a file that no other file has."""
    number = 1
    while (copy := beside(path, f".{why}-{number}")).exists():
        number += 1
    return copy


def make(path: Path) -> bool:
    """Make an empty file that only this user can read; `False` if there is one.

    Raises:
        DiskError: If it cannot be made.
    """
    flags = os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_NOFOLLOW
    try:
        os.close(os.open(path, flags, 0o600))
    except FileExistsError:
        return False
    except OSError as error:
        raise DiskError(path, f"cannot be made ({error.strerror}).") from error
    return True


def give_name(path: Path, name: Path) -> None:
    """Give a file a name that no other file has, for good.

    Raises:
        DiskError: If there is one by that name, or it cannot be given.
    """
    try:
        try:
            os.link(path, name)
        except FileExistsError:
            raise
        except OSError:
            # Not every file system knows a second name; then look before.
            if os.path.lexists(name):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from None
            path.rename(name)
    except OSError as error:
        raise DiskError(name, f"cannot be made ({error.strerror}).") from error
    _sync(name.parent)


def _sync(directory: Path) -> None:
    """Have the names in a directory survive a loss of power, where that can be had."""
    with suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextmanager
def reading(path: Path) -> Iterator[apsw.VFSFile]:
    """Read a file's bytes by way of SQLite.

    If we opened and closed the file ourselves, the system would drop the locks that
    connections of this process hold on it.
    """
    if not os.access(path, os.R_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_MAIN_DB
    file = apsw.VFSFile("", str(path.absolute()), [flags, 0])
    try:
        yield file
    finally:
        file.xClose()


def _header(path: Path) -> bytes:
    with reading(path) as file:
        return file.xRead(min(_HEADER_SIZE, path.lstat().st_size), 0)


def _check_beside(path: Path) -> None:
    """Refuse a file beside which lies what SQLite would follow elsewhere."""
    for ending in (*_LOG, _JOURNAL):
        other = beside(path, ending)
        with suppress(OSError):
            if not stat.S_ISREG(other.lstat().st_mode):
                reason = f"has {other.name} beside it, which is no regular file."
                raise NotAStoreError(path, reason)
    if _names_another_file(beside(path, _JOURNAL)):
        # Older ones delete whatever file it names.
        reason = f"has {path.name}{_JOURNAL} beside it, which names another file."
        raise NotAStoreError(path, f"{reason} Move it away to open this one.")


def _names_another_file(journal: Path) -> bool:
    try:
        with journal.open("rb") as file:
            file.seek(-_NAMES_A_FILE.size, os.SEEK_END)
            length, _, magic = _NAMES_A_FILE.unpack(file.read(_NAMES_A_FILE.size))
    except OSError:
        return False
    return bool(length and magic == _JOURNAL_MAGIC)


def _kind(mode: int) -> str:
    if stat.S_ISLNK(mode):
        return (
            "is a link; convotui opens only the file itself. "
            "Name the file it leads to with --db."
        )
    if stat.S_ISDIR(mode):
        return "is a directory. Name a file with --db."
    return "is no regular file. Name another one with --db."


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except OSError:
        return 0
