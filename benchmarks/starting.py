"""The time to the first frame, in a real terminal, against the smallest Textual app."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pexpect

from benchmarks.measure import Bar, compare
from benchmarks.stores import make

_SMALLEST = """
from textual.app import App
from textual.widgets import Static

class Smallest(App):
    def compose(self):
        yield Static("first frame")

Smallest().run()
"""


def bars(directory: Path, count: int) -> list[Bar]:
    """Measure how long until anything is to be seen."""
    make(directory / ".cpeconvo", count)
    name = f"first paint / smallest Textual app ({count:,})"
    return [
        compare(
            name,
            1.4,
            lambda: _first_frame(directory, ["-m", "convotui"], ".cpeconvo"),
            lambda: _first_frame(directory, ["-c", _SMALLEST], "first frame"),
        )
    ]


def _first_frame(directory: Path, arguments: list[str], awaited: str) -> None:
    child = pexpect.spawn(
        sys.executable,
        arguments,
        cwd=str(directory),
        dimensions=(40, 120),
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(directory),
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
        },
    )
    child.expect_exact(awaited)
    child.close(force=True)
