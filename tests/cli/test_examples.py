"""What the help gives as an example works as typed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from convotui.cli.examples import EXAMPLES
from tests.llm.server import OpenAIServer

from .asking import configure
from .program import Program
from .stores import FIXTURES, make_forked
from .test_help import OPTIONS
from .test_readme import on_path, shell

ELSEWHERE = {
    "convotui demo": "needs a terminal",
    "convotui models install": "needs a network",
    "convotui completion fish | source": "needs another shell",
}
"""What can be run in none of these projects, and why."""

LINES = [
    line
    for examples in EXAMPLES.values()
    for line, _ in examples
    if line not in ELSEWHERE
]


@pytest.fixture(scope="module")
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer() as server:
        yield server


@pytest.mark.parametrize("line", LINES)
def test_an_example_works_as_typed(
    line: str, convotui: Program, project: Path, tmp_path: Path, server: OpenAIServer
) -> None:
    make_forked(project / ".cpeconvo")
    shutil.copy(
        FIXTURES / "importers" / "chatgpt_conversations.json",
        project / "conversations.json",
    )
    configure(convotui, server)
    if line != "convotui undo":
        convotui.says("label", "lM0nO1", "kept")
    convotui.says("delete", "fG0hI1")
    if line == "convotui redo":
        convotui.says("undo")

    done = shell(convotui, line, on_path(tmp_path / "bin"))

    assert (done.returncode, "convotui: " in done.stderr) == (0, False), done.stderr


@pytest.mark.parametrize("command", [name for name in OPTIONS if " " not in name])
def test_every_command_shows_its_examples(command: str, convotui: Program) -> None:
    told = convotui.prints(command, "--help")

    for line, text in EXAMPLES[command]:
        assert any(
            shown.strip().startswith(line) and shown.endswith(f"# {text}")
            for shown in told.splitlines()
        )
    assert max(map(len, told.partition("Examples:\n")[2].splitlines())) <= 80
