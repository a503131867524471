"""One conversation of another program on its way into the store.

A message is known by its origin and by what it says. One that says more than it did
grows; one that says something else under a name that is taken comes in beside it under
another name, so nothing is lost and nothing doubled. All runs inside one transaction.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from hashlib import blake2b
from itertools import islice
from typing import NamedTuple

from peewee import SqliteDatabase

from convotui.storage import growing, known, reading, writing
from convotui.storage.arrivals import (
    Arrival,
    Intake,
    Origin,
    combined,
    details_of,
    fingerprint,
)
from convotui.storage.connections import run, run_many
from convotui.storage.known import Known
from convotui.storage.records import Block, Draft, MessageId, ReplyFacts, storable

_BATCH = 1_000
_BATCH_CHARACTERS = 4_000_000

_LONGEST_KEY = 200

_INSERT = """
INSERT OR REPLACE INTO convotui_origins (message_id, source, conversation, key, digest,
    details, meta, continues_conversation, continues_key)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_UPDATE = """
UPDATE convotui_origins SET digest = ?, details = ?, meta = ?,
    continues_conversation = ?, continues_key = ? WHERE message_id = ?
"""


_Place = MessageId | int | None
"""A parent, as a draft has it."""


class _Named(NamedTuple):
    """A message on its way in, with its name and what is equal for equal content."""

    arrival: Arrival
    origin: Origin
    content: str
    mark: str
    """Of the content and, where ids are kept, of all that leads to it."""

    @property
    def other_key(self) -> str:
        """Its key where another message has taken the one it came with."""
        return f"{self.origin.key}~{self.mark}"


class Taking:
    """One conversation on its way in; without `new_id` it is only compared."""

    def __init__(
        self,
        database: SqliteDatabase,
        source: str,
        conversation: str,
        clock: Callable[[], datetime],
        new_id: Callable[[], str] | None,
    ) -> None:
        self._database = database
        self._conversation = Origin(_short(source), _short(conversation), "")
        self._clock = clock
        self._new_id = new_id
        self._places: dict[str, _Place] = {}
        """Where replies to each message hang, as a draft says it: above the message
        if it is in the trash."""
        self._marks: dict[str, str] = {}

    def take(self, arrivals: Iterator[Arrival]) -> Intake:
        """Take in all that arrives."""
        total = Intake()
        while batch := next_batch(arrivals):
            named = list(filter(None, map(self._named, batch)))
            total += Intake(known=len(batch) - len(named)) + self._take_batch(named)
        return total

    def _named(self, arrival: Arrival) -> _Named | None:
        """Name a message; `None` if the same one has arrived before."""
        content = fingerprint(arrival.role, arrival.tool_result_error, arrival.blocks)
        mark = content
        came_from = arrival.origin.source if arrival.origin is not None else "cpe"
        if arrival.id is not None and came_from == "cpe":
            # Two files can have the same message below different ones.
            mark = combined(content, self._marks.get(arrival.parent or ""))
        key = arrival.key
        if self._marks.get(key, mark) != mark:
            key = f"{key}~{mark}"
            arrival = replace(arrival, key=key, id=None)
        if key in self._marks:
            return None
        self._marks[key] = mark
        origin = arrival.origin or self._conversation._replace(key=_short(key))
        return _Named(arrival, origin, content, mark)

    def _take_batch(self, batch: list[_Named]) -> Intake:
        names = [(one.origin, one.other_key) for one in batch]
        by_origin = known.by_origin(self._database, names)
        by_id = self._known_by_id(batch, by_origin)
        new: list[_Named] = []
        drafts: list[Draft] = []
        given: set[MessageId | None] = {None}
        grown = 0
        for position, one in enumerate(batch):
            above = self._place(one.arrival.parent)
            former = by_origin.get((position, one.origin.key))
            other = by_origin.get((position, one.other_key))
            own = by_id.get(one.arrival.id) if one.arrival.id else None
            same = self._recognised(one, above, (former, other), own)
            if same is not None:
                self._keep_up(one, same)
            elif former is not None and self._has_grown(one, former, above):
                same, grown = former, grown + 1
            if same is not None:
                self._places[one.arrival.key] = same.id if same.is_alive else above
                continue
            keeps_id = own is None and one.arrival.id not in given
            if former is not None or (one.arrival.id and not keeps_id):
                one = one._replace(origin=one.origin._replace(key=one.other_key))
            given.add(one.arrival.id)
            self._places[one.arrival.key] = len(drafts)
            new.append(one)
            drafts.append(_draft(one.arrival, above, keeps_id=keeps_id))
        self._save(new, drafts)
        return Intake(len(new), len(batch) - len(new) - grown, grown)

    def _recognised(
        self,
        one: _Named,
        above: _Place,
        from_there: Iterable[Known | None],
        own: Known | None,
    ) -> Known | None:
        """Return which of the messages that it could be a message is."""
        for known_one in from_there:
            if known_one is not None and known_one.digest == one.mark:
                return known_one
        if own is None or own.digest != one.content:
            return None
        parent = one.arrival.parent
        is_cut_off = parent is not None and parent not in self._places
        return own if is_cut_off or not own.is_alive or own.parent == above else None

    def _known_by_id(
        self, batch: list[_Named], by_origin: Mapping[tuple[int, str], Known]
    ) -> dict[MessageId, Known]:
        """Return what has the ids that messages would keep whose origin is new."""
        ids = []
        for position, one in enumerate(batch):
            former = by_origin.get((position, one.origin.key))
            is_known = former is not None and former.digest == one.mark
            if one.arrival.id is not None and not is_known:
                ids.append(one.arrival.id)
        if not ids:
            return {}
        alive = known.in_store(self._database, ids, self._clock)
        return {k.id: k for k in (*known.in_trash(self._database, ids), *alive)}

    def _place(self, parent: str | None) -> _Place:
        return None if parent is None else self._places.get(parent)

    def _save(self, new: list[_Named], drafts: list[Draft]) -> None:
        if self._new_id is None:
            ids = [MessageId("")] * len(drafts)
        else:
            ids = writing.save(
                self._database, drafts, new_id=self._new_id, now=self._clock()
            )
            rows = zip(ids, new, strict=True)
            run_many(
                self._database,
                _INSERT,
                ((id_, *one.origin, one.mark, *_details(one)) for id_, one in rows),
            )
        for message_id, one in zip(ids, new, strict=True):
            self._places[one.arrival.key] = message_id

    def _keep_up(self, one: _Named, same: Known) -> None:
        """Take over what has become known of a message since it came in."""
        if self._new_id is None or not same.is_alive:
            return
        arrival = one.arrival
        if same.details not in (None, details_of(arrival)):
            run(self._database, _UPDATE, (one.mark, *_details(one), same.id))
            if arrival.facts is not None:
                writing.set_facts(self._database, same.id, arrival.facts, self._clock())
        if arrival.id is not None and arrival.title and same.title is None:
            writing.set_title(self._database, same.id, storable(arrival.title))

    def _has_grown(self, one: _Named, former: Known, above: _Place) -> bool:
        """Whether all that was in a message still is; if so it gets what is new.

        Files that count their messages may use one key for different ones, but not at
        one time.
        """
        if not former.is_alive:
            return False
        [stored] = reading.get(self._database, [former.id], self._clock)
        if stored.created_at != one.arrival.created_at:
            return False
        if one.arrival.id is not None and stored.parent_id != above:
            return False
        blocks = list(one.arrival.blocks)
        if one.arrival.role != stored.role or not _begins(blocks, stored.blocks):
            return False
        if self._new_id is not None:
            facts = one.arrival.facts or stored.facts or ReplyFacts()
            growing.grow(self._database, former.id, blocks, facts, self._clock())
            run(self._database, _UPDATE, (one.mark, *_details(one), former.id))
        return True


