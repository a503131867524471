"""egirl: sessions of a chat agent, a row a message."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter

from convotui.importers.databases import Row, Tables
from convotui.importers.formats import Format
from convotui.importers.records import Conversation
from convotui.importers.shaping import (
    call_block,
    chain,
    compact,
    dict_of,
    json_of,
    known,
    list_of,
    milliseconds,
    text_block,
    text_of,
    url_block,
)
from convotui.importers.sources import Source
from convotui.storage.arrivals import Arrival
from convotui.storage.records import SUBAGENT_PREFIX, Block, Role

_COLUMNS = (
    "session_id",
    "id",
    "role",
    "content",
    "tool_calls",
    "tool_call_id",
    "created_at",
)
_INJECTED = ("[Recalled context from memory", "[System:", "[Warning:")
"""How what the program itself told the model in the user's name begins."""
_ROLES: dict[str, Role] = {
    "user": "user",
    "assistant": "assistant",
    "tool": "tool_result",
}


def _knows(tables: Tables) -> bool:
    columns = tables.get("messages", frozenset())
    return "sessions" in tables and {"session_id", "role", "content"} <= columns


def _read(source: Source) -> Iterator[Conversation]:
    with source.database("sessions", "messages") as database:
        summaries: dict[object, object] = dict(
            database.select("sessions", ("id", "summary"))
        )
        messages = database.select(
            "messages", _COLUMNS, order="session_id, id", at=source.at
        )
        for session, rows in groupby(messages, itemgetter(0)):
            arrivals = _arrivals(str(session), text_of(summaries.get(session)), rows)
            yield Conversation(str(session), chain(arrivals, source.modified))


def _arrivals(
    session: str, summary: str | None, rows: Iterator[Row]
) -> Iterator[Arrival]:
    is_task = session.startswith("task:")
    title: str | None = f"{SUBAGENT_PREFIX}{session}" if is_task else session
    for _, number, role, content, calls, call, created_at in rows:
        stored = text_of(role) or "user"
        result_of = text_of(call) if stored == "tool" else None
        blocks = list(_blocks(content, stored, result_of))
        blocks += _call_blocks(calls)
        yield Arrival(
            # Every file counts from one: a number alone would not tell them apart.
            key=f"{number} {created_at}",
            role=_ROLES.get(stored, "user"),
            blocks=blocks or [text_block("")],
            created_at=milliseconds(created_at),
            title=title,
            meta=known(summary=summary),
        )
        title = summary = None


def _blocks(stored: object, role: str, call: str | None) -> Iterator[Block]:
    content = json_of(stored)
    if not isinstance(content, str | list):
        # The first files had plain text, which may look like any JSON.
        content = stored if isinstance(stored, str) else compact(stored)
    if isinstance(content, str):
        content = [{"type": "text", "text": content}] if content else []
    is_injected = role == "user" and _text(content[:1]).startswith(_INJECTED)
    for part in map(dict_of, content):
        if part.get("type") == "image_url":
            yield url_block(dict_of(part.get("image_url")).get("url"))
        else:
            text = part.get("text")
            yield text_block(
                text if isinstance(text, str) else compact(part),
                call=call,
                injected=is_injected or None,
                egirl_role=None if role in _ROLES else role,
            )


def _text(parts: list[object]) -> str:
    return next((text_of(dict_of(part).get("text")) or "" for part in parts), "")


def _call_blocks(stored: object) -> Iterator[Block]:
    for call in map(dict_of, list_of(json_of(stored))):
        parameters = call.get("arguments")
        yield call_block(text_of(call.get("id")), call.get("name"), parameters)


FORMAT = Format(
    name="egirl",
    program="egirl",
    read=_read,
    knows_tables=_knows,
    places=("{home}/.egirl/workspace/conversations.db",),
)
