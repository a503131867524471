"""What every message hangs from once nothing runs in a circle, and what is below it."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import NamedTuple

from convotui.storage.records import MISSING_PARENT, NO_PARENT, Outline


class Ancestry(NamedTuple):
    """The parents of an outline's messages, and an order that runs down from them."""

    parents: array[int]
    """By position, as in the outline; where a cycle is cut, `MISSING_PARENT`."""
    order: Sequence[int]
    """Every position once, parents before their replies."""
    has_missing: bool = True
    """Whether a parent may be `MISSING_PARENT`."""


def ancestry(outline: Outline) -> Ancestry:
    """Read an outline, cutting each of its cycles above the earliest message."""
    parents, is_missing = outline.parents, False
    # A loop and not `all(map(...))`, so that other threads get their turn.
    for position, parent in enumerate(parents):
        if not NO_PARENT <= parent < position:
            if parent >= position:
                return _sort_out(parents[:])
            is_missing = True
    return Ancestry(parents, range(len(parents)), is_missing)


def link(above: Ancestry, shown: bytearray | None) -> array[int]:
    """By position, the nearest ancestor on show, or `NO_PARENT`."""
    parents = above.parents
    if shown is None and not above.has_missing:
        return parents
    links = parents[:]
    if shown is None:
        for position, parent in enumerate(parents):
            if parent < NO_PARENT:
                links[position] = NO_PARENT
        return links
    for position in above.order:
        parent = parents[position]
        if parent >= 0 and not shown[parent]:
            parent = links[parent]
        links[position] = parent if parent >= 0 else NO_PARENT
    return links


def measure(links: array[int], order: Sequence[int]) -> tuple[array[int], array[int]]:
    """By position, the newest message of the subtree and how many are in it.

    The last item, which `NO_PARENT` finds as an index, stands above all roots: newer
    than everything, and as many as there are. Positions that are not in `order` have a
    newest message of -1.
    """
    newest = array("i", [-1]) * (len(links) + 1)
    newest[-1] = len(links)
    sizes = array("i", [1]) * (len(links) + 1)
    sizes[-1] = 0
    for position in reversed(order):
        latest = newest[position]
        if latest < position:
            latest = newest[position] = position
        parent = links[position]
        sizes[parent] += sizes[position]
        if newest[parent] < latest:
            newest[parent] = latest
    return newest, sizes


_NEW, _ON_TRAIL, _PLACED = range(3)


def _sort_out(parents: array[int]) -> Ancestry:
    order = array("i")
    states = bytearray(len(parents))
    for position in range(len(parents)):
        trail, end = _climb(position, parents, states)
        if end >= 0 and states[end] == _ON_TRAIL:
            parents[min(trail[trail.index(end) :])] = MISSING_PARENT
            for member in trail:
                states[member] = _NEW
            trail, end = _climb(position, parents, states)
        for member in trail:
            states[member] = _PLACED
        order.extend(reversed(trail))
    return Ancestry(parents, order)


def _climb(
    position: int, parents: array[int], states: bytearray
) -> tuple[list[int], int]:
    """Walk up to what is no longer new, or past a root."""
    trail: list[int] = []
    while position >= 0 and states[position] == _NEW:
        states[position] = _ON_TRAIL
        trail.append(position)
        position = parents[position]
    return trail, position
