"""claude.ai: the export, and single chats as its API gives them.

Messages name the one before, in older exports only by their order. A reply that called
tools holds the results, too; it becomes as many messages as there are turns in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from convotui.importers.anthropic_blocks import Turn, turns
from convotui.importers.formats import Format
from convotui.importers.records import Conversation
from convotui.importers.shaping import (
    chain,
    dict_of,
    list_of,
    parents_first,
    text_block,
    text_of,
    time_of,
)
from convotui.importers.sources import Source
from convotui.importers.threads import spoken
from convotui.storage.arrivals import Arrival
from convotui.storage.records import Block, ReplyFacts, Role

_PLACED = (
    "uuid",
    "text",
    "content",
    "sender",
    "created_at",
    "parent_message_uuid",
    "attachments",
    "files",
    "files_v2",
)
"""What of a message has a place of its own."""

Fields = dict[str, Any]


def _knows(records: Sequence[Any]) -> bool:
    return any("chat_messages" in dict_of(record) for record in records)


def _read(source: Source) -> Iterator[Conversation]:
    for record in source.records():
        chat = dict_of(record.value)
        messages = chat.get("chat_messages")
        if not isinstance(messages, list):
            source.skip(record.where, "holds no messages of claude.ai.")
            continue
        fallback = time_of(chat.get("created_at")) or source.modified
        is_tree = any("parent_message_uuid" in dict_of(m) for m in messages)
        arrivals = _arrivals(messages, text_of(chat.get("model")))
        ordered = (parents_first if is_tree else chain)(arrivals, fallback)
        yield Conversation(_key(chat), _headed(ordered, chat))


def _key(chat: Fields) -> str:
    own = text_of(chat.get("uuid"))
    return own or f"{chat.get('created_at')} {chat.get('name')}"


def _headed(arrivals: Iterable[Arrival], chat: Fields) -> Iterator[Arrival]:
    """Yield messages, of which those that begin the chat have what is known of it."""
    placed = ("chat_messages", "name", "uuid")
    about = {k: v for k, v in chat.items() if k not in placed and v}
    for arrival in arrivals:
        if arrival.parent is None:
            meta = {**arrival.meta, "conversation": about}
            title = text_of(chat.get("name"))
            yield replace(arrival, title=title, meta=meta)
        else:
            yield arrival


def _arrivals(messages: list[Any], model: str | None) -> Iterator[Arrival]:
    found = {
        text_of(message.get("uuid")) or f"message {number}": message
        for number, message in enumerate(map(dict_of, messages))
    }
    divided = {key: _divided(message, key) for key, message in found.items()}
    ends = {key: _named(key, len(parts) - 1) for key, parts in divided.items()}
    for key, parts in divided.items():
        message = found[key]
        parent = ends.get(text_of(message.get("parent_message_uuid")) or "")
        for number, turn in enumerate(parts):
            arrival = _arrival(message, turn, model, is_last=number == len(parts) - 1)
            if number == 0:
                time = time_of(message.get("created_at")) or arrival.created_at
                arrival = replace(arrival, created_at=time)
            yield replace(arrival, key=_named(key, number), parent=parent)
            parent = _named(key, number)


def _arrival(
    message: Fields, turn: Turn, model: str | None, *, is_last: bool
) -> Arrival:
    stop = text_of(message.get("stop_reason")) if is_last else None
    started = time_of(turn.started)
    return Arrival(
        key="",
        role=turn.role,
        blocks=spoken(turn.blocks),
        created_at=started or time_of(message.get("created_at")),
        tool_result_error=turn.is_error,
        facts=(
            ReplyFacts(model, finish_reason=stop) if turn.role == "assistant" else None
        ),
        meta={k: v for k, v in message.items() if k not in _PLACED and v},
    )


def _named(key: str, number: int) -> str:
    return f"{key}#{number}" if number else key


def _divided(message: Fields, key: str) -> list[Turn]:
    """Return the turns of a message, of which there is one at least."""
    role: Role = "assistant" if message.get("sender") == "assistant" else "user"
    content = message.get("content")
    text = message.get("text")
    if not content or not isinstance(content, list):
        content = [text] if isinstance(text, str) and text else []
    found = turns(content, role, key)
    files = list(_files(message))
    if files and (not found or found[-1].role != role):
        found.append(Turn(role, []))
    if files:
        found[-1].blocks += files
    return found or [Turn(role, [])]


def _files(message: Fields) -> Iterator[Block]:
    """Return what was read from the files that came along, or else their names."""
    for file in map(dict_of, list_of(message.get("attachments"))):
        name = text_of(file.get("file_name"))
        text = text_of(file.get("extracted_content"))
        yield text_block(
            f"[file: {name}]" if text is None else text,
            filename=name,
            file_type=text_of(file.get("file_type")),
        )
    for file in map(dict_of, list_of(message.get("files") or message.get("files_v2"))):
        name = text_of(file.get("file_name"))
        yield text_block(f"[file: {name}]", filename=name, claude_file=file)


FORMAT = Format(name="claude-ai", program="claude.ai", read=_read, knows_records=_knows)
