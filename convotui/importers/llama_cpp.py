"""The web UI of llama.cpp: exported conversations, as lines or as one document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from convotui.importers.formats import Format
from convotui.importers.records import Conversation
from convotui.importers.shaping import (
    amount_of,
    call_block,
    count_of,
    dict_of,
    json_of,
    known,
    list_of,
    milliseconds,
    text_block,
    text_of,
    url_block,
)
from convotui.importers.shelf import Shelf
from convotui.importers.sources import Source
from convotui.importers.trees import Tree
from convotui.storage.arrivals import Arrival
from convotui.storage.records import Block, ReplyFacts, Role

_ROLES: dict[str, Role] = {"assistant": "assistant", "tool": "tool_result"}
_THINKING = ("thinking", "reasoningContent", "reasoning_content")

Fields = dict[str, Any]


def _knows(records: Sequence[Any]) -> bool:
    return any(map(_is_whole, records)) or any(
        "convId" in dict_of(dict_of(record).get("message")) for record in records
    )


def _is_whole(record: Any) -> bool:
    """Whether a record is a conversation, as versions before the lines wrote it."""
    return isinstance(dict_of(record).get("conv"), dict) and isinstance(
        record.get("messages"), list
    )


def _read(source: Source) -> Iterator[Conversation]:
    names: dict[str, Fields] = {}
    gathered: dict[str, _Gathered] = {}
    for item in source.records():
        record = dict_of(item.value)
        message = dict_of(record.get("message"))
        if _is_whole(record):
            whole = _Gathered(source.shelf())
            for one in map(dict_of, record["messages"]):
                whole.add(one)
            yield from whole.conversation(dict_of(record["conv"]), source.modified)
        elif record.get("type") == "session":
            names.setdefault(str(record.get("id")), record)
        elif _name(message.get("id")) is not None:
            key = str(message.get("convId"))
            if key not in gathered:
                gathered[key] = _Gathered(source.shelf())
            gathered[key].add(message)
        else:
            source.skip(item.where, "is no message.")
    for key, messages in gathered.items():
        about = {"id": key, **names.get(key, {})}
        yield from messages.conversation(about, source.modified)


class _Gathered:
    """The messages of one conversation, as they come."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._tree = Tree(shelf)

    def conversation(self, about: Fields, modified: datetime) -> Iterator[Conversation]:
        """Return it, if there was anything in it."""
        arrivals = self._tree.arrivals(modified)
        if arrivals:
            arrivals[0] = replace(arrivals[0], title=text_of(about.get("name")))
            key = text_of(about.get("id")) or arrivals[0].key
            yield Conversation(key, self._shelf.brought_back(arrivals))

    def add(self, message: Fields) -> None:
        """Take in a message, or what stands between messages."""
        key, parent = _name(message.get("id")), _name(message.get("parent"))
        if key is None:
            return
        stored = text_of(message.get("role")) or "user"
        if message.get("type") == "root" or stored == "system":
            text = text_of(message.get("content"))
            self._tree.pass_over(key, parent, **known(system=text))
            return
        role = _ROLES.get(stored, "user")
        call = text_of(message.get("toolCallId")) if role == "tool_result" else None
        blocks = [replace(b, id=call or b.id) for b in _blocks(message)]
        self._tree.add(
            Arrival(
                key=key,
                role=role,
                blocks=blocks or [text_block("", call=call)],
                parent=parent,
                created_at=milliseconds(message.get("timestamp")),
                facts=_facts(message) if role == "assistant" else None,
                meta=known(
                    llama_cpp_role=None if stored in ("user", *_ROLES) else stored,
                    timings=message.get("timings"),
                ),
            )
        )


def _name(value: object) -> str | None:
    """Return an id, which was a number in the first versions."""
    return text_of(value) or (None if (n := count_of(value)) is None else str(n))


def _facts(message: Fields) -> ReplyFacts:
    timings = dict_of(message.get("timings"))
    cached, fresh = count_of(timings.get("cache_n")), count_of(timings.get("prompt_n"))
    spent = [amount_of(timings.get(name)) for name in ("prompt_ms", "predicted_ms")]
    return ReplyFacts(
        model=text_of(message.get("model")),
        input_tokens=None if fresh is None else fresh + (cached or 0),
        output_tokens=count_of(timings.get("predicted_n")),
        cached_tokens=cached,
        first_token_seconds=None if spent[0] is None else spent[0] / 1000,
        duration_seconds=sum(filter(None, spent)) / 1000 if any(spent) else None,
    )


def _blocks(message: Fields) -> Iterator[Block]:
    for name in _THINKING:
        if (thought := text_of(message.get(name))) is not None:
            yield text_block(thought, kind="thinking")
    if (text := text_of(message.get("content"))) is not None:
        yield text_block(text)
    for file in map(dict_of, list_of(message.get("extra"))):
        yield from _file(file)
    calls = message.get("toolCalls")
    for tool in map(
        dict_of, list_of(json_of(calls) if isinstance(calls, str) else calls)
    ):
        function = dict_of(tool.get("function"))
        arguments = function.get("arguments")
        parsed = json_of(arguments)
        yield call_block(
            text_of(tool.get("id")),
            function.get("name"),
            arguments if parsed is None else parsed,
        )


def _file(file: Fields) -> Iterator[Block]:
    name, text = text_of(file.get("name")), text_of(file.get("content"))
    match file.get("type"):
        case "imageFile":
            yield url_block(file.get("base64Url"))
        case "audioFile":
            mime_type = text_of(file.get("mimeType")) or "audio/wav"
            yield url_block(f"data:{mime_type};base64,{file.get('base64Data')}")
        case _ if text is not None:
            yield text_block(text, filename=name)
            for page in list_of(file.get("images")):
                yield url_block(page)
        case _:
            yield text_block(f"[file: {name}]", file=file)


FORMAT = Format(
    name="llama.cpp",
    program="the web UI of llama.cpp",
    read=_read,
    knows_records=_knows,
)
