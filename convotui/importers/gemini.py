"""Gemini CLI: recorded sessions, and what its users saved of a chat.

A session is a log. A message is written again whenever more is known of it, and one
that was rewound stays where it is: what was said before is a branch.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any

from convotui.importers.formats import Format
from convotui.importers.gemini_parts import content_of, facts_of, parts_of
from convotui.importers.records import Conversation
from convotui.importers.shaping import chain, dict_of, known, list_of, text_of, time_of
from convotui.importers.shelf import Shelf
from convotui.importers.sources import Source
from convotui.importers.trees import Tree, spread
from convotui.storage.arrivals import Arrival, Origin
from convotui.storage.records import SUBAGENT_PREFIX

_NAME = "gemini"
_SAVED = "checkpoint-"
"""How files are named that hold a chat which a user saved, before its name."""
_TOLD = frozenset(
    ("id", "type", "timestamp", "content", "thoughts", "toolCalls", "model")
)
"""What has a place of its own."""

Fields = dict[str, Any]


def _knows(records: Sequence[Any]) -> bool:
    first = dict_of(records[0]) if records else {}
    is_session = isinstance(first.get("sessionId"), str) and (
        "projectHash" in first or isinstance(first.get("messages"), list)
    )
    return is_session or _is_saved(records)


def _is_saved(records: Sequence[Any]) -> bool:
    """Whether these are the messages of a chat that was saved with a name."""
    first = dict_of(records[0]) if records else {}
    turn = dict_of(next(iter(list_of(first.get("history"))), first))
    return turn.get("role") in ("user", "model") and isinstance(turn.get("parts"), list)


def _read(source: Source) -> Iterator[Conversation]:
    if _is_saved(source.first_records):
        yield _saved(source)
        return
    log = _Log(source.shelf())
    for record in source.records():
        log.take(dict_of(record.value))
    begun = time_of(log.about.get("startTime")) or source.modified
    shelf = source.shelf()
    arrivals = log.tree(shelf).arrivals(begun)
    if arrivals:
        arrivals[0] = log.begun(arrivals[0])
        whole = shelf.brought_back(arrivals)
        yield Conversation(
            log.session,
            whole,
            _project(source),
            directory_hash=text_of(log.about.get("projectHash")),
        )


class _Log:
    """A session, read record by record."""

    def __init__(self, written: Shelf) -> None:
        self.about: Fields = {}
        self._written = written
        """All messages that were ever said, as they were written last."""
        self._parents: dict[str, str | None] = {}
        self._went_on: dict[str, str] = {}
        """What messages go on from that were put in place of others."""
        self._live: dict[str, None] = {}
        """The messages that have not been rewound, in their order."""

    @property
    def session(self) -> str:
        """The name of the session."""
        return text_of(self.about.get("sessionId")) or ""

    def take(self, record: Fields) -> None:
        """Take in one record."""
        if (target := text_of(record.get("$rewindTo"))) is not None:
            self._rewind(target)
        elif text_of(record.get("id")) is not None:
            self._say(record)
        else:
            about = {**dict_of(record.get("$set", record))}
            messages = about.pop("messages", None)
            self.about.update(about)
            if isinstance(messages, list) and messages:
                self._put(messages)

    def _say(self, message: Fields) -> None:
        key = message["id"]
        if key not in self._parents:
            self._parents[key] = next(reversed(self._live), None)
        self._written.put(key, message)
        self._live[key] = None

    def _rewind(self, target: str) -> None:
        """Forget a message and what came after it; all if there is no such message."""
        ids = list(self._live)
        kept = ids.index(target) if target in self._live else 0
        self._live = dict.fromkeys(ids[:kept])

    def _put(self, messages: Iterable[Any]) -> None:
        """Take messages for all that has been said, as after a compression."""
        last = next(reversed(self._live), None)
        self._live = {}
        for message in map(dict_of, messages):
            if (key := text_of(message.get("id"))) is None:
                continue
            is_new = key not in self._parents
            self._say(message)
            if is_new and last is not None and self._parents[key] is None:
                self._went_on[key] = last

    def tree(self, shelf: Shelf) -> Tree:
        """Return all that was ever said, with a shelf for it."""
        tree = Tree(shelf)
        for key, parent in self._parents.items():
            [message] = self._written.pieces(key)
            kind = message.get("type")
            if kind in ("info", "warning"):
                note = {"type": kind, "content": message.get("content")}
                tree.pass_over(key, parent, notes=[note])
            else:
                tree.add(self._arrival(key, message, parent), content_of(message))
        return tree

    def _arrival(self, key: str, message: Fields, parent: str | None) -> Arrival:
        kind = message.get("type")
        facts = facts_of(message) if kind in ("gemini", "error") else None
        if facts is not None and kind == "error":
            facts = replace(facts, state="failed")
        last = self._went_on.get(key)
        return Arrival(
            key=key,
            role="user" if facts is None else "assistant",
            blocks=(),
            parent=parent,
            created_at=time_of(message.get("timestamp")),
            facts=facts,
            meta={name: value for name, value in message.items() if name not in _TOLD},
            continues=None if last is None else Origin(_NAME, self.session, last),
        )

    def begun(self, first: Arrival) -> Arrival:
        """Return the first message with what is known of the whole session."""
        title = text_of(self.about.get("summary"))
        if self.about.get("kind") == "subagent":
            title = f"{SUBAGENT_PREFIX}{_NAME}:{self.session}"
        names = ("projectHash", "directories", "memoryScratchpad", "summary")
        about = known(**{name: self.about.get(name) for name in names})
        return replace(first, title=title, meta={**about, **first.meta})


def _project(source: Source) -> str | None:
    """Return the project of a chat, which newer versions tell in a file above it."""
    if source.directory is None:
        return None
    tops = (source.directory, *source.directory.parents[:2])
    lines = (source.line_of(top / ".project_root") for top in tops)
    return next(filter(None, lines), None)


def _saved(source: Source) -> Conversation:
    """Read a chat that was saved under a name, which alone tells it from others."""
    name = PurePath(source.name.rpartition("!")[2]).stem
    arrivals: list[Arrival] = []
    for record in source.records():
        value = dict_of(record.value)
        for turn in map(dict_of, list_of(value.get("history")) or [value]):
            is_reply = turn.get("role") == "model"
            message = Arrival("", "assistant" if is_reply else "user", ())
            parts = spread(message, parts_of(turn.get("parts")))
            arrivals += [replace(part, key="") for part in parts]
    messages = chain(arrivals, source.modified)
    if messages and name.startswith(_SAVED):
        messages[0] = replace(messages[0], title=name.removeprefix(_SAVED))
    return Conversation(name, messages, _project(source))


FORMAT = Format(
    name=_NAME,
    program="Gemini CLI",
    read=_read,
    knows_records=_knows,
    places=tuple(
        f"{top}/.gemini/tmp/*/{name}"
        for top in ("{GEMINI_CLI_HOME}", "{home}")
        for name in ("chats", "checkpoint-*.json")
    ),
)
