"""Whether the screen goes on flowing: what an update costs, and how late keys come."""

from __future__ import annotations

import shutil
import statistics
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import Bar, Plan
from benchmarks.terminal import probe


def bars(plan: Plan) -> Iterator[Bar]:
    """Measure streaming in CPU time, and the event loop's lags of over 50 ms."""
    yield _updates(plan, "prose", 2)
    # Code is one paragraph however long it is.
    yield _updates(plan, "code", 2)
    yield _lags(plan, "streaming after 10k tokens", "streaming", _copy(plan))
    yield _lags(
        plan, "litellm warm-up", "loading", plan.stores.of(plan.small), "litellm"
    )
    yield _lags(
        plan, f"tree load ({plan.huge:,})", "loading", plan.stores.of(plan.huge), "tree"
    )


def _updates(plan: Plan, kind: str, limit: float) -> Bar:
    """Compare updates of one reply, at its beginning and after 20,000 tokens."""
    begin, later = [], []
    for _ in range(plan.rounds):
        taken = probe("updates", kind, home=plan.scratch / "home")
        begin.append(statistics.median(taken["begin"]))
        later.append(statistics.median(taken["later"]))
    name = f"streaming CPU an update, after 20k tokens / none ({kind})"
    ratio = statistics.median(later) / statistics.median(begin)
    return Bar(name, ratio, limit, ours=later, reference=begin)


def _lags(plan: Plan, what: str, name: str, *arguments: object) -> Bar:
    reports = [
        probe(name, *arguments, home=plan.scratch / "home") for _ in range(plan.rounds)
    ]
    lags = [report["lags"] for report in reports]
    longest = max(report["longest"] for report in reports)
    return Bar(
        f"lags over 50 ms: {what}",
        statistics.median(lags),
        0,
        "lags",
        lags,
        note=f"longest of all rounds {longest * 1000:.0f} ms",
    )


def _copy(plan: Plan) -> Path:
    """Return a store that may be written to."""
    return Path(shutil.copy(plan.stores.of(plan.small), plan.scratch / "streaming"))
