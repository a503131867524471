"""What a label may be, and which ones a user may change."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from convotui.storage import InvalidTextError, MessageId, is_subagent

if TYPE_CHECKING:
    from convotui.storage import Change, Store

MAX_LABEL_LENGTH = 200

_INVISIBLE = {"Cc", "Cf", "Cs", "Zl", "Zp"}
_JOINERS = "\u200c\u200d"
"""Without these some scripts and emoji fall apart."""


class ProtectedLabelError(InvalidTextError):
    """The label marks a subagent's trace, which a rename would lose."""


def label_message(
    store: Store, message_id: MessageId, label: str | None, *, force: bool = False
) -> Change | None:
    """Set a label, or remove it if it is empty; `None` if nothing changed.

    Raises:
        InvalidTextError: If it cannot be a label.
        ProtectedLabelError: If it would unmark or fake a subagent's trace.
    """
    text = clean_label(label) if label else None
    [message] = store.get([message_id])
    if not force:
        if is_subagent(message.title):
            raise ProtectedLabelError(
                f"{message_id} belongs to the trace {message.title!r}; "
                "--force replaces that label."
            )
        if is_subagent(text):
            raise ProtectedLabelError(
                "A label that begins with 'subagent:' marks a subagent's trace; "
                "--force sets it all the same."
            )
    return store.label(message_id, text)


def clean_label(text: str) -> str | None:
    """Return a label on one line without white space around it; `None` for nothing.

    Raises:
        InvalidTextError: If it holds characters that cannot be seen, or is too long.
    """
    for character in text.strip(" "):
        if unicodedata.category(character) in _INVISIBLE and character not in _JOINERS:
            raise InvalidTextError(
                f"A label cannot hold the invisible character U+{ord(character):04X}."
            )
    label = " ".join(text.split())
    if not label and text.strip(" "):
        raise InvalidTextError("A label needs something that can be seen.")
    if len(label) > MAX_LABEL_LENGTH:
        raise InvalidTextError(
            f"A label has at most {MAX_LABEL_LENGTH} characters; this has {len(label)}."
        )
    return label or None
