"""Reports of crashes: where it went wrong, and nothing that anybody wrote.

What an exception says and what its frames hold may be a key or a message. A report has
the kinds of the exceptions, the lines of code that they came through, and the versions
of what ran.
"""

from __future__ import annotations

import errno
import linecache
import os
import platform
import sys
import traceback
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from convotui.private import write_private

_MOST_REPORTS = 10
_MOST_FRAMES = 100
_VERSIONS = ("convotui", "textual", "rich", "litellm", "peewee", "apsw")


def write_report(error: BaseException, directory: Path) -> Path | None:
    """Write a report of a crash; its path, or `None` if it could not be written.

    Only the newest reports are kept.
    """
    path = directory / f"{datetime.now(UTC):%Y%m%d-%H%M%S-%f}.txt"
    try:
        write_private(path, "".join(f"{line}\n" for line in _report(error)))
        for old in sorted(directory.glob("*.txt"))[:-_MOST_REPORTS]:
            old.unlink(missing_ok=True)
    except OSError:
        return None
    return path


def _report(error: BaseException) -> Iterator[str]:
    yield "convotui crashed. This report holds no messages, no keys and no values."
    yield ""
    yield f"time      {datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC"
    yield f"python    {platform.python_version()} on {platform.system()}"
    yield f"terminal  {os.environ.get('TERM', 'unknown')[:40]!a}"
    for name in _VERSIONS:
        yield f"{name:<9} {_version(name)}"
    for link in _chain(error):
        yield ""
        yield _kind(link)
        yield from _frames(link)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield an exception and all that it came from, the first cause last."""
    seen: set[int] = set()
    waiting: list[object] = [error]
    while waiting:
        link = waiting.pop()
        if isinstance(link, BaseException) and id(link) not in seen:
            seen.add(id(link))
            yield link
            # A worker of Textual hands on what it failed with under this name.
            waiting += [link.__context__, link.__cause__, getattr(link, "error", None)]
            if isinstance(link, BaseExceptionGroup):
                waiting += link.exceptions


def _kind(error: BaseException) -> str:
    kind = f"{type(error).__module__}.{type(error).__qualname__}"
    if isinstance(error, OSError) and error.errno is not None:
        return f"{kind} {errno.errorcode.get(error.errno, error.errno)}"
    return kind


def _frames(error: BaseException) -> Iterator[str]:
    frames = list(traceback.walk_tb(error.__traceback__))
    for frame, line in frames[-_MOST_FRAMES:]:
        code = frame.f_code
        yield f"  {_place(code.co_filename)}:{line} in {code.co_qualname}"
        yield f"    {linecache.getline(code.co_filename, line).strip()}"


def _place(file_name: str) -> str:
    """Return a file's path without what it says about the user's machine."""
    for root in sorted(filter(None, sys.path), key=len, reverse=True):
        if file_name.startswith(root + os.sep):
            return file_name[len(root) + 1 :]
    return os.path.basename(file_name)


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
