"""convotui's own file format: messages as one JSON document, and back again.

Nothing is lost on the way but what JSON cannot hold: numbers that are not finite
become unknown, and two halves of a character that stand together become one.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import fields
from typing import Any

from convotui.export.document_fields import DocumentError, read_message
from convotui.storage.records import UNKNOWN_TIME, Block, ChatMessage, ReplyFacts
from convotui.text import visible

FORMAT = "convotui"
VERSION = 1

_NOT_ASCII = re.compile("[^ -~]")

# What `asdict` finds out anew for each of many messages, copying all it finds.
_NAMES = {
    record: tuple(field.name for field in fields(record))
    for record in (ChatMessage, Block, ReplyFacts)
}

__all__ = ["FORMAT", "VERSION", "DocumentError", "dumps", "loads"]


def dumps(messages: Iterable[ChatMessage]) -> Iterator[str]:
    """Yield a document of `messages`, one to a line, that can be shown anywhere."""
    yield f'{{"format": "{FORMAT}", "version": {VERSION}, "messages": ['
    separator = "\n"
    for message in messages:
        yield separator + _line(message)
        separator = ",\n"
    yield "\n]}\n"


def loads(text: str) -> list[ChatMessage]:
    """Read the messages of a document; keys that are not known are passed over.

    Raises:
        DocumentError: If it is not a document that this version can read.
    """
    try:
        document = json.loads(text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        raise DocumentError(
            f"Not a JSON document: line {error.lineno}, column {error.colno}"
        ) from None
    except (ValueError, RecursionError):
        raise DocumentError("Not a JSON document that can be read") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise DocumentError("Not a convotui document")
    version = document.get("version")
    if type(version) is not int or version < 1:
        raise DocumentError("A convotui document without a version")
    if version > VERSION:
        raise DocumentError("Written by a newer version of convotui")
    messages = document.get("messages")
    if not isinstance(messages, list):
        raise DocumentError("A convotui document without a list of messages")
    return [read_message(value, number) for number, value in enumerate(messages, 1)]


def _line(message: ChatMessage) -> str:
    known = message.created_at != UNKNOWN_TIME
    values = {
        **_values(message),
        "blocks": [_values(block) for block in message.blocks],
        "created_at": message.created_at.isoformat(" ") if known else None,
    }
    if message.facts is not None:
        facts = _values(message.facts)
        values["facts"] = {name: _finite(value) for name, value in facts.items()}
    line = json.dumps(values, ensure_ascii=False)
    # An escape is the same character to whoever reads it, and steers no terminal.
    return line if visible(line) == line else _NOT_ASCII.sub(_escaped, line)


def _values(record: ChatMessage | Block | ReplyFacts) -> dict[str, Any]:
    return {name: getattr(record, name) for name in _NAMES[type(record)]}


def _finite(value: object) -> object:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _escaped(match: re.Match[str]) -> str:
    char = match[0]
    return char if visible(char) == char else json.dumps(char)[1:-1]
