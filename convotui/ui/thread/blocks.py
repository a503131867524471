"""What a message is made of, as units that are drawn one by one."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, NamedTuple

from convotui.export.words import call_parts, kind, pretty, secrecy
from convotui.storage.records import Block, ChatMessage, Modality
from convotui.text import cut, visible_line
from convotui.ui.thread import sections
from convotui.ui.thread.sections import Section

_TITLE = 300
"""How many characters of what is folded are read for its title."""
_PARSED = 100_000
"""A JSON text longer than this is not parsed."""


class Unit(NamedTuple):
    """A part of a message that is drawn and measured on its own."""

    kind: Literal["header", "notice", "title", "label", "text", "detail"]
    block: int = -1
    """The block it is of."""
    text: str = ""
    """What a title, a label or a notice says."""
    section: Section | None = None
    gap: bool = False
    is_open: bool = False


class Source(NamedTuple):
    """The text of a block and how it was cut."""

    text: str
    sections: list[Section]


def is_said(block: Block, role: str) -> bool:
    """Whether a block is shown as what was said."""
    return kind(block, role) == "text"


def is_foldable(block: Block, role: str) -> bool:
    """Whether a block is shown by its title until it is opened."""
    return kind(block, role) in ("result", "thinking", "call", "other")


def read(block: Block, role: str, before: Source | None = None) -> Source:
    """Cut the text of a block; what is known of it `before` it grew is kept."""
    if is_said(block, role):
        text = block.content
        if before is not None and text.startswith(before.text):
            return Source(text, sections.recut(text, before.sections))
        return Source(text, sections.cut(text))
    text = block.content
    if kind(block, role) == "call" and len(text) <= _PARSED:
        text = call_parts(block)[1] or ""
    indented = pretty(text) if len(text) <= _PARSED else None
    if indented is None:
        return Source(text, sections.code(text, ""))
    return Source(indented, sections.code(indented, "json"))


def title(block: Block, role: str, is_open: bool) -> str:
    """What a block is, and how it begins as long as it is folded."""
    text, name = block.content, str(kind(block, role))
    if name == "call":
        tool, given = call_parts(block) if len(text) <= _PARSED else ("", text)
        shown = _beginning(given or "") if not is_open else "" if tool else name
        return f"{visible_line(tool)} {shown}".strip()
    count = text.count("\n") + (not text.endswith("\n")) if text else 0
    parts = [visible_line(block.type) if name == "other" else name]
    parts.append(f"{count:,} line{'s' * (count != 1)}")
    if name != "thinking" and not is_open:
        parts.append(_beginning(text))
    return "\n".join(part for part in parts if part)


def label(block: Block) -> str:
    """What stands for a block that cannot be read."""
    if kind(block, "") == "secret":
        return f"[thinking, {secrecy(block)}]"
    size = max(0, len(block.content) * 3 // 4 - block.content[-2:].count("="))
    name = block.extra.get("filename")
    known = block.modality in Modality.__members__.values()
    modality = Modality(block.modality).name.lower() if known else "data"
    parts = [visible_line(block.mime_type) or modality, _bytes(size)]
    if isinstance(name, str) and name:
        parts.append(cut(visible_line(name), 60))
    return "[" + "\n".join(parts) + "]"


def units(
    message: ChatMessage, sources: dict[int, Source], opened: Collection[int]
) -> list[Unit]:
    """Divide a message; `sources` holds its texts and those of what is opened."""
    body: list[Unit] = []
    plain, total = 0, 0
    for number, block in enumerate(message.blocks):
        role = message.role
        gap = bool(body) and (body[-1].kind in ("text", "detail"))
        if is_foldable(block, role):
            is_open = number in opened
            shown = title(block, role, is_open)
            body.append(Unit("title", number, shown, None, gap, is_open))
            if is_open:
                body += [
                    Unit("detail", number, "", section, section.gap and index > 0)
                    for index, section in enumerate(sources[number].sections)
                ]
        elif number in sources:
            plain += _plain(sources[number])
            total += len(block.content)
            body += [
                Unit("text", number, "", section, section.gap if index else bool(body))
                for index, section in enumerate(sources[number].sections)
            ]
        else:
            body.append(Unit("label", number, label(block), None, gap))
    head = [Unit("header")]
    if plain:
        share = "" if plain == total else f" of {_bytes(total)}"
        much = f"{_bytes(plain)}{share}"
        head.append(Unit("notice", text=f"shown as plain text: {much}"))
    error = message.facts.error if message.facts else None
    foot = [Unit("notice", text=visible_line(error), gap=bool(body))] if error else []
    return [*head, *body, *foot]


def _plain(source: Source) -> int:
    return sum(s.end - s.start for s in source.sections if s.kind == "plain")


def _beginning(text: str) -> str:
    return visible_line(text[:_TITLE])


def _bytes(count: int) -> str:
    for unit, size in (("MB", 1_000_000), ("kB", 1_000)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count} bytes"
