"""What a consumer needs of the store, as narrow as it can be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from convotui.storage.records import ChatMessage, Draft, MessageId

if TYPE_CHECKING:
    from convotui.storage.results import Change


class MessagesSaver(Protocol):
    """Saves messages."""

    def save(self, drafts: Sequence[Draft]) -> list[MessageId]:
        """Save messages, all or none, and return their ids in the same order."""


class MessagesGetter(Protocol):
    """Gives messages by id."""

    def get(self, message_ids: Sequence[MessageId]) -> list[ChatMessage]:
        """Return the messages with these ids, in this order."""


class MessagesLister(Protocol):
    """Gives messages by time."""

    def list_messages(
        self, *, ascending: bool = False, offset: int = 0, limit: int | None = None
    ) -> list[ChatMessage]:
        """Return messages by time, newest first unless `ascending`."""


class MessagesDeleter(Protocol):
    """Deletes messages."""

    def delete(
        self, message_ids: Sequence[MessageId], *, recursive: bool = False
    ) -> Change | None:
        """Move messages to the trash, all or none."""
