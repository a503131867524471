"""The time to the first frame in a real terminal, and what is not loaded by then."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from benchmarks.measure import Bar, Plan, Sample, compare, count
from benchmarks.peers import Elia
from benchmarks.stores import chained
from benchmarks.terminal import ROOT, Terminal

_SMALLEST = """
from textual.app import App
from textual.widgets import Static

class Smallest(App):
    def compose(self):
        yield Static("first frame")

Smallest().run()
"""


def bars(plan: Plan) -> Iterator[Bar]:
    """Measure how long until anything is to be seen."""
    # A start is over soon and varies much.
    many = replace(plan, rounds=3 * plan.rounds)
    smallest = _first_frame(plan, [sys.executable, "-c", _SMALLEST], "first frame")
    for size in dict.fromkeys((plan.small, plan.huge)):
        name = f"first paint / smallest Textual app ({size:,})"
        yield compare(many, name, 1.4, first_paint(plan, size), smallest)
    yield _beside_elia(many)
    yield count(
        plan, "heavy modules at first paint", 0, "modules", _loaded_by_screen(plan)
    )
    yield count(plan, "heavy modules in list", 0, "modules", _loaded_by_list(plan))


def first_paint(plan: Plan, size: int) -> Sample:
    """Return a sample of the time to convotui's first frame.

    The name of the file is in the first frame, and nothing that is read from it.
    """
    store = plan.stores.of(size)
    command = [sys.executable, "-m", "convotui", "--db", str(store)]
    return _first_frame(plan, command, store.name)


def _first_frame(plan: Plan, command: list[str], awaited: str) -> Sample:
    def sample() -> float:
        with Terminal(command, plan.scratch / "home") as terminal:
            return terminal.wait_for(awaited)

    return sample


def _beside_elia(plan: Plan) -> Bar:
    name = "first paint / elia"
    elia = Elia(plan.peers, plan.scratch / "elia's home")
    if not elia.is_installed:
        return Bar(name, None, 0.5, note="elia is not installed; --peers does that")
    elia.keep(list(chained(2)))

    def sample() -> float:
        with elia.open() as terminal:
            return terminal.wait_for("Elia")

    return compare(plan, name, 0.5, first_paint(plan, plan.small), sample)


def _command(report: Path, store: Path, *arguments: str) -> list[str]:
    module = ["-m", "benchmarks.probes.imports", str(report), "--db", str(store)]
    return [sys.executable, *module, *arguments]


def _loaded_by_screen(plan: Plan) -> Sample:
    store, report = plan.stores.of(plan.small), plan.scratch / "imports of the screen"

    def sample() -> float:
        report.unlink(missing_ok=True)
        home = plan.scratch / "home"
        # A key, so that there is a reason to load what models are asked with.
        environment = {"PYTHONPATH": str(ROOT), "OPENAI_API_KEY": "none"}
        with Terminal(_command(report, store), home, **environment) as terminal:
            terminal.wait_for(store.name)
            drawn = time.monotonic()
        return sum(float(at.split()[0]) <= drawn for at in _notes(report))

    return sample


def _loaded_by_list(plan: Plan) -> Sample:
    store, report = plan.stores.of(plan.small), plan.scratch / "imports of list"

    def sample() -> float:
        report.unlink(missing_ok=True)
        subprocess.run(
            _command(report, store, "list"),
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            check=True,
        )
        return len(_notes(report))

    return sample


def _notes(report: Path) -> list[str]:
    return report.read_text().splitlines()
