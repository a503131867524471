"""What everything costs as a store grows, beside how much its output grows."""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.browsing import KeyRuns
from benchmarks.listing import printed
from benchmarks.measure import Plan, Sample, wall
from benchmarks.searching import SHOWN, find
from benchmarks.starting import first_paint
from benchmarks.stores import RECENT
from benchmarks.storing import tree
from benchmarks.texts import COMMON, NEEDLE
from convotui.conversations.listing import tree_ids
from convotui.storage import Block, Draft, MessageId, Store

_SAVES = 20
_SLACK = 1.5
"""How much faster than its output a cost may grow in ten times the messages."""

Samples = Callable[[Plan, int], dict[str, Sample]]


@dataclass
class Row:
    """The costs of one thing, in seconds, by the size of the store."""

    name: str
    output_grows: bool
    """Whether there is ten times the output in ten times the messages."""
    taken: dict[int, list[float]] = field(default_factory=dict)

    @property
    def costs(self) -> dict[int, float]:
        """The medians."""
        return {size: statistics.median(taken) for size, taken in self.taken.items()}

    @property
    def last_step(self) -> float:
        """How much more the largest store costs than one a tenth of its size."""
        *_, before, last = self.costs.values()
        return last / before

    @property
    def is_sound(self) -> bool:
        """Whether it grows no faster than its output."""
        return self.last_step <= _SLACK * (10 if self.output_grows else 1)


def rows(plan: Plan) -> Iterator[Row]:
    """Measure one thing after the other, the sizes in turns."""
    for names, samples in (
        ({"start": False}, _start),
        ({"tree ready": True}, _tree),
        ({"key, CPU": False, "fold, CPU": False}, _keys),
        ({"search, rare word": False, "search, common word": False}, _search),
        ({"thread open": False}, _thread),
        ({"save": False}, _save),
        ({"delete": False, "undo": False}, _delete),
        ({"list": True}, _list),
        ({"export, JSON": True, "import of the export": True}, _export),
    ):
        found = {name: Row(name, grows) for name, grows in names.items()}
        ready = {size: samples(plan, size) for size in plan.sizes}
        # What grows does so by far more than what varies.
        for _ in range(max(1, plan.rounds // 2)):
            for size, by_name in ready.items():
                for name, sample in by_name.items():
                    found[name].taken.setdefault(size, []).append(sample())
        yield from found.values()


def _start(plan: Plan, size: int) -> dict[str, Sample]:
    """From the command to the first frame."""
    return {"start": first_paint(plan, size)}


def _tree(plan: Plan, size: int) -> dict[str, Sample]:
    """All that the tree needs, laid out."""
    path = plan.stores.of(size)
    return {"tree ready": wall(lambda: tree(path))}


def _keys(plan: Plan, size: int) -> dict[str, Sample]:
    """A move of the cursor, and a fold, in the whole screen."""
    runs = KeyRuns(plan, size)
    return {
        "key, CPU": runs.sample("moves", statistics.median),
        "fold, CPU": runs.sample("folds", statistics.median),
    }


def _search(plan: Plan, size: int) -> dict[str, Sample]:
    """The first hits, of a word that few messages have and of one that most have."""
    path = plan.stores.of(size)
    return {
        "search, rare word": wall(lambda: find(path, NEEDLE, SHOWN)),
        "search, common word": wall(lambda: find(path, COMMON, SHOWN)),
    }


def _thread(plan: Plan, size: int) -> dict[str, Sample]:
    """The same thread, read from its first message to its last."""
    path = plan.stores.of(size)

    def sample() -> float:
        with Store(path) as store:
            newest = store.newest_reply()
            assert newest is not None
            return wall(lambda: store.thread(newest))()

    return {"thread open": sample}


def _save(plan: Plan, size: int) -> dict[str, Sample]:
    """One message, on the disk."""
    copy = Path(shutil.copy(plan.stores.of(size), plan.scratch / f"saving {size}"))

    def sample() -> float:
        with Store(copy) as store:
            newest = store.newest_reply()
            draft = Draft("user", [Block("hello")], parent=newest)
            save = wall(lambda: [store.save([draft]) for _ in range(_SAVES)])
            return save() / _SAVES

    return {"save": sample}


def _delete(plan: Plan, size: int) -> dict[str, Sample]:
    """The longest of the newest conversations, into the trash and back."""
    path = plan.stores.of(size)
    copy = Path(shutil.copy(path, plan.scratch / f"deleting {size}"))
    root = _longest(path)

    def delete() -> float:
        with Store(copy) as store:
            return wall(lambda: store.delete([root], recursive=True))()

    def undo() -> float:
        with Store(copy) as store:
            return wall(store.undo)()

    return {"delete": delete, "undo": undo}


def _longest(path: Path) -> MessageId:
    with Store(path) as store:
        sizes = tree(path).sizes
        recent = range(len(sizes) - RECENT, len(sizes))
        return tree_ids(store)[max(recent, key=lambda row: sizes[row])]


def _list(plan: Plan, size: int) -> dict[str, Sample]:
    """Everything, printed by a program of its own."""
    return {"list": printed(["--db", str(plan.stores.of(size)), "list"])}


def _export(plan: Plan, size: int) -> dict[str, Sample]:
    """Everything into one file, and from there into an empty store."""
    exported = plan.scratch / f"export {size}.json"
    imported = plan.scratch / f"import {size}"
    ours = [sys.executable, "-m", "convotui", "--db"]

    def run(*arguments: str | Path) -> float:
        command = [*ours, *map(str, arguments)]
        return wall(lambda: subprocess.run(command, capture_output=True, check=True))()

    def export() -> float:
        return run(plan.stores.of(size), "export", "--force", "-o", exported)

    def take_in() -> float:
        for leftover in plan.scratch.glob(f"{imported.name}*"):
            leftover.unlink()
        return run(imported, "import", exported)

    return {"export, JSON": export, "import of the export": take_in}


def as_json(machine: str, found: list[Row]) -> str:
    """Return every sample, for programs."""
    measured = [
        {"what": row.name, "output_grows": row.output_grows, "seconds": row.taken}
        for row in found
    ]
    return json.dumps({"machine": machine, "growth": measured}, indent=2)
