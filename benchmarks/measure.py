"""Two things side by side, in turns, as one figure with a limit."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.stores import Stores

Sample = Callable[[], float]
"""Does something once and returns what it took."""


@dataclass(frozen=True)
class Plan:
    """How much is measured, and where."""

    stores: Stores
    scratch: Path
    """An empty directory for what need not be kept."""
    peers: Path
    """The virtual environment of other programs; it need not be there."""
    rounds: int = 6
    small: int = 1_000
    large: int = 100_000
    huge: int = 1_000_000

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes of stores, each ten times the one before."""
        steps = (10**power for power in range(3, 8))
        return tuple(size for size in steps if self.small <= size <= self.huge)


@dataclass(frozen=True)
class Bar:
    """What was measured, and how much of it is allowed."""

    name: str
    figure: float | None
    """A ratio unless there is a unit; `None` if it could not be measured."""
    limit: float | None
    """`None` for what is only reported."""
    unit: str = "×"
    ours: Sequence[float] = ()
    """What each round took, in seconds unless there is a unit."""
    reference: Sequence[float] = ()
    note: str = ""
    is_broken: bool = False
    """Whether it should have been measured and something went wrong."""

    @property
    def is_met(self) -> bool:
        """Whether the figure is within the limit, or there is nothing to judge."""
        if self.is_broken:
            return False
        return self.figure is None or self.limit is None or self.figure <= self.limit


def compare(
    plan: Plan, name: str, limit: float | None, ours: Sample, reference: Sample
) -> Bar:
    """Take samples of both in turns and compare the medians."""
    own: list[float] = []
    other: list[float] = []
    for number in range(plan.rounds):
        turns = [(ours, own), (reference, other)]
        # Whoever comes second may find what it reads in the machine's caches.
        for sample, taken in turns if number % 2 else reversed(turns):
            taken.append(sample())
    ratio = statistics.median(own) / statistics.median(other)
    return Bar(name, ratio, limit, ours=own, reference=other)


def count(plan: Plan, name: str, limit: float | None, unit: str, ours: Sample) -> Bar:
    """Take samples that stand for themselves, and judge their median."""
    own = [ours() for _ in range(plan.rounds)]
    return Bar(name, statistics.median(own), limit, unit, own)


def wall(job: Callable[[], object]) -> Sample:
    """Return a sample of the time that passes."""
    return _timed(job, time.perf_counter)


def cpu(job: Callable[[], object]) -> Sample:
    """Return a sample of the processor's time that all threads of this process use."""
    return _timed(job, time.process_time)


def _timed(job: Callable[[], object], clock: Callable[[], float]) -> Sample:
    def sample() -> float:
        start = clock()
        job()
        return clock() - start

    return sample


def percentile(values: Sequence[float], part: float) -> float:
    """Return the value that this part of all is not above."""
    return sorted(values)[min(len(values) - 1, int(part * len(values)))]


def as_json(machine: str, bars: Sequence[Bar]) -> str:
    """Return everything that was measured, for programs."""
    measured = [
        {
            "bar": bar.name,
            "figure": bar.figure,
            "unit": "ratio" if bar.unit == "×" else bar.unit,
            "limit": bar.limit,
            "pass": None if bar.figure is None else bar.is_met,
            "ours": list(bar.ours),
            "reference": list(bar.reference),
            "note": bar.note,
        }
        for bar in bars
    ]
    return json.dumps({"machine": machine, "bars": measured}, indent=2)
