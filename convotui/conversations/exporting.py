"""What an export holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from convotui.conversations.files import ExportError
from convotui.conversations.listing import tree_ids
from convotui.conversations.stable_order import stable_ids
from convotui.conversations.times import to_local
from convotui.export.left_out import LeftOut
from convotui.storage import ChatMessage, MessageId

if TYPE_CHECKING:
    from convotui.export.message_values import Described
    from convotui.storage import Provenance, Store

ExportKind = Literal["md", "html", "json", "jsonl", "openai", "bedrock", "q"]

ENDINGS: dict[ExportKind, str] = {
    "md": ".md",
    "html": ".html",
    "json": ".json",
    "jsonl": ".jsonl",
    "openai": ".json",
    "bedrock": ".json",
    "q": ".json",
}
"""How the names of files of each kind end."""
EXPORT_KINDS = tuple(ENDINGS)
THREAD_KINDS: tuple[ExportKind, ...] = ("openai", "bedrock", "q")
"""Those that have no place for branches."""
TEXT_KINDS: tuple[ExportKind, ...] = ("md", "html")
"""Those that people read; a terminal would obey what is in them."""

FindOrigins = Callable[[Sequence[MessageId]], Mapping[MessageId, "Provenance"]]

_BATCH = 1_000


def kind_of(path: Path, chosen: ExportKind | None = None) -> ExportKind:
    """Return the kind that the name of a file says, or else what was chosen."""
    ending = path.suffix.lower()
    if ending == ".htm":
        return "html"
    if chosen is not None and ENDINGS[chosen] == ending:
        return chosen
    return next((k for k in EXPORT_KINDS if ENDINGS[k] == ending), chosen or "md")


@dataclass(frozen=True, slots=True)
class Export:
    """A thread, a subtree or everything on its way out."""

    store: Store
    kind: ExportKind
    title: str
    message_id: MessageId | None = None
    """Where a thread ends, or a subtree begins; everything if there is none."""
    whole_subtree: bool = False
    left_out: LeftOut = field(default_factory=LeftOut)
    """What the kind has no place for; known when all has been written."""

    def pieces(self) -> Iterator[str]:
        """Return what is to be written, piece by piece.

        Raises:
            ExportError: If what is wanted is no thread, and the kind holds only one.
            MessageNotFoundError: If there is no such message.
        """
        is_thread = self.message_id is not None and not self.whole_subtree
        if self.kind in THREAD_KINDS and not is_thread:
            raise ExportError(f"{self.kind} holds one thread and no branches.")
        return export_pieces(
            self._messages(),
            self.kind,
            self.title,
            origins=self.store.origins.of,
            left_out=self.left_out,
        )

    def _messages(self) -> Iterable[ChatMessage]:
        store, message_id = self.store, self.message_id
        if message_id is not None and not self.whole_subtree:
            return store.thread(message_id)
        if self.kind == "jsonl":
            if message_id is not None:
                store.get([message_id])
            return _batched(store, stable_ids(store, message_id))
        return every_message(store) if message_id is None else store.subtree(message_id)


def every_message(store: Store) -> Iterator[ChatMessage]:
    """Yield all messages in the order of the tree, parents before replies."""
    return _batched(store, iter(tree_ids(store)))


def _batched(store: Store, ids: Iterator[MessageId]) -> Iterator[ChatMessage]:
    while batch := list(islice(ids, _BATCH)):
        yield from store.get(batch)


def export_pieces(
    messages: Iterable[ChatMessage],
    kind: ExportKind,
    title: str,
    *,
    origins: FindOrigins | None = None,
    left_out: LeftOut | None = None,
) -> Iterator[str]:
    """Return messages as a document, piece by piece, with times in local time.

    Where messages came from is told by `origins`. What there is no place for is
    counted in `left_out` as it is passed over.
    """
    lost = LeftOut() if left_out is None else left_out
    # The first screen comes sooner without the writers, and HTML needs a parser too.
    match kind:
        case "json":
            from convotui.export.document import dumps_described

            return dumps_described(_described(messages, origins))
        case "jsonl":
            from convotui.export.lines import lines

            return lines(_described(messages, origins))
        case "openai":
            from convotui.export.openai_messages import openai_messages

            return openai_messages(messages, lost)
        case "bedrock":
            from convotui.export.converse import converse

            return converse(messages, lost)
        case "q":
            from convotui.export.q_state import q_state

            thread = list(messages)
            return q_state(thread, _conversation_id(thread, origins), lost)
        case "html":
            from convotui.export.html import html

            return html(list(messages), title, local=to_local)
        case "md":
            from convotui.export.markdown import markdown

            return markdown(messages, title, local=to_local)


def _conversation_id(thread: Sequence[ChatMessage], origins: FindOrigins | None) -> str:
    """Return what Q calls a conversation: what it called it, if it came from there."""
    from uuid import NAMESPACE_URL, uuid5

    first = [message.id for message in thread[:1]]
    for known in (origins(first) if origins is not None else {}).values():
        if known.origin.source == "q" and known.origin.conversation:
            return known.origin.conversation
    return str(uuid5(NAMESPACE_URL, f"convotui:{''.join(first)}"))


def _described(
    messages: Iterable[ChatMessage], origins: FindOrigins | None
) -> Iterator[Described]:
    """Yield messages with where they came from, which is found some at a time."""
    from convotui.conversations.origins_told import came_from

    coming = iter(messages)
    while batch := list(islice(coming, _BATCH)):
        known = came_from([m.id for m in batch], origins) if origins else {}
        for message in batch:
            yield message, known.get(message.id)
