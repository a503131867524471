"""One block of a message as Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from convotui.export.containment import code_span, contained, fenced, plain, quoted
from convotui.export.words import call_parts, data_name, kind, pretty, secrecy
from convotui.storage.records import Block, ChatMessage

Clean = Callable[[str], str]
"""Makes a text from outside fit for where the export goes."""

_APART = "<!-- -->"
"""Keeps a text from continuing the list that the text before it ended with."""


def message_markdown(message: ChatMessage, clean: Clean) -> Iterator[str]:
    """Yield the blocks of a message, each of which ends by itself."""
    before, answered = "", None
    for block in message.blocks:
        now = kind(block, message.role)
        if message.role == "tool_result" and block.id and block.id != answered:
            answered = block.id
            yield f"**Result of** {code_span(clean(block.id))}"
        written = _written(block, now, clean)
        if not written:
            continue
        if now == before == "text":
            yield _APART
        yield written
        before = now


def _written(block: Block, now: str, clean: Clean) -> str:
    match now:
        case "text":
            text = clean(block.content)
            return contained(text) if text.strip() else ""
        case "thinking":
            text = clean(block.content)
            return "> **Thinking**" + (f"\n>\n{quoted(text)}" if text.strip() else "")
        case "secret":
            return f"> **Thinking** ({secrecy(block)})"
        case "call":
            return _call(block, clean)
        case "data":
            named = f"*[{plain(clean(data_name(block)))}]*"
            return named if block.type == "content" else _titled(block, named, clean)
        case "result":
            return _verbatim(block.content, clean)
    return _titled(block, _verbatim(block.content, clean), clean)


def _titled(block: Block, body: str, clean: Clean) -> str:
    return f"**Block of type** {code_span(clean(block.type))}\n\n{body}"


def _call(block: Block, clean: Clean) -> str:
    name, parameters = call_parts(block)
    parts = ["**Tool call**"]
    if name:
        parts.append(code_span(clean(name)))
    if block.id:
        parts.append(f"({code_span(clean(block.id))})")
    line = " ".join(parts)
    if parameters is None:
        return line
    return f"{line}\n\n{_verbatim(parameters, clean)}"


def _verbatim(text: str, clean: Clean) -> str:
    indented = pretty(text)
    if indented is None:
        return fenced(clean(text))
    return fenced(clean(indented), "json")
