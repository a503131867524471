"""Messages as OpenAI's API takes them: one list, or a conversation on each line.

Nothing in them has an id. A conversation is named by how it begins and a message by all
before it, so that one that grew is extended, and two that begin alike are branches.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from convotui.importers.formats import Format
from convotui.importers.openai_message import Reader, is_message
from convotui.importers.records import Conversation
from convotui.importers.shaping import (
    dict_of,
    known,
    list_of,
    parents_first,
    text_of,
)
from convotui.importers.shelf import Shelf
from convotui.importers.sources import Source
from convotui.importers.threads import Opening, Path
from convotui.storage.arrivals import Arrival

_LISTS = ("messages", "conversations", "conversation")
_DOCUMENTS = ("history", "chats")
"""What the conversations of one document are called, as chatbot-ui has them."""
_IDS = ("conversation_id", "chat_id", "session_id", "uuid", "id")
_TITLES = ("title", "name")

Fields = dict[str, Any]


def _knows(records: Sequence[Any]) -> bool:
    if not records:
        return False
    if all(map(is_message, records)):
        return True
    return any(_messages(record) or _gathered(record) for record in records)


def _messages(record: object) -> list[Any]:
    """Return the messages of a conversation; none if it is none."""
    found = [dict_of(record).get(name) for name in _LISTS]
    for messages in (record, *found):
        if isinstance(messages, list) and any(map(is_message, messages)):
            return messages
    return []


def _gathered(record: object) -> list[Any]:
    """Return the conversations that one document holds; none if it is no such."""
    for name in _DOCUMENTS:
        found = list_of(dict_of(record).get(name))
        if any(map(_messages, map(dict_of, found))):
            return found
    return []


def _is_empty(record: object) -> bool:
    fields = dict_of(record)
    return record == [] or any(fields.get(name) == [] for name in _LISTS)


def _read(source: Source) -> Iterator[Conversation]:
    loose = _Thread(source.shelf())
    for record in source.records():
        if is_message(record.value):
            loose.add(record.value)
            continue
        for value in _gathered(record.value) or [record.value]:
            if messages := _messages(value):
                yield _conversation(messages, dict_of(value), source)
            elif not _is_empty(value):
                reason = "is neither a message nor a conversation."
                source.skip(record.where, reason)
    yield loose.conversation({}, source.modified)


def _conversation(messages: list[Any], about: Fields, source: Source) -> Conversation:
    model = about.get("model")
    name = text_of(model) or text_of(dict_of(model).get("id"))
    thread = _Thread(source.shelf(), name)
    for message in messages:
        thread.add(message)
    return thread.conversation(about, source.modified)


class _Thread:
    """The messages of one conversation, as they come."""

    def __init__(self, shelf: Shelf, model: str | None = None) -> None:
        self._shelf = shelf
        self._reader = Reader(model)
        self._path = Path()
        self._opening = Opening()
        self._arrivals: list[Arrival] = []

    def add(self, message: object) -> None:
        """Take in the next message."""
        for arrival in self._reader.read(message):
            self._opening.add(arrival)
            self._arrivals.append(self._shelf.put_away(self._path.add(arrival)))

    def conversation(self, about: Fields, modified: datetime) -> Conversation:
        """Return the conversation, of which this is known as a whole."""
        ids = (text_of(about.get(name)) for name in _IDS)
        key = next(filter(None, ids), None) or self._opening.key
        arrivals = parents_first(self._arrivals, modified)
        titles = (text_of(about.get(name)) for name in _TITLES)
        left = {k: v for k, v in about.items() if k not in (*_LISTS, *_TITLES)}
        if arrivals:
            title = next(filter(None, titles), None)
            meta = known(conversation=left or None)
            arrivals[0] = replace(arrivals[0], title=title, meta=meta)
        return Conversation(key, self._shelf.brought_back(arrivals))


FORMAT = Format(
    name="openai", program="OpenAI messages", read=_read, knows_records=_knows
)
