"""What several formats share: threads named by what they say, and what is folded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from hashlib import blake2b

from convotui.importers.shaping import text_block
from convotui.storage.arrivals import Arrival, fingerprint
from convotui.storage.records import Block

HIDDEN = "hidden"
"""The type of text that a program keeps from its users: shown folded, never sent."""


def hidden(blocks: Iterable[Block]) -> list[Block]:
    """Return blocks with what they say folded."""
    return [
        replace(block, type=HIDDEN) if block.type == "content" else block
        for block in blocks
    ]


def spoken(blocks: Iterable[Block], call: str | None = None) -> list[Block]:
    """Return the blocks of a message, which has one at least; results name a call."""
    found = list(blocks) or [text_block("")]
    return [replace(block, id=call) for block in found] if call else found


class Path:
    """Names messages by what they say and by all that was said before.

    Two threads of one conversation that begin alike share what is alike, and what
    follows hangs below it as a branch.
    """

    def __init__(self) -> None:
        self.end: str | None = None
        """The key of the last message; set it to go on from another one."""

    def add(self, arrival: Arrival) -> Arrival:
        """Hang a message from the last."""
        is_error, blocks = arrival.tool_result_error, arrival.blocks
        mark = fingerprint(arrival.role, is_error, blocks)
        text = f"{self.end or ''}/{mark}"
        key = blake2b(text.encode(), digest_size=12).hexdigest()
        named = replace(arrival, key=key, parent=self.end)
        self.end = key
        return named

    def all(self, arrivals: Iterable[Arrival]) -> Iterator[Arrival]:
        """Hang each message from the one before."""
        return map(self.add, arrivals)


class Opening:
    """What names a conversation that has no id: how it begins.

    What is folded does not begin it: many begin with the same.
    """

    def __init__(self) -> None:
        self._path = Path()
        self._is_whole = False

    def add(self, arrival: Arrival) -> None:
        """Take in the next message."""
        if not self._is_whole:
            self._path.add(arrival)
            self._is_whole = any(block.type != HIDDEN for block in arrival.blocks)

    @property
    def key(self) -> str:
        """The name."""
        return self._path.end or ""


def opening(arrivals: Iterable[Arrival]) -> str:
    """Return the name of a conversation by all of its messages."""
    found = Opening()
    for arrival in arrivals:
        found.add(arrival)
    return found.key
