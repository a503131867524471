"""Bringing conversations of other programs in: what is new is saved, and nothing twice.

Each conversation is one transaction, so that an import can be stopped at any time and
run again. What cannot be read is told and left out; the rest comes in.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

from convotui.importers import (
    Conversation,
    Format,
    Problem,
    Problems,
    Source,
    UnreadableError,
    find_sources,
    format_of,
)
from convotui.importers.places import find_places
from convotui.storage import Arrival, Intake, InvalidTextError, Store

_MALFORMED = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What reading a file can raise that is nothing like what its format expects."""

_T = TypeVar("_T")

_TOO_DEEP = "holds lists within lists too deep to be kept."

_STEP = 500
"""How many messages pass between two reports of progress."""


@dataclass(slots=True)
class FileReport:
    """What one file held, and what of it was new."""

    name: str
    format: str
    conversations: int = 0
    elsewhere: int = 0
    """Conversations left out, as they were held in no directory, or another."""
    new_conversations: int = 0
    """Those that hold anything new."""
    messages: int = 0
    branches: int = 0
    """Ends of threads beyond the first of each conversation."""
    first: datetime | None = None
    last: datetime | None = None
    intake: Intake = field(default_factory=Intake)


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did, or would do."""

    files: tuple[FileReport, ...]
    problems: tuple[Problem, ...]
    """The first of what was skipped."""
    skipped: int
    """How much was skipped in all."""

    @property
    def intake(self) -> Intake:
        """What became of the messages of all files."""
        return sum((file.intake for file in self.files), Intake())


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an import has come."""

    file: str
    share: float
    """Of the file, from 0 to 1, as far as that is known."""
    conversations: int
    messages: int


class ImportCancelledError(Exception):
    """The import was stopped; whole conversations that had come in stay."""


def found_in(project: Path) -> list[Path]:
    """Return where other programs may have kept conversations of a project."""
    return [path for _, path in find_places(project)]


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """What to import, and how."""

    format: Format | None = None
    """The only one that is read; each file's own, told by content, if not given."""
    is_dry_run: bool = False
    directory: Path | None = None
    """Only what was held in this directory, or below it."""


class Importer:
    """One import, which another thread may cancel."""

    def __init__(
        self,
        store: Store,
        options: ImportOptions | None = None,
        *,
        on_progress: Callable[[Progress], None] | None = None,
        on_problem: Callable[[Problem], None] | None = None,
    ) -> None:
        self._store = store
        self._options = options or ImportOptions()
        self._on_progress = on_progress
        self._problems = Problems(on_problem)
        self._cancelled = threading.Event()
        self._files: list[FileReport] = []

    def cancel(self) -> None:
        """Stop soon; may be called from any thread."""
        self._cancelled.set()

    def run(self, paths: Iterable[Path]) -> ImportReport:
        """Import what is at these paths: files, directories, archives.

        Raises:
            StorageError: If the store cannot be written.
            ImportCancelledError: If it was cancelled.
        """
        for path in paths:
            self._import_path(path)
        return ImportReport(
            tuple(self._files), tuple(self._problems.first), self._problems.count
        )

    def _import_path(self, path: Path) -> None:
        before = len(self._files), self._problems.count
        for source in find_sources(path, self._problems, leave=self._store.path):
            try:
                format_ = self._format_of(source, is_named=source.path == path)
                if format_ is not None:
                    self._import_source(source, format_)
            except UnreadableError as error:
                source.skip("", str(error))
        if (len(self._files), self._problems.count) == before:
            self._problems.add(
                Problem(str(path), "", "holds no conversations that convotui knows.")
            )

    def _format_of(self, source: Source, *, is_named: bool) -> Format | None:
        wanted = self._options.format
        if wanted is None:
            return format_of(source)
        # Beside what is wanted, a directory holds much else.
        return wanted if is_named else format_of(source, [wanted])

    def _import_source(self, source: Source, format_: Format) -> None:
        report = FileReport(source.name, format_.name)
        self._files.append(report)
        try:
            for conversation in _understood(format_.read(source)):
                if _is_in(conversation, self._options.directory):
                    self._import_conversation(source, report, conversation)
                else:
                    report.elsewhere += 1
        except UnreadableError:
            if not report.conversations:
                self._files.remove(report)
            raise
        source.at(1)
        self._tell(source, report, _Passing(()))

    def _import_conversation(
        self, source: Source, report: FileReport, conversation: Conversation
    ) -> None:
        origins = self._store.origins
        take = origins.compare if self._options.is_dry_run else origins.take_in
        passing = _Passing(_understood(iter(conversation.messages)))
        self._tell(source, report, passing)
        try:
            coming = self._watched(passing, source, report)
            intake = take(report.format, conversation.key, coming)
        except (UnreadableError, InvalidTextError) as error:
            source.skip(f"conversation {conversation.key}".strip(), str(error))
        except RecursionError:
            source.skip(f"conversation {conversation.key}".strip(), _TOO_DEEP)
        else:
            passing.add_to(report, intake)

    def _watched(
        self, passing: _Passing, source: Source, report: FileReport
    ) -> Iterator[Arrival]:
        """Pass on what arrives, and tell now and then how far it is."""
        for arrival in passing:
            if passing.messages % _STEP == 0 or self._cancelled.is_set():
                self._tell(source, report, passing)
            yield arrival

    def _tell(self, source: Source, report: FileReport, passing: _Passing) -> None:
        if self._cancelled.is_set():
            raise ImportCancelledError
        if self._on_progress is not None:
            messages = report.messages + passing.messages
            self._on_progress(
                Progress(source.name, source.progress, report.conversations, messages)
            )


class _Passing:
    """A conversation that is counted while it passes."""

    def __init__(self, arrivals: Iterable[Arrival]) -> None:
        self.messages = 0
        self._arrivals = arrivals
        self._parents: set[str] = set()
        self._first: datetime | None = None
        self._last: datetime | None = None

    def __iter__(self) -> Iterator[Arrival]:
        for arrival in self._arrivals:
            self.messages += 1
            if arrival.parent is not None:
                self._parents.add(arrival.parent)
            if (time := arrival.created_at) is not None:
                self._first = min(self._first or time, time)
                self._last = max(self._last or time, time)
            yield arrival

    def add_to(self, report: FileReport, intake: Intake) -> None:
        """Add the whole conversation to what is told of its file."""
        if self.messages == 0:
            return
        report.conversations += 1
        report.new_conversations += bool(intake.new or intake.grown)
        report.messages += self.messages
        report.branches += max(0, self.messages - len(self._parents) - 1)
        report.intake += intake
        if self._first is not None and self._last is not None:
            report.first = min(report.first or self._first, self._first)
            report.last = max(report.last or self._last, self._last)


def _understood(found: Iterator[_T]) -> Iterator[_T]:
    """Yield what is found until it is so malformed that its format fails."""
    while True:
        try:
            one = next(found, None)
        except _MALFORMED as error:
            kind = type(error).__name__
            raise UnreadableError(f"is malformed from here on ({kind}).") from error
        if one is None:
            return
        yield one


def _is_in(conversation: Conversation, directory: Path | None) -> bool:
    if directory is None:
        return True
    if conversation.directory is None:
        known = sha256(os.fsencode(directory)).hexdigest()
        return conversation.directory_hash == known
    if "\0" in conversation.directory:
        return False
    return Path(conversation.directory).is_relative_to(directory)
