"""Programs in a real terminal: when something shows, and how much memory it took."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pexpect

PATIENCE = 300.0
"""How many seconds anything may take."""
ROOT = Path(__file__).parents[1]
"""Where `benchmarks` can be imported from."""


class Terminal:
    """A program in a pseudo-terminal of 120 columns and 40 lines."""

    def __init__(
        self,
        command: Sequence[str | Path],
        home: Path,
        **environment: str,
    ) -> None:
        home.mkdir(parents=True, exist_ok=True)
        self._sent = time.perf_counter()
        self._child = pexpect.spawn(
            str(command[0]),
            [str(part) for part in command[1:]],
            cwd=str(home),
            dimensions=(40, 120),
            timeout=PATIENCE,
            maxread=65_536,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(home),
                "TERM": "xterm-256color",
                "COLORTERM": "truecolor",
                "LANG": "C.UTF-8",
                **environment,
            },
        )
        self._child.delaybeforesend = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._child.close(force=True)

    def send(self, keys: str) -> None:
        """Type keys."""
        self._sent = time.perf_counter()
        self._child.send(keys)

    def wait_for(self, text: str) -> float:
        """Wait until a text is drawn; the seconds since the start or the last keys."""
        self._child.expect_exact(text)
        return time.perf_counter() - self._sent

    def wait_for_silence(self, seconds: float = 0.3) -> None:
        """Wait until nothing has been drawn for a while."""
        while True:
            try:
                self._child.read_nonblocking(65_536, timeout=seconds)
            except pexpect.TIMEOUT:
                return

    def wait_for_end(self) -> str:
        """Wait until the program has ended; what it wrote."""
        self._child.expect(pexpect.EOF)
        return bytes(self._child.before).decode(errors="replace")

    def peak_memory(self) -> float:
        """Return the most memory that the program has had so far, in megabytes."""
        return peak_memory(self._child.pid)


def peak_memory(process: int | str = "self") -> float:
    """Return the most memory that a process has had so far, in megabytes."""
    # Other than what the system says of a child at its end, this leaves out the
    # memory of whoever started it.
    status = Path(f"/proc/{process}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024 / 1e6


def probe(name: str, *arguments: object, home: Path, **environment: str) -> Any:
    """Run one of the probes as a program in a terminal; what it reports."""
    with tempfile.TemporaryDirectory() as directory:
        report = Path(directory) / "report.json"
        command = [sys.executable, "-m", f"benchmarks.probes.{name}", str(report)]
        command += [str(argument) for argument in arguments]
        environment = {"PYTHONPATH": str(ROOT), **environment}
        with Terminal(command, home, **environment) as terminal:
            said = terminal.wait_for_end()
        if not report.exists():
            raise RuntimeError(f"The probe {name} failed:\n{said[-4_000:]}")
        return json.loads(report.read_text())
