"""ShareGPT: conversations whose messages say who they are from, and a value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from convotui.importers.formats import Format
from convotui.importers.records import Conversation
from convotui.importers.shaping import (
    call_block,
    compact,
    dict_of,
    json_of,
    known,
    list_of,
    parents_first,
    text_block,
    text_of,
)
from convotui.importers.sources import Source
from convotui.importers.threads import Path, hidden, opening
from convotui.storage.arrivals import Arrival
from convotui.storage.records import Block, ReplyFacts, Role

_LISTS = ("conversations", "conversation")
_ROLES: dict[str | None, Role] = {
    "gpt": "assistant",
    "chatgpt": "assistant",
    "assistant": "assistant",
    "model": "assistant",
    "bing": "assistant",
    "bard": "assistant",
    "function_call": "assistant",
    "function-call": "assistant",
    "tool_call": "assistant",
    "observation": "tool_result",
    "tool": "tool_result",
    "function_response": "tool_result",
    "function-response": "tool_result",
}
_CALLS = ("function_call", "function-call", "tool_call")

Fields = dict[str, Any]


def _is_message(value: object) -> bool:
    return {"from", "value"} <= dict_of(value).keys()


def _messages(record: object) -> list[Any]:
    for name in _LISTS:
        messages = list_of(dict_of(record).get(name))
        if any(map(_is_message, messages)):
            return messages
    return []


def _knows(records: Sequence[Any]) -> bool:
    return any(map(_messages, records))


def _read(source: Source) -> Iterator[Conversation]:
    for record in source.records():
        if not (messages := _messages(record.value)):
            fields = dict_of(record.value)
            if not any(fields.get(name) == [] for name in _LISTS):
                source.skip(record.where, "is no conversation.")
            continue
        about: Fields = record.value
        found = list(_arrivals(messages, about))
        key = f"{text_of(about.get('id')) or ''} {opening(found)}"
        arrivals = parents_first(Path().all(found), source.modified)
        left = {k: v for k, v in about.items() if k not in _LISTS}
        meta = {**arrivals[0].meta, **known(conversation=left or None)}
        title = text_of(about.get("title"))
        arrivals[0] = replace(arrivals[0], title=title, meta=meta)
        yield Conversation(key, arrivals)


def _arrivals(messages: list[Any], about: Fields) -> Iterator[Arrival]:
    model = text_of(about.get("model"))
    if system := text_of(about.get("system")):
        yield Arrival("", "user", hidden([text_block(system)]))
    waiting: list[str] = []
    for number, message in enumerate(map(dict_of, messages)):
        sender, value = message.get("from"), message.get("value")
        text = value if isinstance(value, str) else compact(value)
        role = _ROLES.get(text_of(sender), "user")
        blocks = [text_block(text)]
        if sender in _CALLS:
            blocks = _calls(text, f"call-{number}")
            waiting = [block.id or "" for block in blocks if block.id]
        elif role == "tool_result":
            call = waiting.pop(0) if waiting else None
            blocks = [text_block(text, call=call)]
        elif sender == "system":
            blocks = hidden(blocks)
        more = {k: v for k, v in message.items() if k not in ("from", "value")}
        yield Arrival(
            "",
            role,
            blocks,
            facts=ReplyFacts(model) if role == "assistant" and model else None,
            meta={**more, "from": sender},
        )


def _calls(text: str, name: str) -> list[Block]:
    """Return the calls that a text of JSON makes; the text itself if it is none."""
    parsed = json_of(text)
    calls = parsed if isinstance(parsed, list) else [parsed]
    found = [
        call_block(f"{name}-{number}", call["name"], call.get("arguments"))
        for number, call in enumerate(map(dict_of, calls))
        if "name" in call
    ]
    return found if len(found) == len(calls) else [text_block(text)]


FORMAT = Format(name="sharegpt", program="ShareGPT", read=_read, knows_records=_knows)
