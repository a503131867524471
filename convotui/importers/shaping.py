"""From what other programs keep to messages: blocks, times, trees.

Every value may be of any type; what is of none that can be used becomes nothing.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, get_args

from convotui.importers.documents import DECODER
from convotui.storage.arrivals import Arrival, fingerprint
from convotui.storage.records import Block, Modality, ReplyState

_EPOCH = datetime(1970, 1, 1)
_DATA_URL = re.compile(r"data:([\w.+-]+/[\w.+-]+)?(?:;[^,;]*)*;base64,", re.ASCII)
_FRACTION = re.compile(r"(\.\d{6})\d+")
_LARGEST = 2**63
_STATES: tuple[ReplyState, ...] = get_args(ReplyState)


def text_of(value: object) -> str | None:
    """Return a value that is text and not empty."""
    return value if isinstance(value, str) and value else None


def string_of(value: object) -> str | None:
    """Return a value that is text, be it empty."""
    return value if isinstance(value, str) else None


def dict_of(value: object) -> dict[str, Any]:
    """Return a value that is an object; an empty one if it is none."""
    return value if isinstance(value, dict) else {}


def list_of(value: object) -> list[Any]:
    """Return a value that is a list; an empty one if it is none."""
    return value if isinstance(value, list) else []


def count_of(value: object) -> int | None:
    """Return a value that is a whole number which can be kept."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if not math.isfinite(value) or not -_LARGEST < value < _LARGEST:
        return None
    return int(value)


def amount_of(value: object) -> float | None:
    """Return a value that is a finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        amount = float(value)
    except OverflowError:
        return None
    return amount if math.isfinite(amount) else None


def json_of(value: object) -> Any:
    """Return what a text of JSON says; `None` if it is none."""
    if not isinstance(value, str):
        return None
    try:
        return DECODER.decode(value)
    except (ValueError, RecursionError):
        return None


def compact(value: object) -> str:
    """Return a value as JSON without spaces."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except (ValueError, RecursionError):
        return "null"


def known(**values: object) -> dict[str, Any]:
    """Return those of the values that are known."""
    return {name: value for name, value in values.items() if value is not None}


def text_block(
    text: str, *, kind: str = "content", call: str | None = None, **extra: object
) -> Block:
    """Return a block of text; what `extra` knows goes to its extra fields."""
    return Block(text, kind, id=call, extra_fields=_extra(extra))


def json_block(value: object, *, call: str | None = None) -> Block:
    """Return a block of text that is JSON."""
    text = json.dumps(value, ensure_ascii=False)
    return Block(text, mime_type="application/json", id=call)


def call_block(
    call: str | None, name: object, parameters: object, **extra: object
) -> Block:
    """Return a block that calls a tool."""
    content = compact({"name": name, "parameters": parameters})
    return Block(
        content,
        "tool_call",
        mime_type="application/json",
        id=call,
        extra_fields=_extra(extra),
    )


def image_block(data: bytes | str, mime_type: str, **extra: object) -> Block:
    """Return a block with a picture, or another file, as bytes or as base64."""
    content = base64.b64encode(data).decode() if isinstance(data, bytes) else data
    modality = {"audio": Modality.AUDIO, "video": Modality.VIDEO}.get(
        mime_type.partition("/")[0], Modality.IMAGE
    )
    return Block(content, "content", modality, mime_type, extra_fields=_extra(extra))


def url_block(url: object) -> Block:
    """Return the block for a picture's address, which may hold the picture itself."""
    address = url if isinstance(url, str) else compact(url)
    if (match := _DATA_URL.match(address)) is not None:
        data = address[match.end() :]
        try:
            base64.b64decode(data, validate=True)
        except (binascii.Error, ValueError):
            return text_block(address, unreadable="image")
        return image_block(data, match[1] or "application/octet-stream")
    return text_block(f"[image: {address}]", image_url=address)


