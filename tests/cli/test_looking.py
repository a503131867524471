"""Looking at a file changes no byte of it and leaves nothing beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from .program import Program, contents

LOOKS = [
    "list",
    "list --roots",
    "print",
    "search help",
    "label aB3xK9",
    "stats",
    "doctor",
    "trash list",
    "clean --dry-run",
    "export",
]


def look(convotui: Program, path: Path, command: str) -> None:
    """Run a command and see that the file and its directory stay as they are."""
    before, stat = contents(path.parent), path.stat()

    outcome = convotui(*command.split())

    assert outcome.stdout or outcome.stderr
    assert b"Traceback" not in outcome.stderr
    assert contents(path.parent) == before
    assert path.stat().st_mtime_ns == stat.st_mtime_ns
    assert path.stat().st_ino == stat.st_ino


@pytest.mark.parametrize("command", LOOKS)
def test_looking_changes_nothing_in_a_file_of_cpe(
    command: str, convotui: Program, seed_era: Path
) -> None:
    look(convotui, seed_era, command)


@pytest.mark.parametrize("command", LOOKS)
def test_looking_changes_nothing_in_a_file_of_convotui(
    command: str, convotui: Program, forked: Path
) -> None:
    look(convotui, forked, command)


@pytest.mark.parametrize("command", ["list", "stats", "doctor"])
def test_looking_changes_nothing_in_a_file_of_todays_cpe(
    command: str, convotui: Program, today: Path
) -> None:
    look(convotui, today, command)
