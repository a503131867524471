"""An id may be shortened, and may begin with a dash after `--`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .program import Program
from .stores import make, said


@pytest.fixture
def dashes(project: Path) -> Path:
    """A store with ids as CPE made them before August 2025."""
    return make(
        project / ".cpeconvo",
        said("-x9Zq_", "begins with a dash"),
        said("--help", "looks like an option", "-x9Zq_", role="assistant"),
        said("_x-9Zq", "is harmless"),
    )


@pytest.mark.usefixtures("forked")
def test_a_beginning_that_is_unique_is_enough(convotui: Program) -> None:
    assert convotui.prints("label", "h") == "go\n"
    assert "hI7jK8" in convotui.prints("print", "h")
    assert json.loads(convotui.prints("export", "h", "--format", "json"))
    assert convotui.says("delete", "l").startswith("Deleted lM0nO1;")


@pytest.mark.parametrize(
    "command", [("print",), ("label",), ("label", "x"), ("delete",), ("export",)]
)
def test_a_beginning_of_several_ids_names_them(
    command: tuple[str, ...], convotui: Program, project: Path
) -> None:
    make(
        project / ".cpeconvo",
        said("abc123", "one"),
        said("abd123", "two"),
        said("xyz123", "three"),
    )
    name, *rest = command

    line = convotui.refuses(name, "ab", *rest)

    assert "'ab' could be abc123, abd123" in line


def test_a_whole_id_is_never_ambiguous(convotui: Program, project: Path) -> None:
    make(project / ".cpeconvo", said("abc", "one", title="1"), said("abcd", "two"))

    assert convotui.prints("label", "abc") == "1\n"


def test_no_more_candidates_are_named_than_fit_a_line(
    convotui: Program, project: Path
) -> None:
    make(project / ".cpeconvo", *(said(f"a{n:05}", "x") for n in range(100)))

    assert len(convotui.refuses("print", "a")) < 160


@pytest.mark.usefixtures("forked")
@pytest.mark.parametrize(
    "command", [("print",), ("label",), ("label", "x"), ("export",)]
)
def test_an_id_that_does_not_exist_is_told(
    command: tuple[str, ...], convotui: Program
) -> None:
    name, *rest = command

    assert "No message 'zzzzzz'" in convotui.refuses(name, "zzzzzz", *rest)


@pytest.mark.usefixtures("forked")
@pytest.mark.parametrize("message_id", ["AB3XK9", "aB3xK9x", "", "%", "aB3_K9"])
def test_an_id_is_taken_literally(message_id: str, convotui: Program) -> None:
    assert f"No message {message_id!r}" in convotui.refuses("label", message_id)


@pytest.mark.usefixtures("dashes")
@pytest.mark.parametrize("message_id", ["-x9Zq_", "--help"])
def test_an_id_that_begins_with_a_dash_follows_two(
    message_id: str, convotui: Program
) -> None:
    assert message_id in convotui.prints("print", "--", message_id)
    assert message_id in convotui.prints("export", "--", message_id)
    assert convotui.says("label", "--", message_id, "-odd-") == (
        f"{message_id} is now '-odd-'.\n"
    )
    assert convotui.prints("label", "--", message_id) == "-odd-\n"
    assert convotui("delete", "--cascade", "--", message_id).code == 0
    assert message_id not in convotui.prints("list")


@pytest.mark.usefixtures("dashes")
def test_without_two_dashes_it_is_taken_for_an_option_and_that_is_said(
    convotui: Program,
) -> None:
    assert "No such option" in convotui.refuses("print", "-x9Zq_", code=2)


@pytest.mark.usefixtures("dashes")
def test_an_entry_of_the_trash_can_be_named_by_an_id_with_a_dash(
    convotui: Program,
) -> None:
    convotui.says("delete", "--cascade", "--", "-x9Zq_")

    assert convotui.says("trash", "restore", "--", "-x9Zq_") == (
        "Restored 2 messages.\n"
    )