def _extra(extra: Mapping[str, object]) -> str | None:
    fields = known(**extra)
    return compact(fields) if fields else None


def time_of(value: object) -> datetime | None:
    """Read a time as ISO 8601 text, with a zone or in UTC, or as seconds since 1970."""
    if isinstance(value, str):
        try:
            time = datetime.fromisoformat(_FRACTION.sub(r"\1", value.strip()))
            if time.tzinfo is not None:
                time = time.astimezone(UTC).replace(tzinfo=None)
            return time
        except (ValueError, OverflowError):
            return None
    seconds = amount_of(value)
    if seconds is None:
        return None
    try:
        return _EPOCH + timedelta(seconds=seconds)
    except OverflowError:
        return None


def milliseconds(value: object) -> datetime | None:
    """Read a time as milliseconds since 1970."""
    amount = amount_of(value)
    if amount is None:
        return None
    try:
        return _EPOCH + timedelta(milliseconds=amount)
    except OverflowError:
        return None


def state_of(value: object) -> ReplyState:
    """Read the state of a reply; nobody goes on to write one that has been copied."""
    if value == "streaming":
        return "interrupted"
    return next((state for state in _STATES if state == value), "complete")


class ContentKeys:
    """Keys for messages that have none: by what they say, and how often it was said.

    They stay the same when a program drops what came before, as a number would not.
    """

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def named(self, arrival: Arrival, *more: object) -> Arrival:
        """Return a message with its key; `more` is what else of it never changes."""
        mark = fingerprint(arrival.role, arrival.tool_result_error, arrival.blocks)
        mark = "-".join([mark, *map(str, more)])
        self._counts[mark] += 1
        return replace(arrival, key=f"{mark}-{self._counts[mark]}")


def chain(messages: Iterable[Arrival], fallback: datetime) -> list[Arrival]:
    """Hang each message from the one before, with times that never go back.

    One without a time has that of the one before; the first, the earliest that is
    known, or else the fallback. One without a key gets one by its content.
    """
    keys = ContentKeys()
    ordered: list[Arrival] = []
    parent: str | None = None
    for message in messages:
        named = message if message.key else keys.named(message)
        ordered.append(replace(named, parent=parent))
        parent = named.key
    return _with_times(ordered, fallback)


def parents_first(
    messages: Iterable[Arrival], fallback: datetime | None
) -> list[Arrival]:
    """Put messages in an order in which each comes after its parent.

    Otherwise they stay in theirs. Of two with one key the first is kept, a parent that
    does not exist is forgotten, and a ring is cut above the first of its messages that
    is come upon. Times are as `chain` makes them, or without a fallback as they are.
    """
    found: dict[str, Arrival] = {}
    for message in messages:
        found.setdefault(message.key, message)
    ordered: dict[str, Arrival] = {}
    for start in found:
        path: dict[str, None] = {}
        key: str | None = start
        while key in found and key not in ordered and key not in path:
            path[key] = None
            key = found[key].parent
        way = list(path)
        if key in path:
            root = way.index(key)
            ordered[key] = replace(found[key], parent=None)
            del way[root]
        elif way and key not in ordered:
            found[way[-1]] = replace(found[way[-1]], parent=None)
        for step in reversed(way):
            ordered[step] = found[step]
    in_order = list(ordered.values())
    # There may be millions of them.
    del found, ordered
    return in_order if fallback is None else _with_times(in_order, fallback)


def _with_times(messages: list[Arrival], fallback: datetime) -> list[Arrival]:
    times = (m.created_at for m in messages if m.created_at is not None)
    first = min(times, default=fallback)
    when: dict[str | None, datetime] = {}
    for place, message in enumerate(messages):
        earliest = when.get(message.parent, first)
        time = when[message.key] = max(message.created_at or earliest, earliest)
        if time is not message.created_at:
            messages[place] = replace(message, created_at=time)
    return messages
