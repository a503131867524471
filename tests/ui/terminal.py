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
            sys.executable,
            ["-m", "convotui", *arguments],
            cwd=str(cwd),
            dimensions=(rows, columns),
            timeout=PATIENCE,
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

    def wait_for(self, text: str) -> None:
        """Wait until a text stands on the screen."""
        deadline = time.monotonic() + PATIENCE
        while not any(text in line for line in self.lines):
            if not self._read() or time.monotonic() > deadline:
                shown = "\n".join(self.lines)
                raise AssertionError(f"{text!r} did not come:\n{shown}")

    def wait_for_output(self, data: bytes, times: int = 1) -> None:
        """Wait until the program has written something, so many times."""
        deadline = time.monotonic() + PATIENCE
        while self.output.count(data) < times:
            if not self._read() or time.monotonic() > deadline:
                raise AssertionError(f"{data!r} was not written {times} times")

    def resize(self, columns: int, rows: int) -> None:
        """Give the terminal another size."""
        self._screen.resize(rows, columns)
        self.child.setwinsize(rows, columns)

    def wait_for_exit(self) -> int:
        """Wait until the program has ended; its exit code, or minus its signal."""
        while self._read():
            pass
        self.child.wait()
        if self.child.exitstatus is not None:
            return int(self.child.exitstatus)
        return -int(self.child.signalstatus or 0)

    def _read(self) -> bool:
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
