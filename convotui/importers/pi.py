"""pi: sessions as lines, each a node of a tree since version 2.

A session that was forked holds copies of what came before, and one that is brought to
a newer version gets other ids; a message is known by its time and what it says, so
that it stays one message.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, NamedTuple

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
from convotui.importers.shelf import Shelf
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
    shelf = source.shelf()
    session = _Session(shelf)
    for record in source.records():
        entry = dict_of(record.value)
        if text_of(entry.get("type")) is None:
            source.skip(record.where, "is no entry of a session.")
        else:
            session.add(entry)
    arrivals = session.arrivals(source.modified)
    yield Conversation("", shelf.brought_back(arrivals), session.directory)


class _Placed(NamedTuple):
    """An entry of a session, without what it says."""

    id: str
    parent: str | None
    goes_on_from: str | None
    message: Arrival | None
    notes: Entry


class _Session:
    """The entries of a session, each with an id and a parent."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._header: Entry = {}
        self._entries: list[_Placed] = []
        self._labels: dict[str, str] = {}
        self._name: str | None = None
        self._keys: dict[str, str] = {}
        self._naming = ContentKeys()

    @property
    def directory(self) -> str | None:
        """Where the session was held."""
        return text_of(self._header.get("cwd"))

    def add(self, entry: Entry) -> None:
        """Take in the next entry."""
        match entry["type"]:
            case "session":
                self._header = self._header or entry
                return
            case "label" if (target := text_of(entry.get("targetId"))) is not None:
                self._labels[target] = text_of(entry.get("label")) or ""
            case "session_info":
                self._name = text_of(entry.get("name")) or self._name
        entry = self._linked(entry)
        message = message_of(entry)
        key = f"entry {entry['id']}"
        if message is not None:
            when = text_of(entry.get("timestamp")) or self._header.get("id")
            message = self._naming.named(message, when)
            key = message.key
            message = self._shelf.put_away(message)
        self._keys.setdefault(entry["id"], key)
        link = text_of(entry.get(_LINKS.get(entry["type"], "")))
        notes = {} if message is not None else _notes(entry)
        placed = _Placed(entry["id"], entry["parentId"], link, message, notes)
        self._entries.append(placed)

    def _linked(self, entry: Entry) -> Entry:
        """Return an entry with its id and parent; those of version 1 have none."""
        if (entry_id := text_of(entry.get("id"))) is not None:
            return {**entry, "id": entry_id, "parentId": text_of(entry.get("parentId"))}
        before = self._entries[-1].id if self._entries else None
        index = count_of(entry.get("firstKeptEntryIndex"))
        kept = None if index is None else f"#{index}"
        number = f"#{len(self._entries) + 1}"
        return {"firstKeptEntryId": kept, **entry, "id": number, "parentId": before}

    def arrivals(self, modified: datetime) -> list[Arrival]:
        """Return the messages, of which the first tells about the session."""
        tree = self._tree()
        # All that is left to do is to say what is on the shelf.
        self._entries.clear()
        self._keys.clear()
        self._naming = ContentKeys()
        arrivals = tree.arrivals(modified)
        if arrivals:
            header, first = self._header, arrivals[0]
            about = known(
                session=text_of(header.get("id")),
                session_name=self._name,
                parent_session=text_of(header.get("parentSession"))
                or text_of(header.get("branchedFrom")),
            )
            title = first.title or self._name
            arrivals[0] = replace(first, title=title, meta={**about, **first.meta})
        return arrivals

    def _tree(self) -> Tree:
        """Return the messages, and what else is between them."""
        tree = Tree()
        for entry in self._entries:
            parent = self._keys.get(entry.parent or "")
            label = self._labels.get(entry.id) or None
            if entry.message is None:
                notes = {**entry.notes, **known(label=label)}
                tree.pass_over(self._keys[entry.id], parent, **notes)
                continue
            linked = self._keys.get(entry.goes_on_from or "")
            goes_on_from = None if linked is None else Origin(_NAME, "", linked)
            message = replace(entry.message, parent=parent, continues=goes_on_from)
            tree.add(replace(message, title=label))
        return tree


def _notes(entry: Entry) -> Entry:
    if entry["type"] in ("label", "session_info"):
        return {}
    about = {k: v for k, v in entry.items() if k not in ("id", "parentId")}
    return {"entries": [about]}


FORMAT = Format(
    name=_NAME,
    program="pi",
    read=_read,
    knows_records=_knows,
    places=(
        "{PI_CODING_AGENT_SESSION_DIR}",
        "{PI_CODING_AGENT_DIR}/sessions",
        "{home}/.pi/agent/sessions",
    ),
)
