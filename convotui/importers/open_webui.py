"""Open WebUI: exported chats, and the table of its database that holds the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from convotui.importers.databases import Tables
from convotui.importers.formats import Format
from convotui.importers.open_webui_text import reply_content
from convotui.importers.records import Conversation
from convotui.importers.shaping import (
    amount_of,
    compact,
    count_of,
    dict_of,
    json_of,
    known,
    list_of,
    milliseconds,
    text_block,
    text_of,
    time_of,
    url_block,
)
from convotui.importers.sources import Source
from convotui.importers.trees import Result, Tree
from convotui.storage.arrivals import Arrival
from convotui.storage.records import Block, ReplyFacts, ReplyState

_COLUMNS = (
    "id",
    "title",
    "chat",
    "created_at",
    "updated_at",
    "archived",
    "pinned",
    "meta",
    "folder_id",
)
_KEPT = (
    "modelName",
    "models",
    "modelIdx",
    "statusHistory",
    "sources",
    "citations",
    "annotation",
    "followUps",
    "usage",
    "info",
)
_LATEST_SECONDS = 100_000_000_000

Fields = dict[str, Any]


def _knows_tables(tables: Tables) -> bool:
    return {"id", "user_id", "chat"} <= tables.get("chat", frozenset())


def _knows_records(records: Sequence[Any]) -> bool:
    return any(_is_chat(_whole(dict_of(record))) for record in records)


def _whole(record: Fields) -> Fields:
    """Return a chat with what is known of it, which may be no more than itself."""
    is_bare = "chat" not in record and isinstance(record.get("history"), dict)
    return {"chat": record} if is_bare else record


def _is_chat(record: Fields) -> bool:
    chat = dict_of(record.get("chat"))
    return isinstance(dict_of(chat.get("history")).get("messages"), dict) or (
        isinstance(chat.get("messages"), list)
        and ("models" in chat or "history" in chat)
    )


def _read(source: Source) -> Iterator[Conversation]:
    if source.is_database:
        with source.database("chat") as database:
            rows = database.select(
                "chat", _COLUMNS, order="created_at, id", at=source.at
            )
            for row in rows:
                record = dict(zip(_COLUMNS, row, strict=True))
                record["chat"] = json_of(record["chat"])
                record["meta"] = json_of(record["meta"])
                yield from _conversation(source, record, f"chat {row[0]}")
    else:
        for item in source.records():
            yield from _conversation(source, _whole(dict_of(item.value)), item.where)


def _conversation(source: Source, record: Fields, where: str) -> Iterator[Conversation]:
    if not _is_chat(record):
        source.skip(where, "is no chat.")
        return
    chat = dict_of(record["chat"])
    messages = dict_of(dict_of(chat.get("history")).get("messages"))
    tree = _tree(messages.values() if messages else _in_a_row(chat.get("messages")))
    arrivals = tree.arrivals(_time(record.get("created_at")) or source.modified)
    if arrivals:
        key = text_of(record.get("id")) or text_of(chat.get("id")) or arrivals[0].key
        yield Conversation(key, [_begun(arrivals[0], record, chat), *arrivals[1:]])


def _in_a_row(messages: object) -> Iterator[Fields]:
    """Yield the messages of the first versions, which had no branches."""
    before: str | None = None
    for number, message in enumerate(map(dict_of, list_of(messages))):
        key = text_of(message.get("id")) or str(number)
        yield {**message, "id": key, "parentId": before}
        before = key


def _begun(first: Arrival, record: Fields, chat: Fields) -> Arrival:
    """Return the first message with what is known of the whole chat."""
    meta = known(
        system=text_of(dict_of(chat.get("params")).get("system"))
        or text_of(chat.get("system")),
        tags=list_of(dict_of(record.get("meta")).get("tags")) or None,
        folder=text_of(record.get("folder_id")),
        pinned=True if record.get("pinned") else None,
        archived=True if record.get("archived") else None,
    )
    title = text_of(record.get("title")) or text_of(chat.get("title"))
    return replace(first, title=title, meta={**meta, **first.meta})


def _tree(messages: Iterable[Any]) -> Tree:
    tree = Tree()
    for message in map(dict_of, messages):
        key, parent = text_of(message.get("id")), text_of(message.get("parentId"))
        if key is None:
            continue
        stored = text_of(message.get("role")) or "user"
        if stored == "system":
            tree.pass_over(key, parent, system=_text(message.get("content")))
            continue
        is_reply = stored == "assistant"
        arrival = Arrival(
            key=key,
            role="assistant" if is_reply else "user",
            blocks=(),
            parent=parent,
            created_at=_time(message.get("timestamp")),
            facts=_facts(message) if is_reply else None,
            meta=known(
                open_webui_role=None if stored in ("user", "assistant") else stored,
                **{name: message.get(name) or None for name in _KEPT},
            ),
        )
        tree.add(arrival, _content(message, is_reply=is_reply))
    return tree


def _time(value: object) -> datetime | None:
    """Read a time that is in seconds, or in what others brought in, milliseconds."""
    amount = amount_of(value)
    is_large = amount is not None and amount > _LATEST_SECONDS
    return milliseconds(value) if is_large else time_of(value)


def _content(message: Fields, *, is_reply: bool) -> Iterator[Block | Result]:
    content = message.get("content")
    if isinstance(content, list):
        yield from _parts(content)
    elif is_reply:
        yield from reply_content(message)
    elif text := _text(content):
        yield text_block(text)
    for file in map(dict_of, list_of(message.get("files"))):
        if file.get("type") == "image":
            yield url_block(file.get("url"))
        else:
            name = text_of(file.get("name")) or text_of(file.get("url")) or "file"
            yield text_block(f"[file: {name}]", file=file)


def _parts(parts: list[Any]) -> Iterator[Block]:
    for part in map(dict_of, parts):
        if part.get("type") == "image_url":
            yield url_block(dict_of(part.get("image_url")).get("url"))
        else:
            text = text_of(part.get("text"))
            yield text_block(compact(part) if text is None else text)


def _text(content: object) -> str:
    return content if isinstance(content, str) else compact(content)


def _facts(message: Fields) -> ReplyFacts:
    # The first versions had it in what they call info.
    usage = dict_of(message.get("usage")) or dict_of(message.get("info"))
    error = message.get("error")
    reason = text_of(dict_of(error).get("content")) or text_of(error)
    state: ReplyState = "complete"
    if error:
        state = "failed"
    elif message.get("done") is False:
        state = "interrupted"
    return ReplyFacts(
        model=text_of(message.get("model")),
        input_tokens=_count(
            usage, "prompt_tokens", "input_tokens", "prompt_eval_count"
        ),
        output_tokens=_count(usage, "completion_tokens", "output_tokens", "eval_count"),
        cached_tokens=_count(
            dict_of(usage.get("prompt_tokens_details")), "cached_tokens"
        ),
        reasoning_tokens=_count(
            dict_of(usage.get("completion_tokens_details")), "reasoning_tokens"
        ),
        cost=amount_of(usage.get("cost")),
        state=state,
        error=reason,
    )


def _count(usage: Fields, *names: str) -> int | None:
    counts = (count_of(usage.get(name)) for name in names)
    return next((count for count in counts if count is not None), None)


FORMAT = Format(
    name="open-webui",
    program="Open WebUI",
    read=_read,
    knows_tables=_knows_tables,
    knows_records=_knows_records,
    places=("{DATA_DIR}/webui.db", "{home}/.open-webui/webui.db"),
)
