"""LibreChat: one exported conversation, its messages in a list or nested."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from convotui.importers.documents import Record
from convotui.importers.formats import Format
from convotui.importers.librechat_nested import flattened
from convotui.importers.records import Conversation
from convotui.importers.shaping import (
    call_block,
    compact,
    count_of,
    dict_of,
    json_of,
    known,
    list_of,
    text_block,
    text_of,
    time_of,
    url_block,
)
from convotui.importers.sources import Source
from convotui.importers.trees import Result, Tree
from convotui.storage.arrivals import Arrival
from convotui.storage.records import Block, ReplyFacts, ReplyState

_NESTED = re.compile(
    r'\s*\{\s*"conversationId":.{0,3000}?"recursive":\s*true', re.DOTALL
)
"""How a document begins whose messages are inside of one another."""
_TOLD = frozenset(
    (
        "messageId",
        "parentMessageId",
        "conversationId",
        "isCreatedByUser",
        "text",
        "content",
        "files",
        "children",
        "createdAt",
        "model",
        "unfinished",
        "error",
        "_id",
        "__v",
        "user",
    )
)
"""What has a place of its own, or belongs to their server."""

Fields = dict[str, Any]


def _knows_head(head: str) -> bool:
    return _NESTED.match(head) is not None


def _knows_records(records: Sequence[Any]) -> bool:
    return any(_messages(dict_of(record)) for record in records)


def _messages(record: Fields) -> list[Fields]:
    """Return the messages of a conversation that have no other above them."""
    if "conversationId" not in record:
        return []
    stored = record.get("messagesTree") or record.get("messages")
    top = [stored] if isinstance(stored, dict) else list_of(stored)
    found = [dict_of(message) for message in top]
    return found if any("messageId" in message for message in found) else []


def _read(source: Source) -> Iterator[Conversation]:
    for item in _documents(source):
        record = dict_of(item.value)
        messages = _messages(record)
        if not messages:
            source.skip(item.where, "is no conversation with messages.")
            continue
        arrivals = _tree(messages).arrivals(source.modified)
        if arrivals:
            meta = known(
                endpoint=text_of(record.get("endpoint")),
                options=dict_of(record.get("options")) or None,
            )
            first = replace(
                arrivals[0],
                title=text_of(record.get("title")),
                meta={**meta, **arrivals[0].meta},
            )
            key = text_of(record.get("conversationId")) or arrivals[0].key
            yield Conversation(key, [first, *arrivals[1:]])


def _documents(source: Source) -> Iterator[Record]:
    if _knows_head(source.head_text):
        document = flattened(source.text, source.skip)
        if document is not None:
            yield Record(document, "line 1")
            return
    yield from source.records()


def _tree(messages: list[Fields]) -> Tree:
    tree = Tree()
    waiting: list[tuple[Fields, str | None]] = [(m, None) for m in reversed(messages)]
    while waiting:
        message, above = waiting.pop()
        parent = above or text_of(message.get("parentMessageId"))
        key = text_of(message.get("messageId"))
        if key is not None:
            tree.add(_arrival(message, key, parent), _content(message))
        below = map(dict_of, reversed(list_of(message.get("children"))))
        waiting += [(child, key or above) for child in below]
    return tree


def _arrival(message: Fields, key: str, parent: str | None) -> Arrival:
    is_prompt = message.get("isCreatedByUser") is True
    return Arrival(
        key=key,
        role="user" if is_prompt else "assistant",
        blocks=(),
        parent=parent,
        created_at=time_of(message.get("createdAt")),
        facts=None if is_prompt else _facts(message),
        meta={
            name: value
            for name, value in message.items()
            if name not in _TOLD and value not in (None, "", [], {})
        },
    )


def _facts(message: Fields) -> ReplyFacts:
    is_error = message.get("error") is True
    state: ReplyState = "failed" if is_error else "complete"
    if message.get("unfinished") is True:
        state = "interrupted"
    return ReplyFacts(
        model=text_of(message.get("model")),
        output_tokens=count_of(message.get("tokenCount")) or None,
        finish_reason=text_of(message.get("finish_reason")),
        state=state,
        error=text_of(message.get("text")) if is_error else None,
    )


def _content(message: Fields) -> Iterator[Block | Result]:
    parts = [part for part in list_of(message.get("content")) if part is not None]
    for part in map(dict_of, parts):
        yield from _part(part)
    text = text_of(message.get("text"))
    if text is not None and not parts:
        yield text_block(text)
    for file in map(dict_of, list_of(message.get("files"))):
        kind, path = text_of(file.get("type")) or "", text_of(file.get("filepath"))
        if kind.startswith("image/") and path is not None:
            yield url_block(path)
        else:
            name = text_of(file.get("filename")) or path or "file"
            yield text_block(f"[file: {name}]", file=file)


def _part(part: Fields) -> Iterator[Block | Result]:
    match part.get("type"):
        case "text":
            if text := _value(part.get("text")):
                yield text_block(text)
        case "think":
            yield text_block(_value(part.get("think")), kind="thinking")
        case "error":
            text = _value(part.get("error")) or _value(part.get("text"))
            yield text_block(text, error=True)
        case "tool_call":
            yield from _tool(dict_of(part.get("tool_call")))
        case "image_url":
            address = part.get("image_url")
            yield url_block(dict_of(address).get("url") or address)
        case "image_file":
            file = dict_of(part.get("image_file"))
            yield url_block(file.get("filepath") or file)
        case _:
            yield text_block("", kind=text_of(part.get("type")) or "unknown", raw=part)


def _value(text: object) -> str:
    """Return a text, which newer files have in an object."""
    inner = dict_of(text).get("value") if isinstance(text, dict) else text
    return inner if isinstance(inner, str) else ""


def _tool(tool: Fields) -> Iterator[Block | Result]:
    """Yield a call, of an agent or an assistant, and what it gave if it ended."""
    kind = text_of(tool.get("type")) or ""
    inner = dict_of(tool.get(kind)) or tool
    name = text_of(inner.get("name")) or kind
    arguments = next(
        (inner[n] for n in ("args", "arguments", "input") if n in inner), None
    )
    parsed = json_of(arguments)
    call = text_of(tool.get("id"))
    yield call_block(call, name, arguments if parsed is None else parsed)
    output = inner.get("output", inner.get("outputs"))
    if output not in (None, "", []):
        text = output if isinstance(output, str) else compact(output)
        yield Result(call, [text_block(text)])


FORMAT = Format(
    name="librechat",
    program="LibreChat",
    read=_read,
    knows_head=_knows_head,
    knows_records=_knows_records,
)
