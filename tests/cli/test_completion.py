"""Shells complete commands, and ids with their text."""

from __future__ import annotations

from pathlib import Path

import pytest

from .program import Program
from .stores import make, make_forked, said


def complete(convotui: Program, shell: str, *words: str) -> str:
    """What a shell is told when tab is pressed after the last word."""
    environment = {
        "_CONVOTUI_COMPLETE": f"{shell}_complete",
        "COMP_WORDS": " ".join(["convotui", *words]),
        "COMP_CWORD": words[-1] if shell == "fish" else str(len(words)),
    }
    return convotui.prints(environment=environment)


@pytest.mark.usefixtures("forked")
@pytest.mark.parametrize("command", ["print", "label", "delete", "export"])
def test_an_id_is_completed_with_its_text(command: str, convotui: Program) -> None:
    assert complete(convotui, "zsh", command, "a") == (
        "plain\naB3xK9\nHello, can you help me?\n"
    )


@pytest.mark.usefixtures("forked")
def test_all_ids_are_offered_newest_first(convotui: Program) -> None:
    offered = complete(convotui, "bash", "print", "").split()

    assert [word.removeprefix("plain,") for word in offered] == [
        "fG0hI1",
        "pQ2rS3",
        "lM0nO1",
        "hI7jK8",
        "dE4fG5",
        "aB3xK9",
    ]


@pytest.mark.usefixtures("forked")
def test_commands_and_options_are_completed(convotui: Program) -> None:
    assert "plain,list" in complete(convotui, "bash", "li")
    assert "--cascade" in complete(convotui, "bash", "delete", "--c")


def test_the_file_that_was_named_is_the_one_that_is_read(
    convotui: Program, project: Path
) -> None:
    make(project / "other", said("zzzzzz", "from the other file"))
    make_forked(project / ".cpeconvo")

    offered = complete(convotui, "fish", "--db", "other", "print", "z")

    assert offered == "plain,zzzzzz\tfrom the other file\n"


def test_where_there_is_nothing_to_complete_nothing_is_said_and_no_file_made(
    convotui: Program, project: Path
) -> None:
    assert complete(convotui, "zsh", "print", "").strip() == ""
    assert list(project.iterdir()) == []

    (project / ".cpeconvo").write_text("no database")
    assert complete(convotui, "zsh", "print", "").strip() == ""


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_gets_a_script_that_calls_back(shell: str, convotui: Program) -> None:
    script = convotui.prints("completion", shell)

    assert f"_CONVOTUI_COMPLETE={shell}_complete" in script
    assert "convotui" in script
