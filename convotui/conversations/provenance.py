"""Where messages came from, in a few words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from convotui.storage import ChatMessage, MessageId

if TYPE_CHECKING:
    from convotui.storage import Store


def notes_of(store: Store, thread: Sequence[ChatMessage]) -> dict[MessageId, str]:
    """Return a word about each message of a thread that begins to come from elsewhere.

    Messages that go on from another one without hanging from it say so, too.
    """
    known = store.origins.of([message.id for message in thread])
    notes: dict[MessageId, str] = {}
    source = ""
    for message in thread:
        found = known.get(message.id)
        before, source = source, found.origin.source if found else ""
        parts = [f"from {source}"] if source not in ("", before) else []
        if found and found.continues:
            parts.append(f"continues {found.continues}")
        if parts:
            notes[message.id] = ", ".join(parts)
    return notes
