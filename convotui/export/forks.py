"""The order in which a page shows a tree: chains flat, and a branch only at a fork."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from convotui.storage.records import ChatMessage, MessageId

NOWHERE = -1
"""The position of the parent that a first message does not have."""


@dataclass(frozen=True, slots=True)
class Branch:
    """One of several ways on from a message begins."""

    first: int
    """The position of its first message."""
    parent: int
    """The position of the message it goes on from, or `NOWHERE`."""
    number: int
    """Counted from one."""
    of: int
    size: int
    """How many messages are in it, with those of its own branches."""
    nested: bool
    """Whether a `BranchEnd` will follow; too deep down there is none."""


@dataclass(frozen=True, slots=True)
class BranchEnd:
    """The innermost nested branch ends."""


Step = int | Branch | BranchEnd
"""A message's position, or where a branch begins or ends."""


def parent_positions(messages: Sequence[ChatMessage]) -> list[int]:
    """Where each message's parent stands before it, or `NOWHERE`."""
    positions: dict[MessageId | None, int] = {}
    parents = []
    for position, message in enumerate(messages):
        parents.append(positions.get(message.parent_id, NOWHERE))
        positions[message.id] = position
    return parents


def walk(parents: Sequence[int], max_depth: int) -> Iterator[Step]:
    """Yield every message once, each branch whole before the next one.

    Branches nest only at forks and never deeper than `max_depth`, so that a chain of
    any length is flat.
    """
    children: dict[int, list[int]] = defaultdict(list)
    sizes = [1] * len(parents)
    for position in range(len(parents) - 1, -1, -1):
        parent = parents[position]
        children[parent].append(position)
        if parent != NOWHERE:
            sizes[parent] += sizes[position]

    depth = 0
    # Children were collected from the last to the first, so the first is on top.
    pending = _steps(NOWHERE, children[NOWHERE], sizes)
    while pending:
        step = pending.pop()
        if isinstance(step, int):
            yield step
            pending.extend(_steps(step, children.get(step, []), sizes))
        elif isinstance(step, Branch) and depth >= max_depth:
            yield replace(step, nested=False)
            pending.pop(-2)
        else:
            depth += 1 if isinstance(step, Branch) else -1
            yield step


def _steps(parent: int, last_first: list[int], sizes: Sequence[int]) -> list[Step]:
    count = len(last_first)
    if count <= 1:
        return list(last_first)
    steps: list[Step] = []
    for index, child in enumerate(last_first):
        branch = Branch(child, parent, count - index, count, sizes[child], nested=True)
        steps += [BranchEnd(), child, branch]
    return steps
