"""What every importer gives: conversations, and what could not be read of a source."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from convotui.storage.arrivals import Arrival

_KEPT_PROBLEMS = 1_000


class UnreadableError(Exception):
    """A source, or all that is left of one, cannot be read; the text says why."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation of another program, or one tree of messages."""

    key: str
    """What tells it from the others of its program, at every import alike."""
    messages: Iterable[Arrival]
    """Parents before replies. May be read only once."""
    directory: str | None = None
    """Where it was held, if the program knows."""
    directory_hash: str | None = None
    """The SHA-256 of that path, if the program knows no more."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that was skipped, and where it is."""

    file: str
    where: str
    """Such as `line 12`; empty for the whole file."""
    reason: str

    def __str__(self) -> str:
        place = f"{self.file}, {self.where}" if self.where else self.file
        return f"{place}: {self.reason}"


class Problems:
    """What was skipped: all of it counted, and the first of it kept."""

    def __init__(self, on_problem: Callable[[Problem], None] | None = None) -> None:
        self.count = 0
        self.first: list[Problem] = []
        self._on_problem = on_problem

    def add(self, problem: Problem) -> None:
        """Note something that was skipped."""
        self.count += 1
        if len(self.first) < _KEPT_PROBLEMS:
            self.first.append(problem)
        if self._on_problem is not None:
            self._on_problem(problem)
