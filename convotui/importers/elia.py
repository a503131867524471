"""elia: a row a message; what each one answers to is a column nobody has filled."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter

from convotui.importers.databases import Row, Tables
from convotui.importers.formats import Format
from convotui.importers.records import Conversation
from convotui.importers.shaping import (
    dict_of,
    json_of,
    known,
    text_block,
    text_of,
    time_of,
)
from convotui.importers.sources import Source
from convotui.importers.trees import Tree
from convotui.storage.arrivals import Arrival
from convotui.storage.records import ReplyFacts

_COLUMNS = (
    "chat_id",
    "id",
    "role",
    "content",
    "timestamp",
    "meta",
    "parent_id",
    "model",
)


def _knows(tables: Tables) -> bool:
    columns = tables.get("message", frozenset())
    return (
        "title" in tables.get("chat", ()) and {"chat_id", "role", "content"} <= columns
    )


def _read(source: Source) -> Iterator[Conversation]:
    with source.database("chat", "message") as database:
        chats = {
            row[0]: row for row in database.select("chat", ("id", "title", "model"))
        }
        rows = database.select("message", _COLUMNS, order="chat_id, id", at=source.at)
        for chat, messages in groupby(rows, itemgetter(0)):
            _, title, model = chats.get(chat, (None, None, None))
            tree = _tree(messages, text_of(title), text_of(model))
            yield Conversation(str(chat), tree.arrivals(source.modified))


def _tree(rows: Iterator[Row], title: str | None, model: str | None) -> Tree:
    tree = Tree()
    before: str | None = None
    for _, number, role, content, time, meta, parent_id, replied in rows:
        key = str(number)
        parent = before if parent_id is None else str(parent_id)
        text = content if isinstance(content, str) else ""
        before = key
        if role == "system":
            tree.pass_over(key, parent, system=text)
            continue
        is_reply = role == "assistant"
        tree.add(
            Arrival(
                key=key,
                role="assistant" if is_reply else "user",
                blocks=[text_block(text)],
                parent=parent,
                created_at=time_of(time),
                title=title,
                facts=ReplyFacts(text_of(replied) or model) if is_reply else None,
                meta=known(
                    elia_role=None if role in ("user", "assistant") else role,
                    meta=dict_of(json_of(meta)) or None,
                ),
            )
        )
        title = None
    return tree


FORMAT = Format(
    name="elia",
    program="elia",
    read=_read,
    knows_tables=_knows,
    places=(
        "{XDG_DATA_HOME}/elia/elia.sqlite",
        "{home}/.local/share/elia/elia.sqlite",
    ),
)
