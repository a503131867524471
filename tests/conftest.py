"""A store in a real file, and a clock that only moves when it is read."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from convotui.storage import Store

# Whatever runs in the background of a shell ignores ctrl+c, and so do its children.
signal.signal(signal.SIGINT, signal.default_int_handler)


class Clock:
    """A clock that goes on by `step` each time it is read."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, 12, 0, 0)
        self.step = timedelta(seconds=1)

    def __call__(self) -> datetime:
        self.now += self.step
        return self.now

    def stop(self) -> None:
        """Let all that follows happen at the same time."""
        self.step = timedelta(0)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the store's file will be; there is none yet."""
    return tmp_path / ".cpeconvo"


@pytest.fixture
def store(path: Path, clock: Clock) -> Iterator[Store]:
    with Store(path, clock=clock) as store:
        yield store
