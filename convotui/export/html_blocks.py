"""One block of a message as HTML."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from html import escape

from convotui.export.html_text import plain_html, text_html
from convotui.export.words import call_parts, data_name, kind, pretty, secrecy
from convotui.storage.records import Block, ChatMessage
from convotui.text import cut, visible_line

_IMAGES = frozenset(("image/png", "image/jpeg", "image/gif", "image/webp"))
_PEEK_CELLS = 100


def message_html(message: ChatMessage, tools: Mapping[str, str]) -> str:
    """Return the blocks of a message; `tools` names the tool of each call's id."""
    written = "".join(
        _written(block, message, tools.get(block.id or "", ""))
        for block in message.blocks
    )
    return written or note("Empty")


def note(text: str) -> str:
    """Return a line about what is not shown."""
    return f'<p class="note">{line_html(text)}</p>\n'


def line_html(text: str) -> str:
    """Return foreign text as one line that is text and nothing else."""
    return escape(visible_line(text))


def peek(text: str) -> str:
    """Return how a text begins, for the line that stands for it."""
    return cut(visible_line(text[: 4 * _PEEK_CELLS]), _PEEK_CELLS)


def _written(block: Block, message: ChatMessage, tool: str) -> str:
    text = block.content
    match kind(block, message.role):
        case "text":
            written = text_html(text) if text.strip() else ""
            return (
                f'<div class="text" dir="auto">\n{written}</div>\n' if written else ""
            )
        case "thinking":
            body = f'<div class="text" dir="auto">\n{text_html(text)}</div>\n'
            return _folded("Thinking", "", text, body)
        case "secret":
            return note(f"Thinking ({secrecy(block)})")
        case "call":
            name, given = call_parts(block)
            return _folded("Tool call", name, given or "", _verbatim(given or ""))
        case "result":
            name = tool or block.id or ""
            return _folded(
                "Result of" if name else "Result", name, text, _verbatim(text)
            )
        case "data":
            known = block.type == "content"
            named = data_name(block) if known else f"{block.type}: {data_name(block)}"
            return _image(block) or note(f"[{named}]")
    return _folded("Block of type", block.type, text, _verbatim(text))


def _folded(what: str, name: str, begins: str, body: str) -> str:
    code = f" <code>{line_html(name)}</code>" if name.strip() else ""
    return (
        f'<details class="aside"><summary><b>{line_html(what)}</b>{code}'
        f' <span class="peek">{escape(peek(begins))}</span></summary>\n'
        f"{body}</details>\n"
    )


def _verbatim(text: str) -> str:
    indented = pretty(text)
    return plain_html(text if indented is None else indented)


def _image(block: Block) -> str:
    if block.mime_type not in _IMAGES or not _is_base64(block.content):
        return ""
    source = f"data:{block.mime_type};base64,{block.content}"
    return f'<img src="{escape(source)}" alt="{line_html(data_name(block))}">\n'


def _is_base64(content: str) -> bool:
    try:
        return bool(base64.b64decode(content, validate=True))
    except (binascii.Error, ValueError):
        return False