def next_batch(arrivals: Iterator[Arrival]) -> list[Arrival]:
    """Take as many messages as are looked up, and saved, together; few large ones."""
    batch: list[Arrival] = []
    size = 0
    for arrival in islice(arrivals, _BATCH):
        batch.append(arrival)
        size += sum(len(block.content) for block in arrival.blocks)
        if size > _BATCH_CHARACTERS:
            break
    return batch


def _draft(arrival: Arrival, parent: _Place, *, keeps_id: bool) -> Draft:
    return Draft(
        role=arrival.role,
        blocks=arrival.blocks,
        parent=parent,
        title=arrival.title,
        tool_result_error=arrival.tool_result_error,
        facts=arrival.facts,
        created_at=arrival.created_at,
        id=arrival.id if keeps_id else None,
    )


def _details(one: _Named) -> tuple[str | None, ...]:
    """Return the columns of what is known of a message beside its content."""
    arrival = one.arrival
    meta = json.dumps(arrival.meta, default=str) if arrival.meta else None
    edge: tuple[str | None, str | None] = (None, None)
    if arrival.continues is not None:
        edge = (_short(arrival.continues.conversation), _short(arrival.continues.key))
    return (details_of(arrival), meta, *edge)


def _begins(blocks: Sequence[Block], beginning: Sequence[Block]) -> bool:
    """Whether blocks begin with others, of which the last one may be cut."""
    if not beginning or len(blocks) < len(beginning):
        return False
    *whole, last = beginning
    longer = blocks[len(whole)]
    return (
        list(blocks[: len(whole)]) == whole
        and longer.type == last.type
        and longer.is_text == last.is_text
        and longer.content.startswith(last.content)
    )


def _short(name: str) -> str:
    """Return a name as a key of the table: text that any SQLite can compare."""
    if len(name) <= _LONGEST_KEY and "\0" not in name:
        return storable(name)
    return blake2b(storable(name).encode(), digest_size=20).hexdigest()
