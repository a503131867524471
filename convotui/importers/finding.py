"""From what the user named to single files: directories walked, archives unpacked."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from convotui.importers.packed import is_zip, is_zstd, members, unpacked
from convotui.importers.records import Problem, Problems, UnreadableError
from convotui.importers.sources import Source

_PASSED_OVER = {".git", "node_modules", "__pycache__"}


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
            yield from _opened(file, Path(directory), problems)


def _opened(file: Path, scratch: Path, problems: Problems) -> Iterator[Source]:
    with closing(Source(file, scratch, problems)) as source:
        try:
            head = source.head
            if is_zip(head):
                yield from members(file, scratch, problems)
            elif is_zstd(head):
                yield from unpacked(file, scratch, problems)
            else:
                yield source
        except UnreadableError as error:
            source.skip("", str(error))


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
