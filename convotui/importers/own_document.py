"""convotui's own JSON, as `export --format json` writes it: ids are kept."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from convotui.importers.documents import Record
from convotui.importers.formats import Format
from convotui.importers.records import Conversation, UnreadableError
from convotui.importers.shaping import (
    amount_of,
    compact,
    count_of,
    dict_of,
    list_of,
    parents_first,
    state_of,
    string_of,
    text_of,
    time_of,
)
from convotui.importers.sources import Source
from convotui.storage.arrivals import Arrival, Origin
from convotui.storage.records import (
    ROLES,
    Block,
    MessageId,
    ReplyFacts,
    Role,
)

_VERSION = 1
_SMALL = 64_000_000
"""Bytes of a document that is read as a whole."""
_SOURCE = "cpe"
"""A message is the same whether it comes in a `.cpeconvo` or in a document."""
_BEGINNING = re.compile(
    r'\{\s*"format":\s*"convotui",\s*"version":\s*(\d{1,9}),\s*"messages":\s*\['
)
_ID = re.compile(r"[\w-]{1,64}", re.ASCII)


def _knows_head(head: str) -> bool:
    return _BEGINNING.match(head.lstrip()) is not None


def _knows_records(records: Sequence[Any]) -> bool:
    return any(dict_of(record).get("format") == "convotui" for record in records)


def _read(source: Source) -> Iterator[Conversation]:
    beginning = _BEGINNING.match(source.head_text.lstrip())
    if beginning is not None and source.size > _SMALL:
        _check_version(int(beginning[1]))
        yield from _streamed(_arrivals(source, source.elements(_BEGINNING)))
        return
    for record in source.records():
        document = dict_of(record.value)
        _check_version(count_of(document.get("version")) or 0)
        messages = enumerate(list_of(document.get("messages")), 1)
        values = (Record(value, f"message {number}") for number, value in messages)
        yield from _gathered(_arrivals(source, values))


def _check_version(version: int) -> None:
    if version > _VERSION:
        raise UnreadableError("was written by a newer convotui; upgrade to read it.")


def _streamed(arrivals: Iterator[Arrival]) -> Iterator[Conversation]:
    """Yield one tree after the other, as they stand in what convotui itself wrote."""
    seen: set[str] = set()
    trees = 0

    def tree_of(arrival: Arrival) -> int:
        nonlocal trees
        if arrival.parent not in seen:
            seen.clear()
            trees += 1
        seen.add(arrival.key)
        return trees

    for _, tree in groupby(arrivals, tree_of):
        yield Conversation("", tree)


def _gathered(arrivals: Iterable[Arrival]) -> Iterator[Conversation]:
    """Yield the trees of messages that may be in any order."""
    trees: dict[str, list[Arrival]] = {}
    tree_of: dict[str | None, list[Arrival]] = {}
    for arrival in parents_first(arrivals, None):
        tree = tree_of.get(arrival.parent)
        if tree is None:
            tree = trees.setdefault(arrival.key, [])
        tree_of[arrival.key] = tree
        tree.append(arrival)
    for tree in trees.values():
        yield Conversation("", tree)


def _arrivals(source: Source, records: Iterable[Record]) -> Iterator[Arrival]:
    for record in records:
        message = dict_of(record.value)
        if (message_id := text_of(message.get("id"))) is None:
            source.skip(record.where, "is no message with an id.")
            continue
        yield Arrival(
            key=message_id,
            role=_role(message.get("role")),
            blocks=[_block(dict_of(b)) for b in list_of(message.get("blocks"))],
            parent=text_of(message.get("parent_id")),
            created_at=time_of(message.get("created_at")) or source.modified,
            title=text_of(message.get("title")),
            tool_result_error=message.get("tool_result_error") is True,
            facts=_facts(message.get("facts")),
            id=MessageId(message_id) if _ID.fullmatch(message_id) else None,
            origin=Origin(_SOURCE, "", message_id),
        )


def _role(value: object) -> Role:
    return next((role for role in ROLES if role == value), "user")


def _block(block: dict[str, Any]) -> Block:
    content, mime_type = block.get("content"), block.get("mime_type")
    return Block(
        content=content if isinstance(content, str) else compact(content),
        type=text_of(block.get("type")) or "content",
        modality=count_of(block.get("modality")) or 0,
        mime_type=mime_type if isinstance(mime_type, str) else "text/plain",
        id=string_of(block.get("id")),
        extra_fields=string_of(block.get("extra_fields")),
    )


def _facts(value: object) -> ReplyFacts | None:
    if not isinstance(value, dict):
        return None
    return ReplyFacts(
        model=text_of(value.get("model")),
        input_tokens=count_of(value.get("input_tokens")),
        output_tokens=count_of(value.get("output_tokens")),
        cached_tokens=count_of(value.get("cached_tokens")),
        reasoning_tokens=count_of(value.get("reasoning_tokens")),
        cost=amount_of(value.get("cost")),
        first_token_seconds=amount_of(value.get("first_token_seconds")),
        duration_seconds=amount_of(value.get("duration_seconds")),
        finish_reason=text_of(value.get("finish_reason")),
        state=state_of(value.get("state")),
        error=text_of(value.get("error")),
    )


FORMAT = Format(
    name="convotui",
    program="convotui's own JSON",
    read=_read,
    knows_head=_knows_head,
    knows_records=_knows_records,
)
