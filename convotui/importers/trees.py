"""Trees whose nodes are not messages as they are kept here.

Some programs keep what a tool gave inside of the reply that called it, and some keep
nodes between messages that are none. A `Tree` takes their nodes and gives messages.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from convotui.importers.shaping import parents_first, text_block
from convotui.importers.shelf import Shelf
from convotui.storage.arrivals import Arrival
from convotui.storage.records import Block, ReplyFacts

_NEAR = 100
"""How many nodes above a message, one after the other, are noted with it."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool gave, where it stands among the blocks of a message."""

    call: str | None
    blocks: Sequence[Block]
    is_error: bool = False


class Tree:
    """Nodes of another program on their way to messages, in any order.

    With a shelf, what the messages say is put on it.
    """

    def __init__(self, shelf: Shelf | None = None) -> None:
        self._shelf = shelf
        self._messages: list[list[Arrival]] = []
        self._ends: dict[str, str] = {}
        """The last message of each node."""
        self._passed: dict[str, str | None] = {}
        """The parent of each node that is no message."""
        self._ways: dict[str, str | None] = {}
        """The nearest node above each of them that is one."""
        self._notes: dict[str, dict[str, Any]] = {}

    def add(
        self, message: Arrival, content: Iterable[Block | Result] | None = None
    ) -> None:
        """Add a node with what it holds, if that is more than the blocks it has."""
        parts = [message] if content is None else spread(message, content)
        if self._shelf is not None:
            parts = list(map(self._shelf.put_away, parts))
        self._messages.append(parts)
        self._ends.setdefault(message.key, parts[-1].key)

    def pass_over(self, key: str, parent: str | None, **notes: Any) -> None:
        """Add a node that is no message; what hangs from it hangs from its parent.

        The notes become known of the messages right below it.
        """
        self._passed.setdefault(key, parent)
        self._notes.setdefault(key, notes)

    def arrivals(self, fallback: datetime) -> list[Arrival]:
        """Return the messages, each after its parent, as they are on the shelf."""
        return parents_first(self._placed(), fallback)

    def _placed(self) -> Iterator[Arrival]:
        for first, *rest in self._messages:
            noted, parent = self._noted(first.parent), self._end(first.parent)
            if noted:
                first = replace(first, meta={**noted, **first.meta})
            yield replace(first, parent=parent)
            yield from rest

    def _end(self, key: str | None) -> str | None:
        """Return the message that what hangs from a node hangs from."""
        way: dict[str, None] = {}
        while key in self._passed and key not in self._ends and key not in way:
            way[key] = None
            key = self._ways.get(key, self._passed[key])
        end = None if key is None or key in way else key
        self._ways.update(dict.fromkeys(way, end))
        return end if end is None else self._ends.get(end, end)

    def _noted(self, key: str | None) -> dict[str, Any]:
        noted: dict[str, Any] = {}
        for _ in range(_NEAR):
            if key is None or key in self._ends or key not in self._passed:
                break
            for name, note in self._notes[key].items():
                noted[name] = _joined(note, noted[name]) if name in noted else note
            key = self._passed[key]
        return noted


def _joined(before: Any, after: Any) -> Any:
    if isinstance(before, str) and isinstance(after, str):
        return f"{before}\n\n{after}"
    if isinstance(before, list) and isinstance(after, list):
        return before + after
    return after


def spread(message: Arrival, content: Iterable[Block | Result]) -> list[Arrival]:
    """Return a message as the messages that it is: each result is one of its own.

    Calls that follow one another were made together, and their results come after the
    last of them. The message itself comes first, with all that is known of it.
    """
    parts: list[Arrival] = []
    blocks: list[Block] = []
    results: list[Result] = []
    replies = 0

    def hang(part: Arrival) -> None:
        if parts:
            part = replace(part, parent=parts[-1].key)
        parts.append(part)

    def finish() -> None:
        nonlocal replies
        if blocks or (not results and not parts):
            said = list(blocks) or [text_block("")]
            hang(replace(_reply(message, replies), blocks=said))
            replies += 1
        for result in results:
            hang(_result(message, result, len(parts)))
        blocks.clear()
        results.clear()

    for item in content:
        if isinstance(item, Result):
            results.append(item)
            continue
        if results and item.type != "tool_call":
            finish()
        blocks.append(item)
    if blocks or results or not parts:
        finish()
    return parts


def _reply(message: Arrival, number: int) -> Arrival:
    if number == 0:
        return message
    facts = message.facts
    return Arrival(
        key=f"{message.key}#{number}",
        role=message.role,
        blocks=(),
        created_at=message.created_at,
        facts=None if facts is None else ReplyFacts(facts.model, state=facts.state),
    )


def _result(message: Arrival, result: Result, number: int) -> Arrival:
    return Arrival(
        key=f"{message.key}#{result.call or number}",
        role="tool_result",
        blocks=[replace(block, id=result.call) for block in result.blocks]
        or [text_block("", call=result.call)],
        parent=message.parent,
        created_at=message.created_at,
        title=None if number else message.title,
        tool_result_error=result.is_error,
        meta={} if number else message.meta,
    )
