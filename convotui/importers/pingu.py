"""Pingu: a turn is what the user said and the last response to it, as JSON.

The JSON is the provider's own in older files and Pingu's in newer ones; one file may
hold both. What tools were called for, and what they gave, Pingu never stored.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

from convotui.importers.databases import Row, Tables
from convotui.importers.formats import Format
from convotui.importers.records import Conversation
from convotui.importers.shaping import (
    call_block,
    chain,
    compact,
    count_of,
    dict_of,
    json_of,
    known,
    list_of,
    text_block,
    text_of,
    time_of,
)
from convotui.importers.sources import Source
from convotui.storage.arrivals import Arrival
from convotui.storage.records import SUBAGENT_PREFIX, Block, ReplyFacts

_DELEGATE = ":delegate:"
_COLUMNS = ("session_id", "id", "user_message", "response_json", "model", "created_at")


def _knows(tables: Tables) -> bool:
    return "sessions" in tables and {"user_message", "response_json"} <= tables.get(
        "turns", frozenset()
    )


def _read(source: Source) -> Iterator[Conversation]:
    with source.database("sessions", "turns") as database:
        summaries: dict[object, object] = dict(
            database.select("sessions", ("id", "summary"))
        )
        turns = database.select("turns", _COLUMNS, order="session_id, id", at=source.at)
        for session, rows in groupby(turns, itemgetter(0)):
            arrivals = _arrivals(str(session), text_of(summaries.get(session)), rows)
            yield Conversation(str(session), chain(arrivals, source.modified))


def _arrivals(
    session: str, summary: str | None, rows: Iterator[Row]
) -> Iterator[Arrival]:
    title: str | None = _title(session)
    for _, turn, prompt, response, model, created_at in rows:
        time = time_of(created_at)
        # Every file counts from one, so that a number alone would not tell them apart.
        key = f"{turn} {created_at}"
        yield Arrival(
            key=f"{key} user",
            role="user",
            blocks=[text_block(text_of(prompt) or "")],
            created_at=time,
            title=title,
            meta=known(summary=summary),
        )
        title = summary = None
        answer = json_of(response)
        if not isinstance(answer, dict):
            raw = text_block("", import_error="unreadable response_json", raw=response)
            blocks, facts = [raw], None
        else:
            blocks, facts = _blocks(answer), _facts(answer, text_of(model))
        yield Arrival(
            key=key, role="assistant", blocks=blocks, created_at=time, facts=facts
        )


def _title(session: str) -> str:
    parent, delegate, agent = session.rpartition(_DELEGATE)
    return f"{SUBAGENT_PREFIX}{agent}:{parent}" if delegate else session


def _facts(answer: dict[str, Any], model: str | None) -> ReplyFacts:
    usage = dict_of(answer.get("usage")) or answer
    return ReplyFacts(
        model=text_of(answer.get("model")) or model,
        input_tokens=count_of(usage.get("input_tokens")),
        output_tokens=count_of(usage.get("output_tokens")),
        cached_tokens=count_of(
            dict_of(usage.get("input_tokens_details")).get("cached_tokens")
        ),
        reasoning_tokens=count_of(
            dict_of(usage.get("output_tokens_details")).get("reasoning_tokens")
        ),
    )


def _blocks(answer: dict[str, Any]) -> list[Block]:
    items = map(dict_of, list_of(answer.get("output")))
    blocks = [block for item in items for block in _item_blocks(item)]
    return blocks or [text_block("")]


def _item_blocks(item: dict[str, Any]) -> Iterator[Block]:
    content = item.get("content")
    match item.get("type"):
        case "message" if isinstance(content, str):
            yield text_block(content)
        case "message":
            for part in map(dict_of, list_of(content)):
                text = text_of(part.get("text")) or text_of(part.get("refusal"))
                yield text_block(compact(part) if text is None else text)
        case "reasoning":
            yield _thinking(dict_of(item.get("raw")) or item)
        case "function_call":
            arguments = item.get("arguments")
            parsed = json_of(arguments)
            yield call_block(
                text_of(item.get("call_id")) or text_of(item.get("id")),
                item.get("name"),
                arguments if parsed is None else parsed,
            )
        case kind:
            yield call_block(text_of(item.get("id")), kind, None, raw=item)


def _thinking(item: dict[str, Any]) -> Block:
    parts = (*list_of(item.get("summary")), *list_of(item.get("content")))
    texts = (text_of(dict_of(part).get("text")) for part in parts)
    return text_block(
        "\n\n".join(filter(None, texts)),
        kind="thinking",
        thinking_generator="responses",
        responses_reasoning_id=text_of(item.get("id")),
        responses_encrypted_content=text_of(item.get("encrypted_content")),
    )


FORMAT = Format(
    name="pingu",
    program="Pingu",
    read=_read,
    knows_tables=_knows,
    places=("{home}/.local/share/pingu/pingu.db",),
)
