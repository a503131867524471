"""A search over everything, with the finished index and before there is any."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from benchmarks.measure import Bar, Plan, count, wall
from benchmarks.texts import COMMON, NEEDLE
from convotui.storage import Store

SHOWN = 50
"""How many hits `convotui search` shows."""


def bars(plan: Plan) -> Iterator[Bar]:
    """Measure words that are rare and words that are everywhere, in seconds."""
    yield from _searches(plan, "index", plan.stores.of(plan.huge), 1.0)
    # Another program has filled it, and convotui has not written to it since. How
    # long that may take is for whoever waits to say.
    yield from _searches(plan, "no index", plan.stores.unindexed(plan.huge), None)


def _searches(plan: Plan, how: str, path: Path, limit: float | None) -> Iterator[Bar]:
    for kind, word in (("rare", NEEDLE), ("common", COMMON)):
        for what, most in ((f"first {SHOWN}", SHOWN), ("all", None)):
            # All hits of a common word are most of the store.
            is_all = kind == "common" and most is None
            name = f"search: {kind} word, {what}, {how} ({plan.huge:,})"
            job = partial(find, path, word, most)
            yield count(plan, name, None if is_all else limit, "s", wall(job))


def find(path: Path, word: str, most: int | None) -> int:
    """Search in a store that nobody has open yet; how many hits there are."""
    with Store(path) as store:
        return len(store.search(word, limit=most))
