"""What a key costs in the whole screen, at any size of the store."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from benchmarks.measure import Bar, Plan, Sample, compare, percentile
from benchmarks.terminal import probe

Figure = Callable[[Sequence[float]], float]
p95: Figure = partial(percentile, part=0.95)


def bars(plan: Plan) -> Iterator[Bar]:
    """Measure moving the cursor, and folding, in CPU time."""
    runs = {size: KeyRuns(plan, size) for size in (plan.small, plan.huge)}
    for name, limit, kind, figure in (
        ("cursor key CPU p95", 1.3, "moves", p95),
        ("fold CPU", 1.5, "folds", statistics.median),
    ):
        samples = [runs[size].sample(kind, figure) for size in (plan.huge, plan.small)]
        sizes = f"{plan.huge:,} / {plan.small:,}"
        yield compare(plan, f"{name}, {sizes}", limit, *samples)
    yield compare(
        plan,
        f"fold CPU / Textual's Tree ({plan.large:,})",
        1 / 50,
        _fold(plan, "folding", plan.stores.of(plan.large)),
        _fold(plan, "textual_tree", plan.large),
    )


class KeyRuns:
    """Runs of the screen on a store, each of which measures moves and folds."""

    def __init__(self, plan: Plan, size: int) -> None:
        self._plan = plan
        self._size = size
        self._waiting: dict[str, list[list[float]]] = {"moves": [], "folds": []}

    def sample(self, kind: str, figure: Figure) -> Sample:
        """Return a sample of one of them; a run serves one sample of each."""

        def sample() -> float:
            if not self._waiting[kind]:
                store = self._plan.stores.of(self._size)
                taken = probe("keys", store, home=self._plan.scratch / "home")
                for name, waiting in self._waiting.items():
                    waiting.append(taken[name])
            return figure(self._waiting[kind].pop(0))

        return sample


def _fold(plan: Plan, name: str, argument: object) -> Sample:
    home = plan.scratch / "home"
    return lambda: statistics.median(probe(name, argument, home=home))
