"""A thread or a subtree as one Markdown document.

A heading of the second level at the top of the document that holds a code span and a
middle dot is a message's heading, and there are no others: no text can end the
document's structure, hide what follows it, or pass for a message.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from convotui.export.containment import code_span, plain
from convotui.export.markdown_blocks import Clean, message_markdown
from convotui.export.words import Local, marks, role_name, shown_time
from convotui.storage.records import (
    SUBAGENT_PREFIX,
    ChatMessage,
    MessageId,
    is_subagent,
)
from convotui.text import visible

_HALF_CHARACTER = re.compile("[\ud800-\udfff]")


def markdown(
    messages: Iterable[ChatMessage],
    title: str | None = None,
    *,
    local: Local,
    safe: bool = False,
) -> Iterator[str]:
    """Yield a Markdown document of `messages`, which list parents before children.

    `local` takes a stored time to the one that is shown. If `safe`, every character
    that could steer a terminal is a visible mark; if not, text is as it was stored but
    for half characters, which no file can hold.
    """
    clean = visible if safe else _storable
    if title is not None:
        yield f"# {plain(clean(title))}\n"
    previous: MessageId | None = None
    gap = "" if title is None else "\n"
    for message in messages:
        heading = _heading(message, previous, local, clean)
        parts = [heading, *_label(message, clean), *message_markdown(message, clean)]
        if len(parts) == 1:
            parts.append("*Empty*")
        yield gap + "\n\n".join(parts) + "\n"
        previous, gap = message.id, "\n"


def _heading(
    message: ChatMessage,
    previous: MessageId | None,
    local: Local,
    clean: Clean,
) -> str:
    parts = [f"{plain(clean(role_name(message.role)))} {code_span(clean(message.id))}"]
    parts.append(shown_time(message.created_at, local))
    if message.facts is not None and message.facts.model:
        parts.append(plain(clean(message.facts.model)))
    parts.extend(plain(clean(mark)) for mark in marks(message))
    if previous is not None and message.parent_id is None:
        parts.append("new conversation")
    elif previous is not None and message.parent_id != previous:
        parts.append(f"below {code_span(clean(message.parent_id or ''))}")
    return "## " + " · ".join(parts)


def _label(message: ChatMessage, clean: Clean) -> Iterator[str]:
    if is_subagent(message.title):
        name = (message.title or "").removeprefix(SUBAGENT_PREFIX)
        yield f"**Subagent:** {plain(clean(name))}"
    elif message.title:
        yield f"**Label:** {plain(clean(message.title))}"


def _storable(text: str) -> str:
    return _HALF_CHARACTER.sub("\ufffd", text)
