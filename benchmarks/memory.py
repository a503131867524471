"""The most memory that the screen and the listing ever have."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator

from benchmarks.measure import Bar, Plan, Sample, count
from benchmarks.terminal import ROOT, Terminal


def bars(plan: Plan) -> Iterator[Bar]:
    """Measure peaks, in megabytes."""
    size = f"{plan.huge:,}"
    yield count(plan, f"memory of the screen ({size})", 300, "MB", _of_screen(plan))
    yield count(plan, f"memory of list ({size})", 100, "MB", _of_list(plan))


def _of_screen(plan: Plan) -> Sample:
    """Return a sample of the screen, read to its end and moved about in."""
    store = plan.stores.of(plan.huge)
    command = [sys.executable, "-m", "convotui", "--db", str(store)]

    def sample() -> float:
        with Terminal(command, plan.scratch / "home") as terminal:
            terminal.wait_for(f"/{plan.huge:,}")
            for keys in ("g", "G", "k", " ", " "):
                terminal.send(keys)
                terminal.wait_for_silence()
            # What everything adds up to is the last to be known.
            terminal.wait_for_silence(2)
            return terminal.peak_memory()

    return sample


def _of_list(plan: Plan) -> Sample:
    store, report = plan.stores.of(plan.huge), plan.scratch / "peak of list"
    module = [sys.executable, "-m", "benchmarks.probes.peak", str(report)]

    def sample() -> float:
        subprocess.run(
            [*module, "--db", str(store), "list"],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            check=True,
        )
        return float(json.loads(report.read_text()))

    return sample
