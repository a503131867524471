"""How the messages of a session of Claude Code hang together, without what they say."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from convotui.importers.anthropic_blocks import Turn
from convotui.importers.shaping import time_of
from convotui.storage.records import Role

Line = dict[str, Any]


@dataclass(slots=True)
class Message:
    """A message that may still get more."""

    key: str
    role: Role
    is_error: bool
    time: datetime | None
    call: str | None
    """What it is the result of, if it is one."""
    calls: tuple[str | None, ...]
    """The ids of its calls."""
    above: str | None
    """The id of the line that it hangs from."""
    parent: str | None = None
    """The key of the message that it hangs from, if that is not told by the line."""
    owner: Message | None = None
    """The reply above a result, if there is nothing but results between."""
    results: dict[str, str] | None = None
    """The keys of the results of its calls, by the call."""
    is_gathered: bool = False
    """Whether it is one of those results."""

    @property
    def end(self) -> str:
        """What follows it hangs from here: the last of its results, or itself."""
        return next(reversed(self.results.values())) if self.results else self.key


class Passed(NamedTuple):
    """A line that is no message."""

    above: str | None
    """What it hangs from, as far as it could be told when it came."""
    is_boundary: bool
    goes_on_from: str | None


def begun(key: str, turn: Turn, line: Line, above: str | None) -> Message:
    """Return the message that a line begins, with this turn of it."""
    is_result = turn.role == "tool_result"
    return Message(
        key=key,
        role=turn.role,
        is_error=turn.is_error,
        time=time_of(line.get("timestamp")),
        call=turn.blocks[0].id if is_result and turn.blocks else None,
        calls=calls_of(turn),
        above=above,
    )


def calls_of(turn: Turn) -> tuple[str | None, ...]:
    """Return the ids of the calls that are made in a turn."""
    return tuple(block.id for block in turn.blocks if block.type == "tool_call")
