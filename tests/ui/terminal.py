"""The real program in a real terminal, and what stands on its screen."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Self

import pexpect
import pyte

PATIENCE = 20.0
"""How many seconds a screen may take to show what is awaited."""

RESTORED = ("\x1b[?1049l", "\x1b[?25h", "\x1b[?2004l", "\x1b[?1000l")
"""What gives a terminal back: first screen, cursor, paste, mouse."""


class Terminal:
    """convotui in a pseudo-terminal of a given size."""

    program: tuple[str, ...] = (sys.executable, "-m", "convotui")
    patience = PATIENCE
    """How many seconds anything may take."""

    def __init__(
        self,
        *arguments: str,
        cwd: Path,
        size: tuple[int, int] = (80, 24),
        **environment: str,
    ) -> None:
        columns, rows = size
        home = cwd / "home"
        home.mkdir(exist_ok=True)
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self.output = b""
        self.child = pexpect.spawn(
            self.program[0],
            [*self.program[1:], *arguments],
            cwd=str(cwd),
            dimensions=(rows, columns),
            timeout=self.patience,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(home),
                "TERM": "xterm-256color",
                "COLORTERM": "truecolor",
                "LANG": "C.UTF-8",
                **environment,
            },
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.child.close(force=True)

    @property
    def lines(self) -> list[str]:
        """What stands on the screen."""
        return [line.rstrip() for line in self._screen.display]

    def send(self, keys: str) -> None:
        """Type keys."""
        self.child.send(keys)

    def find(self, text: str, after_column: int = 0) -> tuple[int, int]:
        """Return the row and the column where a text stands."""
        for row, line in enumerate(self.lines):
            if (column := line.find(text, after_column)) >= 0:
                return row, column
        raise AssertionError(f"{text!r} is not there")

    def click(self, column: int, row: int) -> None:
        """Click with the mouse."""
        self.drag((column, row), (column, row))

    def drag(self, start: tuple[int, int], end: tuple[int, int]) -> None:
        """Press the mouse at one place and let go of it at another."""
        (x, y), (to_x, to_y) = start, end
        self.send(f"\x1b[<0;{x + 1};{y + 1}M")
        if start != end:
            self.send(f"\x1b[<32;{to_x + 1};{to_y + 1}M")
        self.send(f"\x1b[<0;{to_x + 1};{to_y + 1}m")

    def wait_for(self, text: str) -> None:
        """Wait until a text stands on the screen."""
        deadline = time.monotonic() + self.patience
        while not any(text in line for line in self.lines):
            if not self.read() or time.monotonic() > deadline:
                shown = "\n".join(self.lines)
                raise AssertionError(f"{text!r} did not come:\n{shown}")

    def wait_for_output(self, data: bytes, times: int = 1) -> None:
        """Wait until the program has written something, so many times."""
        deadline = time.monotonic() + self.patience
        while self.output.count(data) < times:
            if not self.read() or time.monotonic() > deadline:
                raise AssertionError(f"{data!r} was not written {times} times")

    def resize(self, columns: int, rows: int) -> None:
        """Give the terminal another size."""
        self._screen.resize(rows, columns)
        self.child.setwinsize(rows, columns)

    def wait_for_exit(self) -> int:
        """Wait until the program has ended; its exit code, or minus its signal."""
        deadline = time.monotonic() + self.patience
        while self.read():
            assert time.monotonic() < deadline, "it does not end"
        self.child.wait()
        if self.child.exitstatus is not None:
            return int(self.child.exitstatus)
        return -int(self.child.signalstatus or 0)

    def read(self) -> bool:
        """Take in what was written; whether there can be more."""
        try:
            data = self.child.read_nonblocking(65536, timeout=0.2)
        except pexpect.TIMEOUT:
            return bool(self.child.isalive())
        except pexpect.EOF:
            return False
        self.output += data
        self._stream.feed(data)
        return True
