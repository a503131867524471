"""Python in a process of its own, for what one process cannot show."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import convotui

PREAMBLE = """
import sys
from pathlib import Path
from convotui.storage import *
path = Path(sys.argv[1])

def said(text, parent=None):
    return Draft(role="user", blocks=[Block(text)], parent=parent)
"""


def start(script: str, path: Path, *arguments: str) -> subprocess.Popen[str]:
    """Start a script that finds `path`, its arguments and the names of the store."""
    root = Path(convotui.__file__).parents[1]
    return subprocess.Popen(
        [sys.executable, "-c", PREAMBLE + script, str(path), *arguments],
        env={**os.environ, "PYTHONPATH": str(root)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def say(process: subprocess.Popen[str]) -> None:
    """Give a process the line for which it waits."""
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


def hear(process: subprocess.Popen[str]) -> str:
    """Wait for the next line that a process prints."""
    assert process.stdout is not None
    return process.stdout.readline().strip()


def kill(process: subprocess.Popen[str]) -> list[str]:
    """Kill a process; what it had said by then and nobody had heard, line by line."""
    process.kill()
    assert process.stdout is not None
    # What was read along with the last line that was heard is only in here.
    said = process.stdout.read()
    process.communicate()
    return said.splitlines()[: said.count("\n")]


def finish(process: subprocess.Popen[str]) -> str:
    """Wait for a process, which must succeed, and return what it printed."""
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return out


def run(script: str, path: Path, *arguments: str) -> str:
    """Run a script to its end and return what it printed."""
    return finish(start(script, path, *arguments))
