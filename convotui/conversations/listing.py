"""The rows of a listing: the tree, with what each row shows of its message."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from convotui.storage import MessageId, Preview
from convotui.tree import Filter, Forest, shown

if TYPE_CHECKING:
    from convotui.storage import Store

_BATCH = 2_000
"""How many previews are held at a time."""


@dataclass(frozen=True, slots=True)
class ListedMessage:
    """One row of the tree and what it shows."""

    preview: Preview
    parent_id: MessageId | None
    """The message it hangs from in the listing, which leaves out what is filtered."""
    lane: int
    flags: int
    depth: int
    """How many generations are above it in the listing."""
    is_leaf: bool


def list_tree(
    store: Store, by: Filter = Filter.ALL, limit: int | None = None
) -> Iterator[ListedMessage]:
    """Yield the rows of the tree, the last `limit` of them, newest branch last."""
    outline = store.outline()
    forest = Forest(outline, shown(outline, by))
    depths = _depths(forest)
    first = 0 if limit is None else max(0, len(forest) - limit)
    for start in range(first, len(forest), _BATCH):
        rows = range(start, min(start + _BATCH, len(forest)))
        ids = [outline.ids[forest.positions[row]] for row in rows]
        previews = {preview.id: preview for preview in store.previews(ids)}
        for row, message_id in zip(rows, ids, strict=True):
            # Another program may have deleted it since the outline was read.
            if (preview := previews.get(message_id)) is None:
                continue
            parent = forest.parents[row]
            yield ListedMessage(
                preview=preview,
                parent_id=None if parent < 0 else outline.ids[forest.positions[parent]],
                lane=forest.lanes[row],
                flags=forest.flags[row],
                depth=depths[row],
                is_leaf=forest.sizes[row] == 1,
            )


def tree_ids(store: Store) -> list[MessageId]:
    """Return every id in the order of the tree."""
    outline = store.outline()
    return [outline.ids[position] for position in Forest(outline).positions]


def _depths(forest: Forest) -> list[int]:
    depths: list[int] = []
    for parent in forest.parents:
        depths.append(0 if parent < 0 else depths[parent] + 1)
    return depths
