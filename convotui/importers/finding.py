"""From what the user named to single files: directories walked, archives unpacked."""

from __future__ import annotations

import os
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from convotui.importers.records import Problem, Problems, UnreadableError
from convotui.importers.sources import Source

_MAX_MEMBER = 8_000_000_000
"""Bytes of one file in an archive."""
_MAX_RATIO = 300
"""Text is never packed as tightly as this, but what is made to fill a disk is."""
_SMALL_MEMBER = 20_000_000
"""Files up to this size may be packed however tightly."""
_CHUNK = 1 << 20
_ZIP_MAGIC = b"PK\x03\x04"
_PASSED_OVER = {".git", "node_modules", "__pycache__"}

_ZIP_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    OSError,
    ValueError,
)
"""What reading a broken, or an encrypted, archive raises."""


def find_sources(
    path: Path, problems: Problems, *, leave: Path | None = None
) -> Iterator[Source]:
    """Yield the files at a path, each usable until the next one is asked for.

    A database at `leave` is not even opened: closing it again would take away the locks
    that others in this process have on it.
    """
    left = set() if leave is None else set(_identities(leave))
    for file in _walk(path, problems) if path.is_dir() else [path]:
        if left.intersection(_identity(file)):
            if file == path:
                problem = "is the file that is imported into."
                problems.add(Problem(str(path), "", problem))
            continue
        with tempfile.TemporaryDirectory(prefix="convotui-") as directory:
            scratch = Path(directory)
            source = Source(file, scratch, problems)
            try:
                is_archive = source.head.startswith(_ZIP_MAGIC)
            except UnreadableError as error:
                source.skip("", str(error))
                continue
            if is_archive:
                yield from _members(file, scratch, problems)
            else:
                yield source


def _identities(database: Path) -> Iterator[tuple[int, int]]:
    for ending in ("", "-wal", "-shm", "-journal"):
        yield from _identity(database.with_name(database.name + ending))


def _identity(path: Path) -> list[tuple[int, int]]:
    try:
        info = path.stat()
    except OSError:
        return []
    return [(info.st_dev, info.st_ino)]


def _walk(directory: Path, problems: Problems) -> Iterator[Path]:
    """Yield the files of a directory and of those in it, links left out."""

    def tell(error: OSError) -> None:
        reason = f"cannot be read ({error.strerror})."
        problems.add(Problem(str(error.filename), "", reason))

    for parent, names, files in os.walk(directory, onerror=tell, followlinks=False):
        names[:] = sorted(name for name in names if name not in _PASSED_OVER)
        for name in sorted(files):
            path = Path(parent, name)
            if path.is_file() and not path.is_symlink():
                yield path


def _members(archive: Path, scratch: Path, problems: Problems) -> Iterator[Source]:
    """Yield the files of an archive, unpacked one by one under names of our own."""
    try:
        with zipfile.ZipFile(archive) as zipped:
            for number, member in enumerate(zipped.infolist()):
                if member.is_dir():
                    continue
                name = f"{archive}!{member.filename}"
                own = scratch / str(number)
                own.mkdir()
                try:
                    _unpack(zipped, member, own / "member")
                except UnreadableError as error:
                    problems.add(Problem(name, "", str(error)))
                except _ZIP_ERRORS as error:
                    problems.add(Problem(name, "", f"cannot be unpacked ({error})."))
                else:
                    yield Source(own / "member", own, problems, name=name)
                shutil.rmtree(own)
    except _ZIP_ERRORS as error:
        problems.add(Problem(str(archive), "", f"cannot be unpacked ({error})."))


def _unpack(zipped: zipfile.ZipFile, member: zipfile.ZipInfo, target: Path) -> None:
    """Write a file of an archive, as long as it is no bomb.

    Raises:
        UnreadableError: If it is one.
    """
    room = min(
        _MAX_MEMBER, max(_SMALL_MEMBER, _MAX_RATIO * max(1, member.compress_size))
    )
    with zipped.open(member) as packed, target.open("xb") as file:
        while chunk := packed.read(_CHUNK):
            room -= len(chunk)
            if room < 0:
                raise UnreadableError("is far too large for what it was packed to.")
            file.write(chunk)
    with suppress(OverflowError, ValueError, OSError):
        seconds = datetime(*member.date_time).timestamp()
        os.utime(target, (seconds, seconds))
