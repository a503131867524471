"""oterm: a row a message, without times."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter

from convotui.importers.databases import Row, Tables
from convotui.importers.formats import Format
from convotui.importers.records import Conversation
from convotui.importers.shaping import (
    chain,
    json_of,
    known,
    list_of,
    text_block,
    text_of,
    url_block,
)
from convotui.importers.sources import Source
from convotui.storage.arrivals import Arrival
from convotui.storage.records import Block, ReplyFacts

_CHAT = ("id", "name", "model", "system", "provider", "parameters", "tools")
_MESSAGE = ("chat_id", "id", "author", "text", "images")
_MAGIC = {"/9j/": "image/jpeg", "R0lG": "image/gif", "UklG": "image/webp"}
"""How the base64 of pictures begins that are no PNG."""


def _knows(tables: Tables) -> bool:
    columns = tables.get("message", frozenset())
    return (
        "system" in tables.get("chat", ()) and {"chat_id", "author", "text"} <= columns
    )


def _read(source: Source) -> Iterator[Conversation]:
    with source.database("chat", "message") as database:
        chats = {row[0]: row for row in database.select("chat", _CHAT)}
        rows = database.select("message", _MESSAGE, order="chat_id, id", at=source.at)
        for chat, messages in groupby(rows, itemgetter(0)):
            about = chats.get(chat, (None,) * len(_CHAT))
            arrivals = chain(_arrivals(messages, about), source.modified)
            yield Conversation(str(chat), arrivals)


def _arrivals(rows: Iterator[Row], chat: Row) -> Iterator[Arrival]:
    _, name, model, system, provider, parameters, tools = chat
    title = text_of(name)
    about = known(
        system=text_of(system),
        provider=text_of(provider),
        parameters=json_of(parameters) or None,
        tools=json_of(tools) or None,
        time_estimated=True,
    )
    for _, number, author, text, images in rows:
        is_reply = author == "assistant"
        other = None if author in ("user", "assistant") else author
        yield Arrival(
            key=str(number),
            role="assistant" if is_reply else "user",
            blocks=[
                text_block(text if isinstance(text, str) else "", oterm_role=other),
                *map(_picture, list_of(json_of(images))),
            ],
            title=title,
            facts=ReplyFacts(text_of(model)) if is_reply else None,
            meta=about,
        )
        title, about = None, {"time_estimated": True}


def _picture(data: object) -> Block:
    text = data if isinstance(data, str) else ""
    mime_type = _MAGIC.get(text[:4], "image/png")
    return url_block(f"data:{mime_type};base64,{text}")


FORMAT = Format(
    name="oterm",
    program="oterm",
    read=_read,
    knows_tables=_knows,
    places=("{OTERM_DATA_DIR}/store.db", "{data}/oterm/store.db"),
)
