"""Run the benchmarks, print one table, and fail if a bar is missed."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks import starting, storing
from benchmarks.measure import Bar

MESSAGES = 100_000


def measured() -> Iterator[Bar]:
    """Measure one bar after the other, each on stores of its own."""
    for bars in (storing.bars, starting.bars):
        with tempfile.TemporaryDirectory() as directory:
            yield from bars(Path(directory), MESSAGES)


def main() -> None:
    """Print every bar as it is measured."""
    is_met = True
    print(f"{'bar':<48} {'ratio':>7} {'limit':>7} {'ours':>10} {'theirs':>10}")
    for bar in measured():
        is_met &= bar.is_met
        print(
            f"{bar.name:<48} {bar.ratio:>7.2f} {bar.limit:>7.2f}"
            f" {bar.ours * 1000:>8.1f}ms {bar.reference * 1000:>8.1f}ms"
            f" {'' if bar.is_met else ' missed'}",
            flush=True,
        )
    sys.exit(0 if is_met else 1)


if __name__ == "__main__":
    main()
