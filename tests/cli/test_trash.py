"""`convotui trash` lists, brings back and, when told to, destroys."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.storage.helpers import other_program

from .program import Program
from .stores import FORKED


@pytest.fixture
def with_trash(forked: Path, convotui: Program) -> Path:
    """A store from which two branches were deleted, one after the other."""
    convotui.says("delete", "--cascade", "hI7jK8")
    convotui.says("delete", "fG0hI1")
    return forked


@pytest.mark.usefixtures("with_trash")
def test_the_newest_entry_is_listed_first(convotui: Program) -> None:
    first, second = convotui.prints("trash", "list").splitlines()

    assert first.split()[0] == "2"
    assert first.endswith(" 1 message: fG0hI1 No problem! What about Python…")
    assert second.split()[0] == "1"
    assert second.endswith(" 2 messages: hI7jK8 I need help with Go")


@pytest.mark.usefixtures("with_trash")
def test_entries_as_json(convotui: Program) -> None:
    first, second = json.loads(convotui.prints("trash", "list", "--json"))

    assert first["deleted_at"].endswith("Z")
    assert second == {
        "entry": 1,
        "deleted_at": second["deleted_at"],
        "messages": 2,
        "ids": ["hI7jK8"],
        "text": "I need help with Go",
    }


@pytest.mark.usefixtures("with_trash")
@pytest.mark.parametrize("named", ["1", "hI7jK8", "hI7"])
def test_an_entry_is_restored_by_its_number_or_a_message(
    named: str, convotui: Program
) -> None:
    assert convotui.says("trash", "restore", named) == "Restored 2 messages.\n"

    assert "fG0hI1" not in convotui.prints("list")
    assert "hI7jK8" in convotui.prints("list")
    assert "hI7jK8" not in convotui.prints("trash", "list")


@pytest.mark.usefixtures("with_trash")
def test_without_a_name_the_newest_entry_is_restored(convotui: Program) -> None:
    convotui.says("trash", "restore")
    convotui.says("trash", "restore")

    assert convotui.prints("list") == FORKED
    assert convotui.says("trash", "list") == "The trash is empty.\n"
    assert "trash is empty" in convotui.refuses("trash", "restore")


@pytest.mark.usefixtures("with_trash")
def test_an_entry_that_is_not_there_cannot_be_restored(convotui: Program) -> None:
    assert "'77'" in convotui.refuses("trash", "restore", "77")


@pytest.mark.usefixtures("forked")
def test_what_hangs_below_another_entry_waits_for_it(convotui: Program) -> None:
    convotui.says("delete", "lM0nO1")
    convotui.says("delete", "hI7jK8")

    assert "restore entry 2 first" in convotui("trash", "restore", "1").err

    convotui.says("trash", "restore", "2")
    convotui.says("trash", "restore", "1")
    assert convotui.prints("list") == FORKED


def test_emptying_needs_a_yes_where_nobody_can_be_asked(
    with_trash: Path, convotui: Program
) -> None:
    assert "--yes" in convotui.refuses("trash", "empty", code=2)

    assert convotui.says("trash", "empty", "--yes") == "Destroyed 3 messages.\n"

    assert convotui.says("trash", "list") == "The trash is empty.\n"
    assert b"What about Python" not in b"".join(
        path.read_bytes() for path in with_trash.parent.iterdir()
    )
    assert convotui("undo").code == 1


def test_only_what_was_deleted_long_ago_is_destroyed_when_asked_so(
    with_trash: Path, convotui: Program
) -> None:
    assert convotui.says("trash", "empty", "--older-than", "1d", "--yes") == (
        "There is nothing to destroy.\n"
    )
    with other_program(with_trash) as connection:
        connection.execute(
            "UPDATE convotui_changes SET created_at = '2026-01-01 00:00:00'"
            " WHERE id = 1"
        )

    assert convotui.says("trash", "empty", "--older-than", "1d", "--yes") == (
        "Destroyed 2 messages.\n"
    )

    assert convotui.prints("trash", "list").count("\n") == 1


@pytest.mark.usefixtures("forked")
def test_there_is_nothing_to_destroy_in_an_empty_trash(convotui: Program) -> None:
    assert convotui.says("trash", "empty") == "There is nothing to destroy.\n"


def test_without_a_command_the_ones_there_are_are_told(convotui: Program) -> None:
    outcome = convotui("trash")

    told = [
        line.split()[0] for line in (outcome.out + outcome.err).splitlines() if line
    ]
    assert {"list", "restore", "empty"} <= set(told)
