"""Conversations by name: a session is whatever hangs below a label."""

from __future__ import annotations

from collections import defaultdict

from convotui.storage import MessageId, Outline, is_subagent


def newest_of_session(outline: Outline, label: str) -> MessageId | None:
    """Return the newest message at or below any with this label, if there is one.

    The traces of subagents are left out.
    """
    replies: defaultdict[int, list[int]] = defaultdict(list)
    for position, parent in enumerate(outline.parents):
        replies[parent].append(position)
    found = {position for position, title in outline.titles.items() if title == label}
    waiting = list(found)
    while waiting:
        for position in replies[waiting.pop()]:
            if position not in found and not is_subagent(outline.titles.get(position)):
                found.add(position)
                waiting.append(position)
    return outline.ids[max(found)] if found else None
