"""The files that lie beside a document: in its archive, or in its directory."""

from __future__ import annotations

import os
import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from pathlib import Path, PurePosixPath

from convotui.importers.sources import Source

MAX_FILE = 50_000_000
"""Bytes of one file; larger ones are left where they are."""

_DEPTH = 3
"""How many directories down files are looked for."""
_MAX_FILES = 100_000
_ID = re.compile(r"file[-_][A-Za-z0-9]+")
_UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    OSError,
    ValueError,
    KeyError,
)


class Beside:
    """The files beside a document whose names begin with an id."""

    def __init__(self, source: Source) -> None:
        self._source = source

    def read(self, file_id: str) -> tuple[str, bytes] | None:
        """Return the name and the bytes of a file; `None` if it is not there."""
        match = _ID.match(file_id)
        name = None if match is None else self._names.get(match[0])
        if name is None:
            return None
        try:
            data = self._read(name)
        except _UNREADABLE as error:
            self._source.skip(name, f"cannot be read ({error}).")
            return None
        if len(data) > MAX_FILE:
            self._source.skip(name, "is too large.")
            return None
        return PurePosixPath(name).name, data

    def _read(self, name: str) -> bytes:
        if self._archive is None:
            with Path(self._source.directory or "", name).open("rb") as file:
                return file.read(MAX_FILE + 1)
        with zipfile.ZipFile(self._archive) as zipped, zipped.open(name) as member:
            return member.read(MAX_FILE + 1)

    @cached_property
    def _archive(self) -> Path | None:
        """The archive that the document is in: the name before a `!`, if it is one."""
        name = self._source.name
        ends = [match.start() for match in re.finditer("!", name)]
        return next((Path(name[:e]) for e in ends if Path(name[:e]).is_file()), None)

    @cached_property
    def _names(self) -> dict[str, str]:
        found: dict[str, str] = {}
        with suppress(*_UNREADABLE):
            for name in self._all():
                if (match := _ID.match(PurePosixPath(name).name)) is not None:
                    found.setdefault(match[0], name)
        return found

    def _all(self) -> Iterator[str]:
        if self._archive is not None:
            with zipfile.ZipFile(self._archive) as zipped:
                yield from zipped.namelist()
        elif self._source.directory is not None:
            yield from _walk(self._source.directory)


def _walk(top: Path) -> Iterator[str]:
    """Yield the files of a directory and of the nearest in it, links left out."""
    count = 0
    for parent, directories, files in os.walk(top, followlinks=False):
        inside = Path(parent).relative_to(top)
        if len(inside.parts) >= _DEPTH:
            directories.clear()
        for name in files:
            count += 1
            if count > _MAX_FILES:
                return
            path = Path(parent, name)
            if path.is_file() and not path.is_symlink():
                yield str(inside / name)
