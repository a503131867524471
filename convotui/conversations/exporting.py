"""What an export holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Literal

from convotui.conversations.listing import tree_ids
from convotui.conversations.times import to_local
from convotui.storage import ChatMessage

if TYPE_CHECKING:
    from convotui.storage import Store

ExportKind = Literal["md", "html", "json"]
EXPORT_KINDS: tuple[ExportKind, ...] = ("md", "html", "json")

_BATCH = 1_000


def every_message(store: Store) -> Iterator[ChatMessage]:
    """Yield all messages in the order of the tree, parents before replies."""
    ids = tree_ids(store)
    for start in range(0, len(ids), _BATCH):
        yield from store.get(ids[start : start + _BATCH])


def export_pieces(
    messages: Iterable[ChatMessage], kind: ExportKind, title: str
) -> Iterator[str]:
    """Return messages as a document, piece by piece, with times in local time."""
    # The first screen comes sooner without the writers, and HTML needs a parser too.
    if kind == "json":
        from convotui.export import document

        return document.dumps(messages)
    if kind == "html":
        from convotui.export.html import html

        return html(list(messages), title, local=to_local)
    from convotui.export.markdown import markdown

    return markdown(messages, title, local=to_local)
