"""Which formats there are, and which of them a file is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

from convotui.importers.databases import Tables
from convotui.importers.records import Conversation, UnreadableError
from convotui.importers.sources import Source

_MODULES = (
    "cpe",
    "q",
    "pingu",
    "egirl",
    "orcx",
    "llm",
    "elia",
    "oterm",
    "own_document",
    "own_lines",
    "chatgpt",
    "claude_code",
    "claude_ai",
    "codex",
    "llama_cpp",
    "pi",
    "gemini",
    "open_webui",
    "librechat",
    "aichat",
    "sharegpt",
    "openai_messages",
)
"""The module of each format, in the order in which they are asked."""


@dataclass(frozen=True, slots=True)
class Format:
    """One program's files: how they are told from others, and read."""

    name: str
    """As `--from` takes it, and as it is kept with each message."""
    program: str
    """As its users call it."""
    read: Callable[[Source], Iterator[Conversation]]
    knows_tables: Callable[[Tables], bool] | None = None
    """Whether a database with these tables is one; asked of SQLite files."""
    knows_head: Callable[[str], bool] | None = None
    """Whether a file that begins so is one; asked first, of all but SQLite files."""
    knows_records: Callable[[Sequence[Any]], bool] | None = None
    """Whether a file with these first records is one; asked of JSON."""
    knows_text: Callable[[str], bool] | None = None
    """Whether a text is one; asked of what is neither."""
    places: Sequence[str] = ()
    """Where the program keeps its files: paths and patterns as in `places`."""


@cache
def formats() -> tuple[Format, ...]:
    """Return all formats."""
    modules = (import_module(f"convotui.importers.{name}") for name in _MODULES)
    return tuple(module.FORMAT for module in modules)


def format_of(source: Source, among: Sequence[Format] | None = None) -> Format | None:
    """Return the format of a file, told by what is in it; `None` if it is none.

    Raises:
        UnreadableError: If it cannot be read.
    """
    # The beginning is asked about first: the records of some files take long to read.
    asked = formats() if among is None else among
    return next((f for tell in _TELLERS for f in asked if tell(f, source)), None)


def _by_tables(format_: Format, source: Source) -> bool:
    knows = format_.knows_tables
    return source.is_database and knows is not None and knows(source.tables)


def _by_head(format_: Format, source: Source) -> bool:
    knows = format_.knows_head
    return not source.is_database and knows is not None and knows(source.head_text)


def _by_records(format_: Format, source: Source) -> bool:
    knows = format_.knows_records
    return source.is_json and knows is not None and knows(source.first_records)


def _by_text(format_: Format, source: Source) -> bool:
    knows = format_.knows_text
    is_other = not source.is_json and b"\0" not in source.head
    return is_other and knows is not None and knows(source.text)


_TELLERS = (_by_tables, _by_head, _by_records, _by_text)


def format_named(name: str) -> Format:
    """Return the format that `--from` names.

    Raises:
        UnreadableError: If there is none.
    """
    for format_ in formats():
        if format_.name == name:
            return format_
    known = ", ".join(format_.name for format_ in formats())
    raise UnreadableError(f"There is no format {name!r}; there are {known}.")
