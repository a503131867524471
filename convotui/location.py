"""Where a project keeps its conversations."""

from __future__ import annotations

import os
from pathlib import Path

STORE_NAME = ".cpeconvo"
_EXCLUDED = f"{STORE_NAME}*"


def find_store(directory: Path) -> Path:
    """Return the nearest store at or above a directory, or where a new one would be.

    The search ends at the root of the repository; outside of one it does not leave the
    directory, so that no stranger's file further up is taken for this project's.
    """
    root = repository_root(directory)
    for candidate in (directory, *directory.parents):
        if (candidate / STORE_NAME).is_symlink() or (candidate / STORE_NAME).exists():
            return candidate / STORE_NAME
        if root is None or candidate == root:
            break
    return directory / STORE_NAME


def repository_root(directory: Path) -> Path | None:
    """Return the root of the git repository that a directory is in, if it is in one."""
    for candidate in (directory, *directory.parents):
        if (candidate / ".git").exists():
            return candidate
    return None


def keep_out_of_git(store: Path) -> bool:
    """Have git ignore a store, for this clone only; whether that was new.

    A conversation that is committed by accident cannot be taken back.
    """
    root = repository_root(store.parent)
    directory = None if root is None else _git_directory(root / ".git")
    if directory is None:
        return False
    exclude = directory / "info" / "exclude"
    try:
        present = exclude.read_bytes() if exclude.exists() else b""
        if _EXCLUDED.encode() in (line.strip() for line in present.splitlines()):
            return False
        exclude.parent.mkdir(exist_ok=True)
        separator = "" if not present or present.endswith(b"\n") else "\n"
        with exclude.open("a") as file:
            file.write(f"{separator}{_EXCLUDED}\n")
    except OSError:
        return False
    return True


def is_in_git(store: Path) -> bool:
    """Return whether git tracks a store, so that it may have come with a clone."""
    root = repository_root(store.parent)
    if root is None:
        return False
    name = os.fsencode(store.relative_to(root).as_posix())
    try:
        # In git's index a path ends with a zero.
        return name + b"\0" in (root / ".git" / "index").read_bytes()
    except OSError:
        return False


def _git_directory(marker: Path) -> Path | None:
    """Return the directory that holds a repository's settings.

    In a worktree or a submodule `.git` is a file that names another directory.
    """
    if marker.is_dir():
        return marker
    try:
        kind, _, named = marker.read_text().partition(":")
        if kind != "gitdir" or not named.strip():
            return None
        directory = (marker.parent / named.strip()).resolve()
        common = directory / "commondir"
        if common.is_file():
            directory = (directory / common.read_text().strip()).resolve()
    except (OSError, UnicodeDecodeError):
        return None
    return directory if directory.is_dir() else None
