"""Names of files, completed while they are typed."""

from __future__ import annotations

import asyncio
from pathlib import Path

from textual.suggester import Suggester


class PathSuggester(Suggester):
    """Completes the name of a directory or file that is there."""

    def __init__(self) -> None:
        super().__init__(use_cache=False, case_sensitive=True)

    async def get_suggestion(self, value: str) -> str | None:
        """Return the first path that begins like what was typed."""
        return await asyncio.to_thread(self._first_path, value)

    def _first_path(self, value: str) -> str | None:
        typed = Path(value).expanduser()
        directory = typed if value.endswith("/") else typed.parent
        prefix = "" if value.endswith("/") else typed.name
        try:
            names = sorted(p.name + "/" * p.is_dir() for p in directory.iterdir())
        except OSError:
            return None
        base = value[: len(value) - len(prefix)]
        return next((base + n for n in names if prefix and n.startswith(prefix)), None)
