"""What there is: help for every command, other names, the version."""

from __future__ import annotations

from importlib.metadata import version

import pytest

from .program import Program
from .stores import FORKED

OPTIONS = {
    "ask": "--continue -c --new -n --incognito -G --no-save --resume --session --model "
    "-m --system -s --persona --file -f --json",
    "list": "--indent --roots --filter --limit --json",
    "print": "--json",
    "search": "--limit --json",
    "label": "--force",
    "delete": "--cascade",
    "undo": "",
    "redo": "",
    "trash list": "--json",
    "trash restore": "",
    "trash empty": "--older-than --yes",
    "clean": "--older-than --dry-run --json",
    "export": "--format --subtree --output --force -o",
    "import": "--from --dry-run --yes --json",
    "stats": "--json",
    "models": "--json install",
    "models install": "--yes",
    "doctor": "--repair --json",
    "demo": "--model -m",
    "completion": "bash zsh fish",
}


@pytest.mark.parametrize("command", OPTIONS)
def test_help_tells_every_option(command: str, convotui: Program) -> None:
    told = convotui.prints(*command.split(), "--help")

    assert told.startswith(f"Usage: convotui {command}")
    for option in OPTIONS[command].split():
        assert option in told


@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help_tells_every_command(option: str, convotui: Program) -> None:
    told = convotui.prints(option)

    names = {line.split()[0] for line in told.splitlines() if line.strip()}
    assert {command.split()[0] for command in OPTIONS} <= names
    assert "--db" in told


def test_the_version_is_the_one_that_is_installed(convotui: Program) -> None:
    assert convotui.prints("--version") == f"convotui {version('convotui')}\n"


@pytest.mark.usefixtures("forked")
@pytest.mark.parametrize(
    ("alias", "name"),
    [("ls", "list"), ("show", "print"), ("view", "print")],
)
def test_a_command_has_other_names(alias: str, name: str, convotui: Program) -> None:
    assert convotui.prints(alias) == convotui.prints(name)


@pytest.mark.usefixtures("forked")
@pytest.mark.parametrize("alias", ["rm", "remove"])
def test_delete_has_other_names(alias: str, convotui: Program) -> None:
    assert convotui.says(alias, "lM0").startswith("Deleted lM0nO1;")
    convotui.says("undo")

    assert convotui.prints("ls") == FORKED
