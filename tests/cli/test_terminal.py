"""On a terminal: colours that can be switched off, lines that fit, questions."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from rich.cells import cell_len

from convotui.storage import ReplyFacts

from .program import Program
from .stores import FORKED, make, said
from .terminal import on_terminal, shown_on_terminal

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
HOSTILE = "\x1b]0;PWNED\x07\x1b[2J\x9b31m\u202eevil"


@pytest.fixture
def wide(project: Path) -> Path:
    """A store in which everything is long, and much of it wide."""
    facts = ReplyFacts("a-model-with-a-long-name", 10**6, 10**6, cost=1234.5)
    return make(
        project / ".cpeconvo",
        said("root00", "日本語" * 50, title="名前" * 20),
        said("reply0", "long words " * 30, "root00", role="assistant", facts=facts),
        *(
            said(f"fork{n:02}", f"word {n} " * 30, "reply0", title="a label " * 9)
            for n in range(20)
        ),
        *(
            said(f"deep{n:02}", "word " * 30, f"deep{n - 1:02}" if n else "fork00")
            for n in range(20)
        ),
        *(said(f"side{n:02}", "word " * 30, f"deep{n:02}") for n in range(19)),
        said("hostil", HOSTILE * 9, "reply0", title=HOSTILE * 3),
    )


@pytest.mark.usefixtures("forked")
def test_a_listing_has_colours_and_nothing_else_that_steers(convotui: Program) -> None:
    shown = shown_on_terminal(convotui, "list")

    assert COLOUR.search(shown)
    assert COLOUR.sub("", shown) == FORKED


@pytest.mark.usefixtures("forked")
@pytest.mark.parametrize("variable", [{"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=str)
def test_colours_can_be_switched_off(
    variable: dict[str, str], convotui: Program
) -> None:
    assert shown_on_terminal(convotui, "list", environment=variable) == FORKED


@pytest.mark.usefixtures("wide")
@pytest.mark.parametrize(
    "command",
    [
        "list",
        "list --roots",
        "list --indent",
        "search evil",
        "label hostil",
        "print hostil",
        "export hostil",
    ],
)
def test_stored_text_never_steers_the_terminal(command: str, convotui: Program) -> None:
    shown = shown_on_terminal(convotui, *command.split())

    assert "\x1b" not in COLOUR.sub("", shown)
    assert "\x9b" not in shown


@pytest.mark.usefixtures("wide")
@pytest.mark.parametrize("command", ["list", "search evil", "print hostil"])
def test_without_colours_nothing_at_all_steers_the_terminal(
    command: str, convotui: Program
) -> None:
    shown = shown_on_terminal(convotui, *command.split(), environment={"NO_COLOR": "1"})

    assert "\x1b" not in shown
    assert "\x9b" not in shown


@pytest.mark.usefixtures("wide")
@pytest.mark.parametrize("columns", [60, 100])
@pytest.mark.parametrize("command", ["list", "list --roots"])
def test_no_line_of_a_listing_is_wider_than_the_terminal(
    command: str, columns: int, convotui: Program
) -> None:
    shown = shown_on_terminal(convotui, *command.split(), columns=columns)

    lines = COLOUR.sub("", shown).splitlines()
    assert lines
    assert max(map(cell_len, lines)) <= columns


@pytest.mark.usefixtures("wide")
@pytest.mark.parametrize("command", ["search words", "stats", "trash list"])
def test_no_line_of_the_other_lists_is_wider_than_the_terminal(
    command: str, convotui: Program
) -> None:
    convotui("delete", "--cascade", "fork00", "fork01", "fork02")

    shown = shown_on_terminal(convotui, *command.split(), columns=60)

    assert max(map(cell_len, COLOUR.sub("", shown).splitlines())) <= 60


@pytest.mark.usefixtures("forked")
def test_emptying_the_trash_asks_first(convotui: Program) -> None:
    convotui.says("delete", "lM0nO1")

    with on_terminal(convotui, "trash", "empty") as terminal:
        terminal.wait_for("Destroy 1 message for good?")
        terminal.press("n\n")
        terminal.rest()
        assert terminal.exit_code() == 1
    assert "lM0nO1" in convotui.prints("trash", "list")

    with on_terminal(convotui, "trash", "empty") as terminal:
        terminal.wait_for("Destroy 1 message for good?")
        terminal.press("y\n")
        assert "Destroyed 1 message." in terminal.rest()
        assert terminal.exit_code() == 0
    assert convotui.says("trash", "list") == "The trash is empty.\n"


@pytest.mark.usefixtures("forked")
def test_an_interrupted_question_destroys_nothing_and_says_so_in_one_line(
    convotui: Program,
) -> None:
    convotui.says("delete", "lM0nO1")

    with on_terminal(convotui, "trash", "empty") as terminal:
        terminal.wait_for("[y/N]: ")
        terminal.press("\x03")
        shown = terminal.rest()
        assert terminal.exit_code() == 130

    assert shown.replace("^C", "").strip() == "convotui: Interrupted."
    assert "lM0nO1" in convotui.prints("trash", "list")
