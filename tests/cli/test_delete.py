"""`convotui delete`, `undo` and `redo`: all or nothing, and never for good."""

from __future__ import annotations

from pathlib import Path

import pytest

from .program import Program
from .stores import FORKED, make, said


def listed(convotui: Program) -> str:
    return convotui("list").out


@pytest.mark.usefixtures("forked")
def test_a_leaf_is_deleted_and_undo_brings_it_back(convotui: Program) -> None:
    assert convotui.says("delete", "lM0nO1") == (
        "Deleted lM0nO1; 'convotui undo' brings it back.\n"
    )
    assert "lM0nO1" not in listed(convotui)

    assert convotui.says("undo") == "Undone: the delete of 1 message.\n"
    assert listed(convotui) == FORKED


@pytest.mark.usefixtures("forked")
def test_a_message_with_replies_is_not_deleted_and_nothing_else_is(
    convotui: Program,
) -> None:
    outcome = convotui("delete", "lM0nO1", "dE4fG5")

    assert outcome.code == 1
    assert "dE4fG5 has replies" in outcome.err
    assert "--cascade" in outcome.err
    assert listed(convotui) == FORKED


@pytest.mark.parametrize("fixture", ["forked", "seed_era"])
def test_a_delete_that_is_refused_changes_no_byte(
    fixture: str, convotui: Program, request: pytest.FixtureRequest
) -> None:
    request.getfixturevalue(fixture)

    convotui.refuses("delete", "dE4fG5")


@pytest.mark.usefixtures("forked")
def test_cascade_deletes_everything_below(convotui: Program) -> None:
    assert "2 messages" in convotui.says("delete", "--cascade", "hI7")

    assert listed(convotui) == "".join(
        line
        for line in FORKED.splitlines(keepends=True)
        if "hI7jK8" not in line and "lM0nO1" not in line
    )


@pytest.mark.usefixtures("forked")
def test_several_messages_are_deleted_in_one_change(convotui: Program) -> None:
    convotui.says("delete", "lM0", "fG0", "lM0nO1")
    assert "lM0nO1" not in listed(convotui)
    assert "fG0hI1" not in listed(convotui)

    convotui.says("undo")

    assert listed(convotui) == FORKED


@pytest.mark.usefixtures("forked")
def test_an_unknown_id_needs_no_deleting(convotui: Program) -> None:
    assert convotui.says("delete", "zzzzzz") == "There is no message 'zzzzzz'.\n"

    said = convotui.says("delete", "zzzzzz", "lM0nO1").splitlines()

    assert said[0] == "There is no message 'zzzzzz'."
    assert said[1].startswith("Deleted lM0nO1;")
    assert "lM0nO1" not in listed(convotui)


def test_deleting_where_there_is_no_file_makes_none(
    convotui: Program, project: Path
) -> None:
    assert convotui.says("delete", "--cascade", "zzzzzz") == (
        "There is no message 'zzzzzz'.\n"
    )
    assert list(project.iterdir()) == []


@pytest.mark.usefixtures("forked")
def test_an_ambiguous_id_among_good_ones_deletes_nothing(
    convotui: Program, project: Path
) -> None:
    make(project / ".cpeconvo", said("aB3zzz", "another"))

    assert "aB3xK9, aB3zzz" in convotui.refuses("delete", "--cascade", "lM0", "aB3")


@pytest.mark.usefixtures("forked")
def test_changes_are_undone_newest_first_and_redone_in_turn(
    convotui: Program,
) -> None:
    convotui.says("delete", "lM0")
    convotui.says("label", "aB3", "start")
    changed = listed(convotui)

    assert convotui.says("undo") == "Undone: the label 'start' of aB3xK9.\n"
    assert convotui.says("undo") == "Undone: the delete of 1 message.\n"
    assert listed(convotui) == FORKED

    assert convotui.says("redo") == "Done again: the delete of 1 message.\n"
    assert convotui.says("redo") == "Done again: the label 'start' of aB3xK9.\n"
    assert listed(convotui) == changed


@pytest.mark.usefixtures("forked")
def test_a_new_change_leaves_nothing_to_redo(convotui: Program) -> None:
    convotui.says("delete", "lM0")
    convotui.says("undo")
    convotui.says("label", "aB3", "start")

    outcome = convotui("redo")

    assert outcome.code == 1
    assert outcome.err == "convotui: There is nothing to redo.\n"


@pytest.mark.parametrize("command", ["undo", "redo"])
def test_without_a_change_there_is_nothing_to_do_again_or_undo(
    command: str, convotui: Program
) -> None:
    assert f"nothing to {command}" in convotui.refuses(command)


@pytest.mark.usefixtures("forked")
@pytest.mark.parametrize("command", ["undo", "redo"])
def test_finding_nothing_to_undo_or_redo_changes_no_byte(
    command: str, convotui: Program
) -> None:
    convotui.refuses(command)


@pytest.mark.usefixtures("seed_era")
def test_a_message_of_cpe_comes_back_as_it_was(
    convotui: Program, seed_era: Path
) -> None:
    before = convotui.prints("list", "--json")

    convotui.says("delete", "--cascade", "aB3xK9")
    assert "aB3xK9" not in listed(convotui)
    convotui.says("undo")

    assert convotui.prints("list", "--json") == before
