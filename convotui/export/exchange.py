"""A thread as the programs of others take it: every call has a result, and none more.

What their formats have no place for is left out, and counted so that it can be told.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

from convotui.export.left_out import Loss
from convotui.export.plain_json import parsed
from convotui.export.words import kind
from convotui.storage.records import Block, ChatMessage

Side = Literal["system", "user", "assistant", "tool_result"]

NO_RESULT = "There is no result: the call was interrupted."
ORPHAN = "[The result of a tool]"
"""Stands before a result whose call is not in the thread."""
UNNAMED = "unknown"
"""The name of a tool that was called without one."""


def side_of(message: ChatMessage) -> Side:
    """Say whose words a message is; what was hidden from its user is the system's."""
    match message.role:
        case "assistant" | "tool_result":
            return message.role
        case "system":
            return "system"
    hidden = [block.type == "hidden" for block in message.blocks]
    return "system" if hidden and all(hidden) else "user"


def system_text(message: ChatMessage) -> str:
    """Return what the system says."""
    return "\n\n".join(block.content for block in message.blocks if block.is_text)


def tool_call(block: Block) -> tuple[str, Any]:
    """Return the name of the tool that a block calls, and what it is given."""
    try:
        call = parsed(block.content)
    except ValueError:
        call = None
    if not isinstance(call, dict) or not isinstance(call.get("name"), str):
        return UNNAMED, block.content
    return call["name"] or UNNAMED, call.get("parameters")


def call_of(message: ChatMessage) -> str:
    """Return the call that a result is of; empty if it names none."""
    return next((block.id for block in message.blocks if block.id), "")


def lost(block: Block, role: str) -> Loss:
    """Name what goes when a block is left out."""
    match kind(block, role):
        case "thinking" | "secret":
            return "thinking"
        case "data":
            return "file"
    return "hidden text" if block.type == "hidden" else "other block"


def paired(messages: Iterable[ChatMessage]) -> list[ChatMessage]:
    """Return a thread in which results follow their calls, one for each.

    Calls that were never answered get a result that says so, unless the thread ends
    with them. A result without a call becomes words of the user.
    """
    pairing = _Pairing()
    for message in messages:
        pairing.add(message)
    return pairing.done()


class _Call(NamedTuple):
    """A call without a result so far."""

    stored_id: str
    own_id: str


class _Pairing:
    def __init__(self) -> None:
        self._told: list[ChatMessage] = []
        self._caller: ChatMessage | None = None
        self._waiting: list[_Call] = []
        """The calls of the last assistant without a result so far."""
        self._orphans: list[ChatMessage] = []

    def add(self, message: ChatMessage) -> None:
        side = side_of(message)
        if side == "tool_result":
            self._add_result(message)
            return
        if side != "system":
            self._close()
        if side == "assistant":
            message, self._waiting = _with_own_ids(message)
            self._caller = message
        self._told.append(message)

    def done(self) -> list[ChatMessage]:
        if self._orphans or (self._told and self._told[-1] is not self._caller):
            self._close()
        return self._told

    def _add_result(self, message: ChatMessage) -> None:
        named = call_of(message)
        calls = (call for call in self._waiting if named in ("", call.stored_id))
        if (call := next(calls, None)) is None:
            self._orphans.append(_as_words(message))
            return
        self._waiting.remove(call)
        blocks = message.blocks or (Block(""),)
        answer = tuple(replace(block, id=call.own_id) for block in blocks)
        self._told.append(replace(message, blocks=answer))

    def _close(self) -> None:
        """Answer what still waits, before anybody says something else."""
        if self._caller is not None:
            for call in self._waiting:
                self._told.append(_no_result(self._caller, call.own_id))
        self._waiting = []
        self._told += self._orphans
        self._orphans = []


def _with_own_ids(message: ChatMessage) -> tuple[ChatMessage, list[_Call]]:
    """Return a message whose calls have an id each, and no two the same, with them."""
    blocks: list[Block] = []
    calls: list[_Call] = []
    taken: set[str] = set()
    for number, block in enumerate(message.blocks):
        if block.type == "tool_call":
            own_id = block.id or f"{message.id}-{number}"
            while own_id in taken:
                own_id += f"-{number}"
            taken.add(own_id)
            calls.append(_Call(block.id or "", own_id))
            block = replace(block, id=own_id)
        blocks.append(block)
    return replace(message, blocks=tuple(blocks)), calls


def _as_words(result: ChatMessage) -> ChatMessage:
    blocks: Sequence[Block] = [replace(block, id=None) for block in result.blocks]
    return replace(
        result,
        role="user",
        blocks=(Block(ORPHAN), *blocks),
        tool_result_error=False,
    )


def _no_result(caller: ChatMessage, call: str) -> ChatMessage:
    return replace(
        caller,
        role="tool_result",
        blocks=(Block(NO_RESULT, id=call),),
        title=None,
        tool_result_error=True,
        facts=None,
    )
