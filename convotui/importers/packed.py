"""Packed files, unpacked into a directory of our own: archives, and zstd.

What was made to fill a disk is given up, and no name in an archive is ever a path here.
"""

from __future__ import annotations

import os
import shutil
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import BinaryIO, cast

from convotui.importers import databases
from convotui.importers.records import Problem, Problems, UnreadableError
from convotui.importers.sources import Source

_MAX_FILE = 8_000_000_000
"""Bytes of one file, once it is unpacked."""
_MAX_RATIO = {"zip": 300, "zstd": 1_000}
"""Text is never packed as tightly as this, but what is made to fill a disk is."""
_SMALL_FILE = 20_000_000
"""Files up to this size may be packed however tightly."""
_CHUNK = 1 << 20
_HEAD = 4096
_ENCRYPTED = 0x1
_BOMB = "is far too large for what it was packed to."

_ZIP_MAGIC = b"PK\x03\x04"
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_ZIP_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    OSError,
    ValueError,
)
"""What reading a broken archive raises."""


def is_zip(head: bytes) -> bool:
    """Whether a file that begins so is an archive."""
    return head.startswith(_ZIP_MAGIC)


def is_zstd(head: bytes) -> bool:
    """Whether a file that begins so is packed with zstd."""
    return head.startswith(_ZSTD_MAGIC)


def unpacked(file: Path, scratch: Path, problems: Problems) -> Iterator[Source]:
    """Yield what is packed with zstd in a file, if it can be a conversation.

    Raises:
        UnreadableError: If it is a bomb, or is broken.
    """
    import zstandard

    target = scratch / "unpacked"
    try:
        with _zstd_stream(file) as stream:
            if not _may_hold_conversations(stream.read(_HEAD)):
                return
        with _zstd_stream(file) as stream:
            _write(stream.read, target, file.stat().st_size, "zstd")
        shutil.copystat(file, target)
    except (zstandard.ZstdError, OSError) as error:
        raise UnreadableError(f"cannot be unpacked ({error}).") from error
    source = Source(target, scratch, problems, name=str(file), directory=file.parent)
    with closing(source):
        yield source


@contextmanager
def _zstd_stream(file: Path) -> Iterator[BinaryIO]:
    import zstandard

    unpacker = zstandard.ZstdDecompressor()
    with (
        file.open("rb") as packed,
        unpacker.stream_reader(packed, read_across_frames=True) as stream,
    ):
        yield cast("BinaryIO", stream)


def members(archive: Path, scratch: Path, problems: Problems) -> Iterator[Source]:
    """Yield the files of an archive, unpacked one by one under names of our own."""
    try:
        with zipfile.ZipFile(archive) as zipped:
            for number, member in enumerate(zipped.infolist()):
                if member.is_dir():
                    continue
                name = f"{archive}!{member.filename}"
                own = scratch / str(number)
                own.mkdir()
                source = Source(own / "member", own, problems, name=name)
                try:
                    if _unpack(zipped, member, source.path):
                        yield source
                except UnreadableError as error:
                    problems.add(Problem(name, "", str(error)))
                except _ZIP_ERRORS as error:
                    problems.add(Problem(name, "", f"cannot be unpacked ({error})."))
                finally:
                    source.close()
                    shutil.rmtree(own)
    except _ZIP_ERRORS as error:
        problems.add(Problem(str(archive), "", f"cannot be unpacked ({error})."))


def _unpack(zipped: zipfile.ZipFile, member: zipfile.ZipInfo, target: Path) -> bool:
    """Write a file of an archive; whether it can be anything but a picture.

    Raises:
        UnreadableError: If it is hostile, or encrypted.
    """
    path = PurePosixPath(member.filename.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts:
        raise UnreadableError("its name leads out of the archive.")
    if stat.S_ISLNK(member.external_attr >> 16):
        raise UnreadableError("is a link, which is not followed.")
    if member.flag_bits & _ENCRYPTED:
        raise UnreadableError("cannot be unpacked: it is encrypted.")
    with zipped.open(member) as packed:
        if not _may_hold_conversations(packed.read(_HEAD)):
            return False
    with zipped.open(member) as packed:
        _write(packed.read, target, member.compress_size, "zip")
    with suppress(OverflowError, ValueError, OSError):
        seconds = datetime(*member.date_time).timestamp()
        os.utime(target, (seconds, seconds))
    return True


def _may_hold_conversations(head: bytes) -> bool:
    """Whether a file that begins so is worth being unpacked as a whole."""
    is_text = b"\0" not in head or head[:2] in (b"\xff\xfe", b"\xfe\xff")
    return is_text or head.startswith(databases.MAGIC)


def _write(
    read: Callable[[int], bytes], target: Path, packed_size: int, kind: str
) -> None:
    room = max(_SMALL_FILE, _MAX_RATIO[kind] * max(1, packed_size))
    room = min(_MAX_FILE, room)
    with target.open("xb") as file:
        while chunk := read(_CHUNK):
            room -= len(chunk)
            if room < 0:
                raise UnreadableError(_BOMB)
            file.write(chunk)
