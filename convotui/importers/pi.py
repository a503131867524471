"""pi: sessions as lines, each a node of a tree since version 2.

A session that was forked holds copies of what came before, and one that is brought to
a newer version gets other ids; a message is known by its time and what it says, so
that it stays one message.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from convotui.importers.formats import Format
from convotui.importers.pi_messages import message_of
from convotui.importers.records import Conversation
from convotui.importers.shaping import (
    ContentKeys,
    count_of,
    dict_of,
    known,
    text_of,
)
from convotui.importers.sources import Source
from convotui.importers.trees import Tree
from convotui.storage.arrivals import Arrival, Origin

_NAME = "pi"
_LINKS = {"compaction": "firstKeptEntryId", "branch_summary": "fromId"}
"""What leads from an entry to one that it goes on from."""

Entry = dict[str, Any]


def _knows(records: Sequence[Any]) -> bool:
    header = dict_of(records[0]) if records else {}
    return (
        header.get("type") == "session"
        and isinstance(header.get("id"), str)
        and ("cwd" in header or "timestamp" in header)
        and "harness" not in header
    )


def _read(source: Source) -> Iterator[Conversation]:
    header: Entry = {}
    entries: list[Entry] = []
    for record in source.records():
        entry = dict_of(record.value)
        if entry.get("type") == "session":
            header = header or entry
        elif text_of(entry.get("type")) is None:
            source.skip(record.where, "is no entry of a session.")
        else:
            entries.append(entry)
    session = _Session(header, entries)
    arrivals = session.tree().arrivals(source.modified)
    yield Conversation("", session.titled(arrivals), text_of(header.get("cwd")))


class _Session:
    """The entries of a session, each with an id and a parent."""

    def __init__(self, header: Entry, entries: list[Entry]) -> None:
        self._header = header
        self._entries = list(_linked(entries))
        self._labels: dict[str, str] = {}
        self._name: str | None = None
        for entry in self._entries:
            target = text_of(entry.get("targetId"))
            if entry["type"] == "label" and target is not None:
                self._labels[target] = text_of(entry.get("label")) or ""
            elif entry["type"] == "session_info":
                self._name = text_of(entry.get("name")) or self._name
        self._keys: dict[str, str] = {}
        self._naming = ContentKeys()

    def tree(self) -> Tree:
        """Return the messages, and what else is between them."""
        messages = [self._named(entry) for entry in self._entries]
        tree = Tree()
        for entry, message in zip(self._entries, messages, strict=True):
            parent = self._keys.get(entry["parentId"] or "")
            if message is not None:
                tree.add(self._placed(entry, replace(message, parent=parent)))
            else:
                tree.pass_over(self._keys[entry["id"]], parent, **_notes(entry))
        return tree

    def titled(self, arrivals: list[Arrival]) -> list[Arrival]:
        """Return messages of which the first tells about the session."""
        if not arrivals:
            return []
        first, *rest = arrivals
        about = known(
            session=text_of(self._header.get("id")),
            session_name=self._name,
            parent_session=text_of(self._header.get("parentSession")),
        )
        meta = {**about, **first.meta}
        return [replace(first, title=first.title or self._name, meta=meta), *rest]

    def _named(self, entry: Entry) -> Arrival | None:
        """Return the message that an entry is, if it is one, with its key."""
        message = message_of(entry)
        key = f"entry {entry['id']}"
        if message is not None:
            when = text_of(entry.get("timestamp")) or self._header.get("id")
            message = self._naming.named(message, when)
            key = message.key
        self._keys.setdefault(entry["id"], key)
        return message

    def _placed(self, entry: Entry, message: Arrival) -> Arrival:
        """Return a message with its label, and with what it goes on from."""
        linked = self._keys.get(text_of(entry.get(_LINKS.get(entry["type"], ""))) or "")
        return replace(
            message,
            title=self._labels.get(entry["id"]) or None,
            continues=None if linked is None else Origin(_NAME, "", linked),
        )


def _notes(entry: Entry) -> dict[str, Any]:
    if entry["type"] in ("label", "session_info"):
        return {}
    about = {k: v for k, v in entry.items() if k not in ("id", "parentId")}
    return {"entries": [about]}


def _linked(entries: list[Entry]) -> Iterator[Entry]:
    """Yield entries with ids and parents; those of version 1 follow one another."""
    before: str | None = None
    for number, entry in enumerate(entries):
        entry_id = text_of(entry.get("id"))
        if entry_id is None:
            entry_id = f"#{number + 1}"
            index = count_of(entry.get("firstKeptEntryIndex"))
            kept = None if index is None else f"#{index}"
            entry = {"firstKeptEntryId": kept, **entry, "parentId": before}
        yield {**entry, "id": entry_id, "parentId": text_of(entry.get("parentId"))}
        before = entry_id


FORMAT = Format(
    name=_NAME,
    program="pi",
    read=_read,
    knows_records=_knows,
    places=("{home}/.pi/agent/sessions",),
)
