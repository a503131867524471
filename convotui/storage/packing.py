"""A million ids in as little memory as their letters."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import accumulate
from operator import eq
from typing import TYPE_CHECKING, cast, overload

if TYPE_CHECKING:
    from convotui.storage.records import MessageId

_MANY = 100
"""From this many ids on, going through all is quicker than looking for each."""


class PackedIds(Sequence["MessageId"]):
    """Ids in their order, each of which is made anew whenever it is asked for."""

    def __init__(
        self, letters: str = "", starts: range | array[int] = range(1)
    ) -> None:
        self._letters = letters
        self._starts = starts
        """Where each id begins, and where the last one ends."""

    @classmethod
    def of(cls, ids: Collection[str]) -> PackedIds:
        """Pack some ids."""
        packer = Packer()
        packer.add(ids)
        return packer.packed()

    def __len__(self) -> int:
        return len(self._starts) - 1

    @overload
    def __getitem__(self, index: int) -> MessageId: ...

    @overload
    def __getitem__(self, index: slice) -> list[MessageId]: ...

    def __getitem__(self, index: int | slice) -> MessageId | list[MessageId]:
        if isinstance(index, slice):
            return self.at(range(*index.indices(len(self))))
        if index < 0:
            index += len(self)
            if index < 0:
                raise IndexError(index)
        begin, end = self._starts[index], self._starts[index + 1]
        return cast("MessageId", self._letters[begin:end])

    def __iter__(self) -> Iterator[MessageId]:
        places = map(slice, self._starts, self._starts[1:])
        return cast("Iterator[MessageId]", map(self._letters.__getitem__, places))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(map(eq, self, other))

    def __repr__(self) -> str:
        return f"PackedIds.of({list(self)!r})"

    def at(self, positions: Iterable[int]) -> list[MessageId]:
        """Return the ids at these positions, in this order; quicker than one by one."""
        letters, starts = self._letters, self._starts
        if isinstance(starts, range):
            begins = map(starts.step.__mul__, positions)
            found = [letters[begin : begin + starts.step] for begin in begins]
        else:
            found = [letters[starts[place] : starts[place + 1]] for place in positions]
        return cast("list[MessageId]", found)

    def positions_of(self, ids: Iterable[str]) -> dict[str, int]:
        """Return where these ids are; those that are not there are left out."""
        wanted = set(ids)
        if len(wanted) > _MANY:
            return {name: place for place, name in enumerate(self) if name in wanted}
        places = {name: self._find(name) for name in wanted}
        return {name: place for name, place in places.items() if place is not None}

    def _find(self, wanted: str) -> int | None:
        starts, begin = self._starts, self._letters.find(wanted)
        while begin >= 0:
            place = bisect_left(starts, begin)
            if list(starts[place : place + 2]) == [begin, begin + len(wanted)]:
                return place
            begin = self._letters.find(wanted, begin + 1)
        return None


class Packer:
    """Packs ids some at a time, so that other threads get their turn in between."""

    def __init__(self) -> None:
        self._letters: list[str] = []
        self._starts: range | array[int] = range(1)

    def add(self, ids: Collection[str]) -> None:
        """Pack some more ids."""
        self._letters.append("".join(ids))
        starts, lengths = self._starts, set(map(len, ids))
        if isinstance(starts, range):
            lengths.update(starts[1:2])
            if len(lengths) == 1 and all(lengths):
                # Where ids begin that are equally long, as nearly all are, takes no
                # memory to know.
                [length] = lengths
                count = len(starts) - 1 + len(ids)
                self._starts = range(0, count * length + 1, length)
                return
            self._starts = starts = array("q", starts)
        starts.extend(accumulate(map(len, ids), initial=starts.pop()))

    def packed(self) -> PackedIds:
        """Return all of them."""
        return PackedIds("".join(self._letters), self._starts)
