"""Two things side by side, in turns, as one ratio."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

ROUNDS = 6


@dataclass(frozen=True)
class Bar:
    """What was measured against what, and how much of it is allowed."""

    name: str
    ratio: float
    limit: float
    ours: float
    """The median of our own times, in seconds."""
    reference: float

    @property
    def is_met(self) -> bool:
        """Whether it is fast enough."""
        return self.ratio <= self.limit


def compare(
    name: str,
    limit: float,
    ours: Callable[[], object],
    reference: Callable[[], object],
    clock: Callable[[], float] = time.perf_counter,
) -> Bar:
    """Run both in turns and compare the medians."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(ROUNDS):
        for job, taken in zip((ours, reference), times, strict=True):
            start = clock()
            job()
            taken.append(clock() - start)
    own, other = map(statistics.median, times)
    return Bar(name, own / other, limit, own, other)
