"""Messages as OpenAI's API takes them: one list, or a conversation on each line.

Nothing in them has an id. A conversation is named by how it begins and a message by all
before it, so that one that grew is extended, and two that begin alike are branches.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from convotui.importers.formats import Format
from convotui.importers.openai_message import Reader, is_message
from convotui.importers.records import Conversation
from convotui.importers.shaping import dict_of, parents_first, text_of
from convotui.importers.sources import Source
from convotui.importers.threads import Path, opening

_LISTS = ("messages", "conversations", "conversation")
_IDS = ("conversation_id", "chat_id", "session_id", "uuid", "id")
_TITLES = ("title", "name")

Fields = dict[str, Any]


def _knows(records: Sequence[Any]) -> bool:
    if not records:
        return False
    return all(map(is_message, records)) or any(map(_messages, records))


def _messages(record: object) -> list[Any]:
    """Return the messages of a conversation; none if it is none."""
    found = [dict_of(record).get(name) for name in _LISTS]
    for messages in (record, *found):
        if isinstance(messages, list) and any(map(is_message, messages)):
            return messages
    return []


def _is_empty(record: object) -> bool:
    fields = dict_of(record)
    return record == [] or any(fields.get(name) == [] for name in _LISTS)


def _read(source: Source) -> Iterator[Conversation]:
    loose: list[Any] = []
    for record in source.records():
        if messages := _messages(record.value):
            yield _conversation(messages, dict_of(record.value), source)
        elif is_message(record.value):
            loose.append(record.value)
        elif not _is_empty(record.value):
            source.skip(record.where, "is neither a message nor a conversation.")
    if loose:
        yield _conversation(loose, {}, source)


def _conversation(messages: list[Any], about: Fields, source: Source) -> Conversation:
    reader = Reader(text_of(about.get("model")))
    found = [arrival for message in messages for arrival in reader.read(message)]
    ids = (text_of(about.get(name)) for name in _IDS)
    key = next(filter(None, ids), None) or opening(found)
    arrivals = parents_first(Path().all(found), source.modified)
    titles = (text_of(about.get(name)) for name in _TITLES)
    left = {k: v for k, v in about.items() if k not in (*_LISTS, *_TITLES)}
    if arrivals:
        first = arrivals[0]
        meta = {**first.meta, "conversation": left} if left else first.meta
        title = next(filter(None, titles), None)
        arrivals[0] = replace(first, title=title, meta=meta)
    return Conversation(key, arrivals)


FORMAT = Format(
    name="openai", program="OpenAI messages", read=_read, knows_records=_knows
)
