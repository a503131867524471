"""What has been read of a conversation and is not needed yet: on disk, not in memory.

A session of any length is one conversation. What its messages hang from has to be in
memory until all of it is known, but not what they say.
"""

from __future__ import annotations

import marshal
from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import astuple, replace
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, BinaryIO

from convotui.storage.arrivals import Arrival
from convotui.storage.records import Block, ReplyFacts

_NOTHING: Mapping[str, Any] = {}


class Spool:
    """A file of values, each of whatever JSON is made of."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._file: BinaryIO | None = None
        self._end = 0

    def close(self) -> None:
        """Let go of the file; nothing can be had from it any more."""
        if self._file is not None:
            self._file.close()

    def write(self, value: Any) -> int:
        """Write a value, and return where it is."""
        if self._file is None:
            # It has no name, so that nothing is left when the program is killed.
            self._file = TemporaryFile(dir=self._directory)  # noqa: SIM115
        data = marshal.dumps(value)
        place = self._end
        self._file.seek(place)
        self._file.write(len(data).to_bytes(8, "big"))
        self._file.write(data)
        self._end += 8 + len(data)
        return place

    def read(self, place: int) -> Any:
        """Return the value that was written to a place."""
        assert self._file is not None
        self._file.seek(place)
        length = int.from_bytes(self._file.read(8), "big")
        return marshal.loads(self._file.read(length))


class Shelf:
    """Values in a spool, by their key."""

    def __init__(self, spool: Spool) -> None:
        self._spool = spool
        self._places: dict[str, int | array[int]] = {}
        """Where the pieces of each value are."""

    def __contains__(self, key: str) -> bool:
        return key in self._places

    def put(self, key: str, value: Any) -> None:
        """Keep a value, instead of what was kept under its key."""
        self._places[key] = self._spool.write(value)

    def add(self, key: str, piece: Any) -> None:
        """Keep one more piece under a key."""
        place, before = self._spool.write(piece), self._places.get(key)
        if before is None:
            self._places[key] = place
        elif isinstance(before, int):
            self._places[key] = array("q", (before, place))
        else:
            before.append(place)

    def pieces(self, key: str) -> list[Any]:
        """Return what is kept under a key, in the order in which it came."""
        places = self._places.get(key, ())
        found = (places,) if isinstance(places, int) else places
        return [self._spool.read(place) for place in found]

    def put_away(self, arrival: Arrival) -> Arrival:
        """Keep what a message says and is known by; return it without.

        Of two with one key, what the first says is kept.
        """
        if arrival.key not in self:
            facts = None if arrival.facts is None else astuple(arrival.facts)
            value = (flat(arrival.blocks), facts, dict(arrival.meta))
            self.put(arrival.key, value)
        return replace(arrival, blocks=(), facts=None, meta=_NOTHING)

    def brought_back(self, arrivals: Iterable[Arrival]) -> Iterator[Arrival]:
        """Yield messages that had been put away, each whole again."""
        for arrival in arrivals:
            [(blocks, facts, meta)] = self.pieces(arrival.key)
            yield replace(
                arrival,
                blocks=blocks_of(blocks),
                facts=None if facts is None else ReplyFacts(*facts),
                meta={**arrival.meta, **meta},
            )


def flat(blocks: Iterable[Block]) -> list[tuple[Any, ...]]:
    """Return blocks as a shelf can keep them."""
    return [
        (b.content, b.type, int(b.modality), b.mime_type, b.id, b.extra_fields)
        for b in blocks
    ]


def blocks_of(kept: Iterable[tuple[Any, ...]]) -> list[Block]:
    """Return the blocks that `flat` made flat."""
    return [Block(*fields) for fields in kept]
