"""The rows of a listing: the tree, with what each row shows of its message."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from convotui.storage import MessageId, Preview
from convotui.tree import Filter, Forest, shown

if TYPE_CHECKING:
    from convotui.storage import Store

_BATCH = 1_000
"""How many previews are held at a time."""

DrawnMessage = tuple[Preview, int, int]
"""What a row of the tree shows, without model and cost; its lane; its flags."""


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
    for rows in _batches(forest, limit):
        ids = outline.ids.at(forest.positions[rows])
        parent_ids = outline.ids.at(
            forest.positions[max(parent, 0)] for parent in forest.parents[rows]
        )
        for preview, parent_id, lane, flags, depth, size in zip(
            _beside(ids, store.previews(ids)),
            parent_ids,
            forest.lanes[rows],
            forest.flags[rows],
            depths[rows],
            forest.sizes[rows],
            strict=True,
        ):
            if preview is not None:
                above = parent_id if depth else None
                yield ListedMessage(preview, above, lane, flags, depth, size == 1)


def draw_tree(
    store: Store, by: Filter = Filter.ALL, limit: int | None = None
) -> Iterator[list[DrawnMessage]]:
    """Yield the rows of `list_tree` some at a time, with no more than drawing takes."""
    outline = store.outline()
    forest = Forest(outline, shown(outline, by))
    lines_of = store.line_reader()
    for rows in _batches(forest, limit):
        ids = outline.ids.at(forest.positions[rows])
        previews = _beside(ids, lines_of(ids))
        drawn = zip(previews, forest.lanes[rows], forest.flags[rows], strict=True)
        yield [
            (preview, lane, flags)
            for preview, lane, flags in drawn
            if preview is not None
        ]


def _batches(forest: Forest, limit: int | None) -> Iterator[slice]:
    first = 0 if limit is None else max(0, len(forest) - limit)
    for start in range(first, len(forest), _BATCH):
        yield slice(start, start + _BATCH)


def _beside(
    ids: Sequence[MessageId], previews: Sequence[Preview]
) -> Sequence[Preview | None]:
    """Return the preview of each id; another program may have deleted some by now."""
    if len(previews) == len(ids):
        return previews
    found = {preview.id: preview for preview in previews}
    return [found.get(message_id) for message_id in ids]


def tree_ids(store: Store) -> list[MessageId]:
    """Return every id in the order of the tree."""
    outline = store.outline()
    return outline.ids.at(Forest(outline).positions)


def _depths(forest: Forest) -> array[int]:
    depths = array("i")
    for parent in forest.parents:
        depths.append(0 if parent < 0 else depths[parent] + 1)
    return depths
