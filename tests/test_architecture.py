"""What loads what, what importing does, and how large a file may be."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).parent.parent
PACKAGE = TOP / "convotui"

LOADED = """
import atexit, sys
atexit.register(lambda: print(*sys.modules, file=sys.stderr))
from convotui.cli.run import run
run()
"""
"""Runs a command and tells, last of all, what it has loaded."""

IMPORTING = """
import importlib, os, sys
sys.dont_write_bytecode = True
CHANGES = ("os.", "shutil.", "sqlite3.", "socket.", "subprocess.")
LOOKS = ("os.listdir", "os.scandir")
def watch(event, details):
    if event == "open" and details[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
        print(event, *details)
    if event.startswith(CHANGES) and event not in LOOKS:
        print(event, *details)
sys.addaudithook(watch)
for name in sys.argv[1:]:
    importlib.import_module(name)
"""
"""Imports modules and tells what that did to files, sockets and processes."""


def python(
    code: str, *arguments: str, directory: Path
) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=directory,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done


def modules() -> list[str]:
    paths = sorted(PACKAGE.rglob("*.py"))
    names = [".".join(path.relative_to(TOP).with_suffix("").parts) for path in paths]
    return [name.removesuffix(".__init__") for name in names]


@pytest.mark.parametrize(
    "command",
    [
        "--version",
        "list",
        "list --roots",
        "print aB3xK9",
        "search the",
        "export aB3xK9",
    ],
)
def test_what_needs_no_screen_and_no_model_loads_neither(
    command: str, tmp_path: Path
) -> None:
    fixture = TOP / "tests" / "fixtures" / "cpe_seed_era.cpeconvo"
    shutil.copy(fixture, tmp_path / ".cpeconvo")

    done = python(LOADED, *command.split(), directory=tmp_path)

    loaded = {name.partition(".")[0] for name in done.stderr.split()}
    assert done.stdout
    assert "click" in loaded
    assert not loaded & {"textual", "litellm"}


def test_importing_does_nothing_but_define(tmp_path: Path) -> None:
    below_the_screen = [
        name for name in modules() if not name.startswith("convotui.ui")
    ]

    done = python(IMPORTING, *below_the_screen, directory=tmp_path)

    assert done.stdout == ""
    assert list(tmp_path.iterdir()) == []


def test_no_file_of_the_package_is_long() -> None:
    lengths = {
        str(path.relative_to(TOP)): len(path.read_text().splitlines())
        for path in PACKAGE.rglob("*.py")
    }

    assert lengths
    assert {name: lines for name, lines in lengths.items() if lines > 300} == {}


def test_ci_can_be_run() -> None:
    assert (TOP / ".ci" / "run").stat().st_mode & 0o111
