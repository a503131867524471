"""What was said incognito, kept after all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from convotui.storage import ROLES, ChatMessage, Draft, MessageId, Role, StorageError

if TYPE_CHECKING:
    from convotui.storage import Store


class KeepError(StorageError):
    """There is nothing to be kept."""


def keep_thread(messages: Sequence[ChatMessage], store: Store) -> list[MessageId]:
    """Save a thread as a conversation of its own, under new ids; all of it or nothing.

    What is still being written is kept as far as it has come.
    """
    return store.save(
        [
            Draft(
                _role(message.role),
                message.blocks,
                parent=number - 1 if number else None,
                title=message.title,
                tool_result_error=message.tool_result_error,
                facts=message.facts,
                created_at=message.created_at,
            )
            for number, message in enumerate(messages)
        ]
    )


def _role(role: str) -> Role:
    return next((known for known in ROLES if known == role), "user")
