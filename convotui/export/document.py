"""convotui's own file format: messages as one JSON document, and back again.

Nothing is lost on the way but what JSON cannot hold: numbers that are not finite
become unknown, and two halves of a character that stand together become one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from convotui.export.document_fields import DocumentError, read_message
from convotui.export.message_values import Described, values_of
from convotui.export.plain_json import plain_json
from convotui.storage.records import ChatMessage

FORMAT = "convotui"
VERSION = 1

__all__ = ["FORMAT", "VERSION", "DocumentError", "dumps", "dumps_described", "loads"]


def dumps(messages: Iterable[ChatMessage]) -> Iterator[str]:
    """Yield a document of `messages`, one to a line, that can be shown anywhere."""
    return dumps_described((message, None) for message in messages)


def dumps_described(messages: Iterable[Described]) -> Iterator[str]:
    """Yield a document of messages that also tells where they came from."""
    yield f'{{"format": "{FORMAT}", "version": {VERSION}, "messages": ['
    separator = "\n"
    for described in messages:
        yield separator + plain_json(values_of(described))
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
