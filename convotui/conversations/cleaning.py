"""Old conversations out of the way, into the trash."""

from __future__ import annotations

from datetime import datetime

from convotui.conversations.summaries import ConversationSummary, summarise
from convotui.storage import UNKNOWN_TIME, Change, Store


def find_old(store: Store, before: datetime) -> list[ConversationSummary]:
    """Return the conversations in which nothing was said since `before`."""
    return [
        found
        for found in summarise(store)
        if UNKNOWN_TIME < found.last_activity < before
    ]


def clean(store: Store, old: list[ConversationSummary]) -> Change | None:
    """Move conversations to the trash, all in one change that can be undone."""
    return store.delete([found.id for found in old], recursive=True)
