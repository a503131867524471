"""Run the benchmarks, print one table, and fail if a bar is missed."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from subprocess import SubprocessError

from pexpect.exceptions import ExceptionPexpect
from platformdirs import user_cache_path

from benchmarks import (
    browsing,
    flowing,
    growth,
    listing,
    measure,
    memory,
    peers,
    searching,
    starting,
    storing,
    threads,
)
from benchmarks.measure import Bar, Plan
from benchmarks.report import bar_lines, growth_lines, machine
from benchmarks.stores import Stores

GROUPS: dict[str, Callable[[Plan], Iterator[Bar]]] = {
    "start": starting.bars,
    "store": storing.bars,
    "list": listing.bars,
    "keys": browsing.bars,
    "flow": flowing.bars,
    "threads": threads.bars,
    "memory": memory.bars,
    "search": searching.bars,
}
"""The bars, by the names under which some of them can be run alone."""
GROWTH = "growth"


def main() -> None:
    """Measure what was asked for."""
    options = _options()
    stores: Path = options.stores
    stores.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=stores) as scratch:
        plan = Plan(Stores(stores), Path(scratch), stores / "peers")
        if options.quick:
            plan = replace(plan, rounds=2, huge=plan.large)
        if options.rounds:
            plan = replace(plan, rounds=options.rounds)
        if options.peers:
            _install(plan.peers)
        if options.names == [GROWTH]:
            _print_growth(plan, options.json)
            return
        is_met = _print_bars(plan, options.names or list(GROUPS), options.json)
    sys.exit(0 if is_met or options.quick else 1)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m benchmarks", description=__doc__)
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help=f"Some of {', '.join(GROUPS)}, or {GROWTH} alone. Default: all bars.",
    )
    parser.add_argument(
        "--quick", action="store_true", help="Smaller and fewer; exits 0 in any case."
    )
    parser.add_argument(
        "--rounds",
        type=int,
        metavar="N",
        help="How often each is measured. Default: 6.",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="Also as JSON.")
    parser.add_argument(
        "--stores",
        type=Path,
        metavar="DIR",
        default=user_cache_path("convotui") / "benchmarks",
        help="Where stores are kept for the next run. Default: %(default)s.",
    )
    parser.add_argument(
        "--peers", action="store_true", help="Install elia there, to compare with."
    )
    options = parser.parse_args()
    unknown = set(options.names) - {*GROUPS, GROWTH}
    if unknown or (GROWTH in options.names and len(options.names) > 1):
        parser.error(f"NAME is some of {', '.join(GROUPS)}, or {GROWTH} alone.")
    return options


def _install(directory: Path) -> None:
    if problem := peers.install(directory):
        print(f"elia could not be installed: {problem}", file=sys.stderr)


def _print_bars(plan: Plan, names: list[str], report: Path | None) -> bool:
    """Print every bar as it is measured; whether all are met."""
    found: list[Bar] = []

    def measured() -> Iterator[Bar]:
        for name in names:
            for bar in _attempt(name, plan):
                found.append(bar)
                yield bar

    on = _print_machine()
    for line in bar_lines(measured()):
        print(line, flush=True)
    if report is not None:
        report.write_text(measure.as_json(on, found))
    missed = [bar.name for bar in found if not bar.is_met]
    if missed:
        print(f"Missed: {'; '.join(missed)}.")
    return not missed


def _attempt(name: str, plan: Plan) -> Iterator[Bar]:
    """Yield a group's bars; what goes wrong in one does not take the others with it."""
    try:
        yield from GROUPS[name](plan)
    except (OSError, RuntimeError, SubprocessError, ExceptionPexpect) as error:
        print(error, file=sys.stderr)
        yield Bar(name, None, None, note="could not be measured", is_broken=True)


def _print_growth(plan: Plan, report: Path | None) -> None:
    found: list[growth.Row] = []

    def measured() -> Iterator[growth.Row]:
        for row in growth.rows(plan):
            found.append(row)
            yield row

    on = _print_machine()
    for line in growth_lines(measured(), plan.sizes):
        print(line, flush=True)
    if report is not None:
        report.write_text(growth.as_json(on, found))


def _print_machine() -> str:
    on = machine()
    print(on, flush=True)
    return on


if __name__ == "__main__":
    main()
