"""What Open WebUI shows of a reply, taken apart: thinking and tools between the text.

Older versions keep it as HTML inside of the text, newer ones as a list of items.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Any

from convotui.importers.shaping import (
    call_block,
    compact,
    dict_of,
    json_of,
    list_of,
    text_block,
    text_of,
)
from convotui.importers.trees import Result
from convotui.storage.records import Block

_DETAILS = re.compile(
    r'<details\s+type="(reasoning|tool_calls|code_interpreter)"([^<>]*)>'
)
_END = "</details>"
_ATTRIBUTE = re.compile(r'(?<![\w-])([\w-]+)="([^"]*)"')
_SUMMARY = re.compile(r"\s*<summary>[^<]*</summary>\n?")
_QUOTED = re.compile(r"^(?:>|&gt;) ?", re.MULTILINE)


def reply_content(message: dict[str, Any]) -> Iterator[Block | Result]:
    """Yield what a reply holds, in the order in which it came."""
    content, items = message.get("content"), list_of(message.get("output"))
    text = content if isinstance(content, str) else ""
    if items and _DETAILS.search(text) is None:
        for item in map(dict_of, items):
            yield from _item(item)
    else:
        yield from _shown(text)


def _shown(text: str) -> Iterator[Block | Result]:
    position = 0
    while (match := _DETAILS.search(text, position)) is not None:
        end = text.find(_END, match.end())
        if end < 0:
            # It was cut off while it was written.
            end = len(text)
        yield from _said(text[position : match.start()])
        summary = _SUMMARY.match(text, match.end(), end)
        inner = text[match.end() if summary is None else summary.end() : end]
        found = _ATTRIBUTE.finditer(match[2])
        fields = {
            name: html.unescape(value) for name, value in (m.groups() for m in found)
        }
        yield from _details(match[1], fields, inner.strip("\n"))
        position = end + len(_END)
    yield from _said(text[position:])


def _said(text: str) -> Iterator[Block]:
    if text := text.strip("\n"):
        yield text_block(text)


def _details(kind: str, fields: dict[str, str], inner: str) -> Iterator[Block | Result]:
    if kind == "reasoning":
        thought = html.unescape(_QUOTED.sub("", inner))
        yield text_block(thought, kind="thinking", duration=fields.get("duration"))
        return
    call = fields.get("id") or None
    if kind == "tool_calls":
        yield call_block(call, fields.get("name"), _decoded(fields.get("arguments")))
        given = _decoded(fields.get("result"))
    else:
        yield call_block(call, kind, {"code": inner})
        given = _decoded(fields.get("output"))
    if given not in (None, ""):
        text = given if isinstance(given, str) else compact(given)
        yield Result(call, [text_block(text)])


def _decoded(value: str | None) -> Any:
    """Read JSON that may itself be in a text of JSON."""
    for _ in range(2):
        if (inner := json_of(value)) is None:
            break
        value = inner
    return value


def _item(item: dict[str, Any]) -> Iterator[Block | Result]:
    call = text_of(item.get("call_id")) or text_of(item.get("id"))
    match item.get("type"):
        case "message":
            yield from _said(_text(item.get("content")))
        case "reasoning":
            parts = [*list_of(item.get("summary")), *list_of(item.get("content"))]
            yield text_block(_text(parts), kind="thinking")
        case "function_call":
            yield call_block(call, item.get("name"), _decoded(item.get("arguments")))
        case "function_call_output":
            yield Result(call, [text_block(_text(item.get("output")))])
        case kind:
            yield call_block(call, kind, None, raw=item)


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    texts = (text_of(dict_of(part).get("text")) for part in list_of(content))
    return "\n".join(filter(None, texts))
