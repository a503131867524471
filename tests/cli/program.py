"""convotui as a user runs it: a process of its own, in a project, nothing else set."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

COMMAND = (sys.executable, "-m", "convotui")

Argument = str | bytes | Path


@dataclass(frozen=True)
class Outcome:
    """How one run ended."""

    code: int
    stdout: bytes
    stderr: bytes

    @property
    def out(self) -> str:
        return self.stdout.decode()

    @property
    def err(self) -> str:
        return self.stderr.decode()


class Program:
    """The program in one directory; each call is a new process."""

    def __init__(self, directory: Path, home: Path) -> None:
        self.directory = directory
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "XDG_CONFIG_HOME": str(home / ".config"),
            "TZ": "UTC",
            "LANG": "C.UTF-8",
        }
        if "PYTHONPATH" in os.environ:
            self.environment["PYTHONPATH"] = os.environ["PYTHONPATH"]

    def __call__(
        self,
        *arguments: Argument,
        environment: Mapping[str, str] | None = None,
        directory: Path | None = None,
        before: Callable[[], None] | None = None,
        stdin: int = subprocess.DEVNULL,
        stdout: Any = subprocess.PIPE,
    ) -> Outcome:
        """Run it; `before` runs in the new process before the program does."""
        done = subprocess.run(
            [*COMMAND, *arguments],
            cwd=directory or self.directory,
            env={**self.environment, **(environment or {})},
            stdin=stdin,
            stdout=stdout,
            stderr=subprocess.PIPE,
            preexec_fn=before,
            timeout=60,
        )
        return Outcome(done.returncode, done.stdout or b"", done.stderr)

    def prints(self, *arguments: Argument, **options: Any) -> str:
        """What it prints when all is well and there is nothing else to say."""
        outcome = self(*arguments, **options)
        assert (outcome.code, outcome.err) == (0, ""), outcome.err
        return outcome.out

    def says(self, *arguments: Argument, **options: Any) -> str:
        """What it says beside its output, when it has none and all is well."""
        outcome = self(*arguments, **options)
        assert (outcome.code, outcome.out) == (0, ""), outcome.err
        return outcome.err

    def refuses(self, *arguments: Argument, code: int = 1, **options: Any) -> str:
        """The one line it says when it cannot, and has changed nothing."""
        before = contents(self.directory)
        outcome = self(*arguments, **options)
        assert outcome.code == code, outcome.err
        assert outcome.out == "", outcome.out
        assert re.fullmatch("convotui: [^\n]+\n", outcome.err), outcome.err
        after = contents(self.directory)
        assert after == before, after.items() ^ before.items()
        return outcome.err


def contents(directory: Path) -> dict[str, str]:
    """Everything in a directory, with what each file holds."""
    return {
        str(path.relative_to(directory)): (
            sha256(path.read_bytes()).hexdigest()
            if path.is_file() and os.access(path, os.R_OK)
            else ""
        )
        for path in directory.rglob("*")
    }
