"""Have convotui survive what it rarely meets, often: `python -m benchmarks.faults`."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from benchmarks.report import machine
from convotui.storage import Store
from tests.hostile import screen_faults, store_damage, store_faults
from tests.hostile.strings import STRINGS, odd_characters
from tests.ui.browsing import FORKED, plant

Figures = Counter[str]
Run = Callable[[Path, int], Figures]

NEVER = {
    *("actions fired", "called whole", "changed", "crashes", "damaged", "escaped"),
    *("escape bytes out", "halves", "held back", "locked out", "lost", "not restored"),
    *("questions lost", "replies made up", "tracebacks", "wrong codes"),
}
"""What must not be counted even once."""


def main() -> None:
    """Try everything as often as was asked for, and print what was counted."""
    options = _options()
    print(machine(), flush=True)
    is_whole = True
    for name in options.names or list(RUNS):
        with tempfile.TemporaryDirectory(dir=options.scratch) as scratch:
            found = RUNS[name](Path(scratch), options.times)
        bad = any(found[it] for it in NEVER)
        is_whole = is_whole and not bad
        told = ", ".join(f"{int(count):,} {it}" for it, count in found.items())
        print(f"{'MISSED' if bad else 'ok':<7} {name:<8} {told}", flush=True)
    sys.exit(0 if is_whole else 1)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m benchmarks.faults", description=__doc__)
    parser.add_argument(
        "names",
        nargs="*",
        choices=[[], *RUNS],
        metavar="NAME",
        help=f"Some of {', '.join(RUNS)}. Default: all.",
    )
    parser.add_argument(
        "--times",
        type=int,
        metavar="N",
        default=20,
        help="How often; 1 is a quick look. Default: %(default)s.",
    )
    parser.add_argument("--scratch", type=Path, metavar="DIR", help="Where to work.")
    return parser.parse_args()


def _added(each: Iterable[Figures]) -> Figures:
    """Add figures up, those too that are nothing."""
    total: Figures = Counter()
    for figures in each:
        total.update(figures)
    return total


def _rooms(scratch: Path, count: int) -> Iterator[tuple[Path, int]]:
    """Yield empty directories and their numbers."""
    for seed in range(count):
        room = scratch / str(seed)
        room.mkdir()
        yield room, seed


def _kill(scratch: Path, times: int) -> Figures:
    """Processes that write to one file, killed."""
    rooms = _rooms(scratch, 3 * times)
    return _added(store_faults.kill_writers(room / "f", seed) for room, seed in rooms)


def _send(scratch: Path, times: int) -> Figures:
    """Four processes that save at once."""
    found, _ = store_faults.contend(scratch / "f", 4, 25 * times)
    found["locked out"] = found.pop("refused")
    return found


def _damage(scratch: Path, times: int) -> Figures:
    """Files in which bytes were changed."""
    return store_damage.open_damaged(scratch, range(25 * times))


def _soak(scratch: Path, times: int) -> Figures:
    """A store in long use."""
    return store_faults.soak(scratch / "f", lambda number: number >= 100 * times)


def _text(scratch: Path, times: int) -> Figures:
    """Texts wherever a text is shown, and in a stream."""
    strings = [*STRINGS.values(), *odd_characters()]
    (scratch / "shown").mkdir()
    found = [screen_faults.show_all(scratch / "shown", strings)]
    for room, seed in _rooms(scratch, max(1, times // 5)):
        found.append(screen_faults.stream_all(room, strings, seed))
    return _added(found)


def _signal(scratch: Path, times: int) -> Figures:
    """Signals at any moment."""
    with Store(scratch / ".cpeconvo") as store:
        plant(store, FORKED)
    return _added(
        screen_faults.end_by(scratch, number, seed)
        for number in screen_faults.ENDS
        for seed in range(times)
    )


def _reply(scratch: Path, times: int) -> Figures:
    """Replies whose process is killed."""
    return _added(screen_faults.kill_reply(scratch, seed) for seed in range(times))


RUNS: dict[str, Run] = {
    "kill": _kill,
    "send": _send,
    "damage": _damage,
    "soak": _soak,
    "text": _text,
    "signal": _signal,
    "reply": _reply,
}
"""What is tried, by the names under which some of it can be tried alone."""


if __name__ == "__main__":
    main()
