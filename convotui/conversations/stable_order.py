"""An order of the tree that a message which is added to it does not change."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import TYPE_CHECKING

from convotui.storage import MessageId
from convotui.tree.ancestry import ancestry

if TYPE_CHECKING:
    from convotui.storage import Store


def stable_ids(store: Store, top: MessageId | None = None) -> Iterator[MessageId]:
    """Yield every id, or those from `top` down, each branch whole before the next one.

    Siblings, and conversations, are in the order of their ids, which says nothing but
    is the same in every store. Two who add to a tree seldom add at the same place.
    """
    outline = store.outline()
    ids, parents = outline.ids, ancestry(outline).parents
    # The last item, which no parent finds as an index, stands above all roots.
    first = array("i", [-1]) * (len(ids) + 1)
    following = array("i", [-1]) * len(ids)
    names = list(ids)
    for position in sorted(range(len(ids)), key=names.__getitem__, reverse=True):
        parent = max(parents[position], -1)
        following[position] = first[parent]
        first[parent] = position
    del names

    pending = [first[-1]]
    if top is not None:
        yield top
        pending = [first[place] for place in ids.positions_of([top]).values()]
    while pending:
        if (position := pending.pop()) >= 0:
            yield ids[position]
            pending += (following[position], first[position])
