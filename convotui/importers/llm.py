"""llm by Simon Willison: one tree of messages since 0.32, before that responses."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from convotui.importers.databases import Database, Tables
from convotui.importers.formats import Format
from convotui.importers.llm_parts import FACTS, Files, facts_of, part_of
from convotui.importers.llm_responses import Responses, going_on
from convotui.importers.records import Conversation
from convotui.importers.shaping import dict_of, json_of, known, text_of, time_of
from convotui.importers.sources import Source
from convotui.importers.trees import Result, Tree
from convotui.storage.arrivals import Arrival
from convotui.storage.records import Block, ReplyFacts, Role

_TABLES = (
    "messages",
    "parts",
    "threads",
    "turns",
    "attachments",
    "fragments",
    "conversations",
    "responses",
    "prompt_attachments",
    "prompt_fragments",
    "system_fragments",
    "tool_calls",
    "tool_results",
    "tool_results_attachments",
)
_TURN = (
    "parent_message_hash",
    "tip_message_hash",
    "datetime_utc",
    "id",
    "thread_id",
    "options_json",
    "schema_id",
    *FACTS,
)
_ROLES: dict[str, Role] = {"assistant": "assistant", "tool": "tool_result"}
_INDEXES = (
    "CREATE INDEX IF NOT EXISTS convotui_hash ON messages (hash)",
    "CREATE INDEX IF NOT EXISTS convotui_part ON parts (message_hash, position)",
)
"""Without them a file that lacks its own would take forever."""


def _has_tree(tables: Tables) -> bool:
    return {"hash", "parent_hash", "role"} <= tables.get("messages", frozenset()) and {
        "message_hash",
        "position",
        "payload",
    } <= tables.get("parts", frozenset())


def _has_responses(tables: Tables) -> bool:
    columns = tables.get("responses", frozenset())
    return {"prompt", "response", "conversation_id"} <= columns


def _knows(tables: Tables) -> bool:
    return _has_tree(tables) or _has_responses(tables)


def _read(source: Source) -> Iterator[Conversation]:
    with source.database(*_TABLES) as database:
        files = Files(database)
        older = Responses(database, files, source)
        if _has_tree(source.tables):
            for sql in _INDEXES:
                database.run(sql)
            turns = _Turns(database)
            trees = _trees(database)
            for number, hashes in enumerate(trees):
                source.at(number / len(trees))
                arrivals = _tree(database, files, turns, hashes).arrivals(
                    source.modified
                )
                arrivals = _titled(arrivals, turns.names)
                begun = next((t for t in turns.threads(hashes) if t in older.left), "")
                if begun:
                    arrivals = going_on(older.take(begun), arrivals)
                yield Conversation(begun, arrivals)
        yield from older.rest()


class _Turns:
    """What is known of messages by the calls of a model, and by the threads."""

    def __init__(self, database: Database) -> None:
        self.names: dict[str, list[tuple[str, bool]]] = {}
        """The names of threads by their last message, and which began below others."""
        self.times: dict[str, datetime] = {}
        self._facts: dict[str, ReplyFacts] = {}
        self._meta: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
        if "threads" in database.tables:
            self._read_threads(database)
        if "turns" in database.tables:
            self._read_turns(database)

    def _read_threads(self, database: Database) -> None:
        columns = ("name", "tip_message_hash", "forked_from")
        for name, tip, forked_from in database.select("threads", columns):
            if (title := text_of(name)) is not None:
                named = (title, forked_from is not None)
                self.names.setdefault(str(tip), []).append(named)

    def _read_turns(self, database: Database) -> None:
        rows = database.select("turns", _TURN)
        for prompt, tip, time, turn, thread, options, schema, *facts in rows:
            if (at := time_of(time)) is not None:
                self.times.setdefault(str(prompt), at)
                self.times.setdefault(str(tip), at)
            self._facts.setdefault(str(tip), facts_of(facts))
            self._meta[str(tip)].append(
                known(
                    id=text_of(turn),
                    thread=text_of(thread),
                    options=json_of(options),
                    schema=text_of(schema),
                )
            )

    def threads(self, hashes: Sequence[str]) -> Iterator[str]:
        """Yield the threads in which the messages of a tree were said."""
        for key in hashes:
            yield from (turn.get("thread", "") for turn in self._meta.get(key, ()))

    def facts(self, key: str) -> ReplyFacts:
        """Return what is known of a reply."""
        return self._facts.get(key) or ReplyFacts()

    def meta(self, key: str) -> dict[str, Any]:
        """Return what else is known of a message."""
        return known(turns=self._meta.get(key))


def _trees(database: Database) -> list[list[str]]:
    """Return the messages of each tree, in the order in which they were saved."""
    parents = {
        str(name): text_of(parent)
        for name, parent in database.select("messages", ("hash", "parent_hash"))
    }
    roots: dict[str, str] = {}
    for start in parents:
        way: dict[str, None] = {}
        key: str | None = start
        while key in parents and key not in roots and key not in way:
            way[key] = None
            key = parents[key]
        top = next(reversed(way), "")
        roots.update(dict.fromkeys(way, roots.get(key or "", top)))
    trees: defaultdict[str, list[str]] = defaultdict(list)
    for name in parents:
        trees[roots[name]].append(name)
    return list(trees.values())


def _tree(
    database: Database, files: Files, turns: _Turns, hashes: Sequence[str]
) -> Tree:
    tree = Tree()
    columns = ("parent_hash", "role", "provider_metadata")
    for key in hashes:
        [(parent, stored, metadata), *_] = database.select(
            "messages", columns, where="hash = ?", parameters=(key,)
        )
        content = list(_content(database, files, key))
        if stored == "system":
            said = [part.content for part in content if isinstance(part, Block)]
            tree.pass_over(key, text_of(parent), system="\n\n".join(said))
            continue
        role = _ROLES.get(stored, "user")
        message = Arrival(
            key=key,
            role=role,
            blocks=(),
            parent=text_of(parent),
            created_at=turns.times.get(key),
            facts=turns.facts(key) if role == "assistant" else None,
            meta={
                **turns.meta(key),
                **known(
                    llm_role=None if stored == "user" or role != "user" else stored,
                    provider_metadata=json_of(metadata) or None,
                ),
            },
        )
        tree.add(message, content)
    return tree


def _content(database: Database, files: Files, key: str) -> Iterator[Block | Result]:
    parts = database.select(
        "parts",
        ("type", "text", "payload"),
        where="message_hash = ?",
        parameters=(key,),
        order="position",
    )
    for kind, text, payload in parts:
        yield from part_of(kind, text, dict_of(json_of(payload)), files)


def _titled(
    arrivals: list[Arrival], names: Mapping[str, Sequence[tuple[str, bool]]]
) -> list[Arrival]:
    """Return messages with the names of threads, each where its own begins.

    Threads that began alike share messages; all but the first of them are named at
    their ends, as are those that were begun below others.
    """
    roots: dict[str | None, str] = {}
    titles: dict[str, str] = {}
    later: list[tuple[str, str]] = []
    for arrival in arrivals:
        roots[arrival.key] = roots.get(arrival.parent, arrival.key)
        for title, is_fork in names.get(arrival.key, ()):
            root = roots[arrival.key]
            if is_fork or titles.setdefault(root, title) != title:
                later.append((arrival.key, title))
    for key, title in later:
        titles.setdefault(key, title)
    return [replace(a, title=titles.get(a.key)) for a in arrivals]


FORMAT = Format(
    name="llm",
    program="llm",
    read=_read,
    knows_tables=_knows,
    places=("{LLM_USER_PATH}/logs.db", "{config}/io.datasette.llm/logs.db"),
)
