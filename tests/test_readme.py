"""What the README tells a newcomer to type does what it says."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

from tests.ui.terminal import Terminal

TOP = Path(__file__).parent.parent
NOT_CLONED = shutil.ignore_patterns(".*cache*", ".git", ".venv", "__pycache__", "dist")


class Shell(Terminal):
    """A shell that runs what it is given, and may have to download it."""

    program = ("bash", "-c")
    patience = 240


def commands(heading: str) -> list[str]:
    """Return what a section of the README has for a shell, block by block."""
    _, _, below = (TOP / "README.md").read_text().partition(f"\n## {heading}\n")
    section, _, _ = below.partition("\n## ")
    return re.findall(r"^```sh\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """What somebody has who has just cloned the project."""
    return Path(shutil.copytree(TOP, tmp_path / "clone", ignore=NOT_CLONED))


def _ask(terminal: Terminal, text: str) -> None:
    """Ask the built-in model, and go back to the tree when it has answered."""
    terminal.send(text)
    terminal.wait_for(text)
    terminal.send("\r")
    terminal.wait_for("✦ smollm2")
    # How much went there and came back is known once the reply is whole.
    terminal.wait_for("→")
    terminal.send("\x1b")
    terminal.wait_for("Reply")


def test_a_newcomer_installs_it_asks_forks_deletes_and_undoes(
    clone: Path, tmp_path: Path
) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    pip = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    kept = Path.home() / ".cache" / "pip"
    environment = {"PIP_CACHE_DIR": str(kept), **pip, "TMPDIR": str(temporary)}
    with Shell(
        commands("Install")[0],
        cwd=clone,
        size=(120, 40),
        OLLAMA_HOST="127.0.0.1:9",
        **environment,
    ) as terminal:
        terminal.wait_for("Tour 1/5")
        terminal.wait_for("How should we store")
        terminal.wait_for("smollm2")
        terminal.send("gd")
        terminal.wait_for("15 messages will go")
        terminal.send("d")
        terminal.wait_for("Deleted 15 messages")
        terminal.send("u")
        terminal.wait_for("Undone: 15 messages")
        terminal.send("o")
        terminal.wait_for("new conversation")
        _ask(terminal, "Say hello.")
        terminal.send("k")
        terminal.wait_for("30/31")
        terminal.send("f")
        terminal.wait_for("fork from")
        _ask(terminal, "Say good morning.")
        terminal.wait_for("2/2")
        terminal.send("q")
        assert terminal.wait_for_exit() == 0
    assert not any(temporary.iterdir())


def test_ci_runs_what_the_readme_tells_developers_to() -> None:
    run = (TOP / ".ci" / "run").read_text()
    test, others = commands("Develop")
    assert test in run
    checks = [line.partition("#")[0].strip() for line in others.splitlines()]
    assert len(checks) == 4
    assert [check for check in checks if check not in run] == []
