"""How late an event loop is for what it was asked to do at a given time."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

LAG_SECONDS = 0.05
_TICK_SECONDS = 0.005
_WAITS = Path("/proc/thread-self/schedstat")


class Lateness:
    """Takes note of every lateness while it is entered."""

    def __init__(self) -> None:
        self.all: list[float] = []
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._tick())
        # Its clock runs from here on, and not from when the loop is next free.
        await asyncio.sleep(0)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        assert self._task is not None
        # What it is late for now counts too.
        await asyncio.sleep(2 * _TICK_SECONDS)
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task

    @property
    def report(self) -> dict[str, float]:
        """How many were lags that a user may feel, and how long the longest was."""
        lags = sum(late > LAG_SECONDS for late in self.all)
        return {"lags": lags, "longest": max(self.all), "ticks": len(self.all)}

    async def _tick(self) -> None:
        while True:
            start, kept_waiting = time.perf_counter(), _kept_waiting()
            await asyncio.sleep(_TICK_SECONDS)
            taken = time.perf_counter() - start - _TICK_SECONDS
            self.all.append(taken - (_kept_waiting() - kept_waiting))


def _kept_waiting() -> float:
    """Return how long this thread could have run, had the machine had a core for it.

    What other programs take is not our lateness. Waiting for another thread of this
    process to let go of the interpreter, or for the disk, is, and is not in here.
    """
    try:
        return int(_WAITS.read_text().split()[1]) / 1e9
    except OSError:
        return 0.0
