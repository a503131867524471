"""convotui's own JSON, as `export --format json` writes it: ids are kept."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from convotui.importers.documents import Record
from convotui.importers.formats import Format
from convotui.importers.own_message import TOO_NEW, arrival_of, trees_of
from convotui.importers.records import Conversation, UnreadableError
from convotui.importers.shaping import count_of, dict_of, list_of, parents_first
from convotui.importers.sources import Source
from convotui.storage.arrivals import Arrival

_VERSION = 1
_SMALL = 64_000_000
"""Bytes of a document that is read as a whole."""
_BEGINNING = re.compile(
    r'\{\s*"format":\s*"convotui",\s*"version":\s*(\d{1,9}),\s*"messages":\s*\['
)


def _knows_head(head: str) -> bool:
    return _BEGINNING.match(head.lstrip()) is not None


def _knows_records(records: Sequence[Any]) -> bool:
    return any(dict_of(record).get("format") == "convotui" for record in records)


def _read(source: Source) -> Iterator[Conversation]:
    beginning = _BEGINNING.match(source.head_text.lstrip())
    if beginning is not None and source.size > _SMALL:
        _check_version(int(beginning[1]))
        yield from _streamed(_arrivals(source, source.elements(_BEGINNING)))
        return
    for record in source.records():
        document = dict_of(record.value)
        _check_version(count_of(document.get("version")) or 0)
        messages = enumerate(list_of(document.get("messages")), 1)
        values = (Record(value, f"message {number}") for number, value in messages)
        yield from _gathered(_arrivals(source, values))


def _check_version(version: int) -> None:
    if version > _VERSION:
        raise UnreadableError(TOO_NEW)


def _streamed(arrivals: Iterator[Arrival]) -> Iterator[Conversation]:
    """Yield one tree after the other, as they stand in what convotui itself wrote."""
    seen: set[str] = set()
    trees = 0

    def tree_of(arrival: Arrival) -> int:
        nonlocal trees
        if arrival.parent not in seen:
            seen.clear()
            trees += 1
        seen.add(arrival.key)
        return trees

    for _, tree in groupby(arrivals, tree_of):
        yield Conversation("", tree)


def _gathered(arrivals: Iterable[Arrival]) -> Iterator[Conversation]:
    """Yield the trees of messages that may be in any order."""
    parents: dict[str, str | None] = {}
    found: list[Arrival] = []
    for arrival in arrivals:
        parents.setdefault(arrival.key, arrival.parent)
        found.append(arrival)
    for tree in trees_of(parents_first(found, None)):
        yield Conversation("", [replace(a, parent=parents[a.key]) for a in tree])


def _arrivals(source: Source, records: Iterable[Record]) -> Iterator[Arrival]:
    for record in records:
        arrival = arrival_of(record.value, source.modified)
        if arrival is None:
            source.skip(record.where, "is no message with an id.")
        else:
            yield arrival


FORMAT = Format(
    name="convotui",
    program="convotui's own JSON",
    read=_read,
    knows_head=_knows_head,
    knows_records=_knows_records,
)
