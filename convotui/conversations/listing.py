"""The rows of a listing: the tree, with what each row shows of its message."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from convotui.storage import MessageId, Preview
from convotui.tree import Filter, Forest, shown

if TYPE_CHECKING:
    from convotui.storage import Store

_BATCH = 2_000
"""How many previews are held at a time."""


class ListedMessage(NamedTuple):
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
        rows = slice(start, start + _BATCH)
        ids = outline.ids.at(forest.positions[rows])
        parent_ids = outline.ids.at(
            forest.positions[max(parent, 0)] for parent in forest.parents[rows]
        )
        previews = {preview.id: preview for preview in store.previews(ids)}
        for message_id, parent_id, lane, flags, depth, size in zip(
            ids,
            parent_ids,
            forest.lanes[rows],
            forest.flags[rows],
            depths[rows],
            forest.sizes[rows],
            strict=True,
        ):
            # Another program may have deleted it since the outline was read.
            if (preview := previews.get(message_id)) is None:
                continue
            above = parent_id if depth else None
            yield ListedMessage(preview, above, lane, flags, depth, size == 1)


def tree_ids(store: Store) -> list[MessageId]:
    """Return every id in the order of the tree."""
    outline = store.outline()
    return outline.ids.at(Forest(outline).positions)


def _depths(forest: Forest) -> array[int]:
    depths = array("i")
    for parent in forest.parents:
        depths.append(0 if parent < 0 else depths[parent] + 1)
    return depths
