"""The tables, line by line as they are measured."""

from __future__ import annotations

import os
import platform
import statistics
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from benchmarks.growth import Row
from benchmarks.measure import Bar

_NAME = 58


def machine() -> str:
    """Return what a table was measured on, and when."""
    system, now = platform.uname(), datetime.now(UTC)
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return (
        f"{system.system} {system.machine}, {os.cpu_count()} cores{load},"
        f" Python {platform.python_version()}, {now:%Y-%m-%d %H:%M} UTC"
    )


def bar_lines(bars: Iterable[Bar]) -> Iterable[str]:
    """Yield the table of bars: what was measured, how much is allowed, and whether."""
    yield f"{'bar':<{_NAME}} {'figure':>10} {'limit':>10}  {'':7} details"
    for bar in bars:
        figure = "-" if bar.figure is None else _figure(bar.figure, bar.unit)
        limit = "-" if bar.limit is None else _figure(bar.limit, bar.unit)
        line = f"{bar.name:<{_NAME}} {figure:>10} {limit:>10}  {_verdict(bar):7}"
        yield f"{line} {_details(bar)}".rstrip()


def _verdict(bar: Bar) -> str:
    if bar.is_broken:
        return "FAILED"
    if bar.figure is None:
        return "not run"
    if bar.limit is None:
        return ""
    return "pass" if bar.is_met else "MISSED"


def _details(bar: Bar) -> str:
    if not bar.reference:
        return bar.note
    return f"{_seconds(bar.ours)} / {_seconds(bar.reference)}"


def _figure(figure: float, unit: str) -> str:
    if unit == "×":
        return f"{figure:.2f}" if figure >= 0.1 else f"1/{1 / figure:.0f}"
    if unit == "s":
        return f"{figure:.3f} s"
    return f"{figure:.0f} {unit}"


def _seconds(taken: Sequence[float]) -> str:
    return time_of(statistics.median(taken))


def time_of(seconds: float) -> str:
    """Return a time in as many digits as matter."""
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1000:.1f} ms"


def growth_lines(rows: Iterable[Row], sizes: Sequence[int]) -> Iterable[str]:
    """Yield the table of costs against sizes, and how they grow in the last step."""
    heads = "".join(f"{size:>12,}" for size in sizes)
    yield f"{'cost':<22}{heads}{'last ×':>9}{'output ×':>10}"
    for row in rows:
        costs = "".join(f"{time_of(cost):>12}" for cost in row.costs.values())
        output = 10 if row.output_grows else 1
        mark = "" if row.is_sound else "  grows faster than its output"
        yield f"{row.name:<22}{costs}{row.last_step:>9.2f}{output:>10}{mark}"
