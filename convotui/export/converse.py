"""A thread as Amazon Bedrock's Converse takes it: messages, and the system apart.

User and assistant take turns, the user begins, no text is blank, the results of tools
come first in what the user says, and every call has an id of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import count
from typing import Any

from convotui.export.exchange import (
    call_of,
    lost,
    paired,
    side_of,
    system_text,
    tool_call,
)
from convotui.export.left_out import LeftOut
from convotui.export.plain_json import plain_json
from convotui.export.words import kind
from convotui.storage.records import Block, ChatMessage

NOTHING_SAID = "[nothing was said]"
"""Stands where Converse wants words and there are none."""

_LONGEST_NAME = 64
_NO_NAME = re.compile(r"[^a-zA-Z0-9_-]")
_NO_TITLE = re.compile(r"[^a-zA-Z0-9 ()\[\]-]+| {2,}")
_IMAGES = {
    "image/png": "png",
    "image/jpeg": "jpeg",
    "image/jpg": "jpeg",
    "image/gif": "gif",
    "image/webp": "webp",
}

Fields = dict[str, Any]


def converse(messages: Iterable[ChatMessage], left_out: LeftOut) -> Iterator[str]:
    """Yield an object with `messages`, one to a line, and `system` if there is one."""
    thread = paired(messages)
    system = [{"text": text} for text in map(system_text, _of_system(thread)) if text]
    yield '{"messages": ['
    separator = "\n"
    for turn in _Turns(left_out).of(thread):
        yield separator + plain_json(turn)
        separator = ",\n"
    yield f'\n], "system": {plain_json(system)}}}\n' if system else "\n]}\n"


def _of_system(thread: Iterable[ChatMessage]) -> Iterator[ChatMessage]:
    return (message for message in thread if side_of(message) == "system")


class _Turns:
    def __init__(self, left_out: LeftOut) -> None:
        self._left_out = left_out
        self._taken: set[str] = set()
        self._names: dict[str, str] = {}
        """The calls of the last assistant, under the ids that they have here."""

    def of(self, thread: Iterable[ChatMessage]) -> list[Fields]:
        turns: list[Fields] = []
        for message in thread:
            side = side_of(message)
            if side == "system":
                continue
            role = "assistant" if side == "assistant" else "user"
            content = list(self._content(message))
            if not content:
                continue
            if turns and turns[-1]["role"] == role:
                turns[-1]["content"] += content
            else:
                turns.append({"role": role, "content": content})
        if turns and turns[0]["role"] == "assistant":
            turns.insert(0, {"role": "user", "content": [{"text": NOTHING_SAID}]})
        return turns

    def _content(self, message: ChatMessage) -> Iterator[Fields]:
        if message.role == "tool_result":
            yield self._result(message)
            return
        is_reply = message.role == "assistant"
        if is_reply:
            self._names = {}
        for block in message.blocks:
            if is_reply and block.type == "tool_call":
                yield self._call(block)
            elif is_reply and (thought := _thought(block)) is not None:
                yield thought
            else:
                yield from self._said(block, message.role)

    def _said(self, block: Block, role: str) -> Iterator[Fields]:
        # Only what comes from the user's side may hold more than words.
        told = _told(block) if block.is_text or role != "assistant" else None
        if told is None:
            self._left_out[lost(block, role)] += 1
        elif told.get("text", NOTHING_SAID).strip():
            yield told

    def _result(self, message: ChatMessage) -> Fields:
        content = [
            part for block in message.blocks for part in self._said(block, message.role)
        ]
        result = {
            "toolUseId": self._names.get(call_of(message), call_of(message)),
            "content": content or [{"text": NOTHING_SAID}],
            "status": "error" if message.tool_result_error else "success",
        }
        return {"toolResult": result}

    def _call(self, block: Block) -> Fields:
        name, parameters = tool_call(block)
        if parameters is None:
            parameters = {}
        elif not isinstance(parameters, dict):
            parameters = {"value": parameters}
        own = self._own_id(block.id or "")
        self._names[block.id or ""] = own
        use = {"toolUseId": own, "name": _name(name), "input": parameters}
        return {"toolUse": use}

    def _own_id(self, call: str) -> str:
        name = _name(call)
        own, number = name, count(2)
        while own in self._taken:
            ending = f"_{next(number)}"
            own = name[: _LONGEST_NAME - len(ending)] + ending
        self._taken.add(own)
        return own


def _told(block: Block) -> Fields | None:
    """Return what is said in a block; `None` if there is no place for it."""
    if block.type != "content":
        return None
    if block.is_text:
        return {"text": block.content}
    source = {"bytes": block.content}
    if image := _IMAGES.get(block.mime_type):
        return {"image": {"format": image, "source": source}}
    if block.mime_type == "application/pdf":
        named = str(block.extra.get("filename", "")).removesuffix(".pdf")
        title = _NO_TITLE.sub(" ", named).strip() or "document"
        return {"document": {"format": "pdf", "name": title, "source": source}}
    return None


def _thought(block: Block) -> Fields | None:
    """Return a thought of the model; `None` if it is none that can be sent."""
    if block.type == "redacted_thinking":
        return {"reasoningContent": {"redactedContent": block.content}}
    if kind(block, "assistant") != "thinking" or not block.content.strip():
        return None
    text = {"text": block.content}
    signature = block.extra.get("anthropic_thinking_signature")
    if isinstance(signature, str) and signature:
        text["signature"] = signature
    return {"reasoningContent": {"reasoningText": text}}


def _name(text: str) -> str:
    return _NO_NAME.sub("_", text)[:_LONGEST_NAME] or "call"
