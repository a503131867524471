"""What is good to know about where a file is and what lies beside it."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import apsw

from convotui.location import is_in_git
from convotui.storage import files, logs, making, mounts


def advice_on(path: Path) -> Iterator[str]:
    """Yield one line for each thing that the user of a file should know."""
    if (kind := mounts.network_kind(path)) is not None:
        yield (
            f"is on a network file system ({kind}): write to it from one machine at a"
            " time, and keep a copy"
        )
    if not making.is_log_sound():
        yield (
            f"is written by SQLite {apsw.sqlite_lib_version()}, which can damage a file"
            " that several programs write; install a newer apsw"
        )
    if is_in_git(path):
        yield "is tracked by git: what it says may be the words of whoever committed it"
    info = path.stat()
    if info.st_uid != os.geteuid():
        yield "belongs to another user, who can change what it says at any time"
    mode = stat.S_IMODE(info.st_mode)
    if mode & 0o077:
        yield f"can be read by other users (mode {mode:o}); chmod 600 keeps it private"
    log = files.beside(path, "-wal").name
    if logs.is_in_doubt(path):
        yield (
            f"is newer than the log {log} beside it, which may be of a file that was"
            " here before; the next write keeps a copy of the file without it"
        )


def advice_on_log(path: Path) -> Iterator[str]:
    """Yield a line if a log beside a file holds anything, as it does in use."""
    if logs.has_pages(path) and not logs.is_in_doubt(path):
        log = files.beside(path, "-wal").name
        yield f"has a log beside it, {log}; what that holds is shown as if in the file"
