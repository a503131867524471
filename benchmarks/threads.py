"""From a key to the first frame of a thread, in a real terminal."""

from __future__ import annotations

import random
import statistics
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from benchmarks.measure import Bar, Plan, Sample, compare
from benchmarks.peers import Elia
from benchmarks.stores import Planned, save
from benchmarks.terminal import Terminal
from benchmarks.texts import Writer
from convotui.storage import MessageId, Role

_OPENINGS = 4
_LENGTHS = (100, 1_000, 2_000)


def bars(plan: Plan) -> Iterator[Bar]:
    """Measure how long it takes to open threads."""
    store = plan.scratch / "threads"
    beside = _save_threads(store)
    yield compare(
        plan,
        "thread's first frame, 2,000 / 100 messages",
        1.5,
        _opened(plan, store, 2_000, beside[2_000]),
        _opened(plan, store, 100, beside[100]),
    )
    yield _beside_elia(plan, _opened(plan, store, 1_000, beside[1_000]))


def _thread(length: int) -> list[Planned]:
    """Return a thread whose last words are to be seen nowhere but at its end."""
    writer = Writer(random.Random(length))
    messages = []
    for number in range(length):
        role: Role = "assistant" if number % 2 else "user"
        parent = number - 1 if number else None
        messages.append(Planned(number, parent, role, writer.message(number, role)))
    messages[-1] = _ending_with(f"end-of-{length}", messages[-1])
    return messages


def _ending_with(words: str, message: Planned) -> Planned:
    # A row of the tree shows the beginning.
    return replace(message, text=f"{message.text}\n\n{'so on, ' * 60}\n\n{words}")


def _save_threads(path: Path) -> dict[int, MessageId]:
    """Save threads, and below each in the tree a message that stands alone.

    Returns the lone messages; the words `beside-LENGTH` are at the end of each.
    """
    messages: list[Planned] = []
    alone: dict[int, int] = {}
    for length in _LENGTHS:
        first = len(messages)
        for message in _thread(length):
            parent = None if message.parent is None else first + message.parent
            messages.append(
                replace(message, number=first + message.number, parent=parent)
            )
        alone[length] = number = first + length
        lone = Planned(number, None, "user", f"Alone {number}")
        messages.append(_ending_with(f"beside-{length}", lone))
    ids = save(path, messages)
    return {length: ids[number] for length, number in alone.items()}


def _opened(plan: Plan, store: Path, length: int, beside: MessageId) -> Sample:
    """Return a sample of the time from the key to the last words of a thread."""
    command = [sys.executable, "-m", "convotui", "--db", str(store), "-c", beside]

    def sample() -> float:
        with Terminal(command, plan.scratch / "home") as terminal:
            taken = []
            terminal.wait_for(f"beside-{length}")
            for _ in range(_OPENINGS):
                terminal.wait_for_silence()
                terminal.send("k")
                taken.append(terminal.wait_for(f"end-of-{length}"))
                terminal.wait_for_silence()
                terminal.send("j")
                terminal.wait_for(f"beside-{length}")
            return statistics.median(taken)

    return sample


def _beside_elia(plan: Plan, ours: Sample) -> Bar:
    name = "1,000-message thread open / elia"
    elia = Elia(plan.peers, plan.scratch / "elia's other home")
    if not elia.is_installed:
        return Bar(name, None, 1 / 20, note="elia is not installed; --peers does that")
    elia.keep(_thread(1_000))
    return compare(plan, name, 1 / 20, ours, _opened_by_elia(elia))


def _opened_by_elia(elia: Elia) -> Sample:
    def sample() -> float:
        with elia.open() as terminal:
            terminal.wait_for(elia.TITLE)
            terminal.wait_for_silence()
            terminal.send("\t")
            terminal.wait_for_silence()
            terminal.send("\r")
            return terminal.wait_for("end-of-1000")

    return sample
