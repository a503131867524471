"""Exports into files: nothing is overwritten unless the user says so."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path


class ExportError(Exception):
    """An export that could not be written; its text is fit to be shown."""


def write_file(path: Path, pieces: Iterable[str], *, overwrite: bool = False) -> None:
    """Write an export that only this user can read.

    Where a file is replaced, the old one stays until the new one is complete.

    Raises:
        ExportError: If the target exists, is no file, or cannot be written.
    """
    try:
        _refuse_what_is_no_file(path)
        target = _beside(path) if overwrite else path
        flags = os.O_CREAT | os.O_WRONLY | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
        descriptor = os.open(target, flags, 0o600)
    except FileExistsError:
        raise ExportError(f"{path} exists; --force overwrites it.") from None
    except OSError as error:
        raise ExportError(f"{path} cannot be written ({error.strerror}).") from error
    try:
        with os.fdopen(
            descriptor, "w", encoding="utf-8", errors="replace", newline="\n"
        ) as file:
            file.writelines(pieces)
        if overwrite:
            target.replace(path)
    except BaseException as error:
        target.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise ExportError(
                f"{path} cannot be written ({error.strerror})."
            ) from error
        raise


def _refuse_what_is_no_file(path: Path) -> None:
    if path.is_dir():
        raise ExportError(f"{path} is a directory; name a file in it.")
    if path.exists() and not path.is_file():
        raise ExportError(f"{path} is no regular file; name another one.")


def _beside(path: Path) -> Path:
    """Return a name in the same directory that no file has."""
    number = 0
    while (beside := path.with_name(f".{path.name[:200]}.{number}")).exists():
        number += 1
    return beside
