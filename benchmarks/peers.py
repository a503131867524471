"""Other programs for the same work, in a virtual environment of their own."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.stores import Planned
from benchmarks.terminal import Terminal

_ELIA = "elia-chat"


def install(directory: Path) -> str:
    """Install the peers into a virtual environment; why that failed, if it did."""
    subprocess.run([sys.executable, "-m", "venv", str(directory)], check=True)
    pip = [str(directory / "bin" / "python"), "-m", "pip", "install", "--quiet", _ELIA]
    done = subprocess.run(pip, capture_output=True, text=True, check=False)
    return done.stderr.strip().splitlines()[-1] if done.returncode else ""


class Elia:
    """elia, with one conversation of its own."""

    TITLE = "conversation-of-elia"

    def __init__(self, peers: Path, home: Path) -> None:
        self._python = peers / "bin" / "python"
        self._program = peers / "bin" / "elia"
        self._home = home

    @property
    def is_installed(self) -> bool:
        """Whether it can be run."""
        return self._program.exists()

    def keep(self, messages: Sequence[Planned]) -> None:
        """Give it one conversation, in a database that it makes itself."""
        code = (
            "import asyncio; import elia_chat.database.models;"
            " from elia_chat.database.database import create_database as create;"
            " asyncio.run(create())"
        )
        self._home.mkdir(parents=True, exist_ok=True)
        subprocess.run(
            [self._python, "-c", code], env={"HOME": str(self._home)}, check=True
        )
        path = self._home / ".local" / "share" / "elia" / "elia.sqlite"
        connection = sqlite3.connect(path)
        connection.execute(
            "INSERT INTO chat (id, model, title, archived) VALUES (1, ?, ?, 0)",
            ("elia-gpt-4o", self.TITLE),
        )
        connection.executemany(
            "INSERT INTO message (chat_id, role, content, meta, model, timestamp)"
            " VALUES (1, ?, ?, '{}', 'elia-gpt-4o', '2026-01-01 00:00:00')",
            [(message.role, message.text) for message in messages],
        )
        connection.commit()
        connection.close()

    def open(self) -> Terminal:
        """Start it."""
        return Terminal([self._python, self._program], self._home)
