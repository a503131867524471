"""What a message of ChatGPT says: its kinds of content, and files that go with it."""

from __future__ import annotations

import mimetypes
from collections.abc import Iterator
from typing import Any

from convotui.importers.beside import Beside
from convotui.importers.shaping import (
    call_block,
    compact,
    dict_of,
    image_block,
    json_of,
    list_of,
    text_block,
    text_of,
)
from convotui.storage.records import Block

Fields = dict[str, Any]

_MAGIC = {
    b"\x89PNG": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
    b"%PDF": "application/pdf",
    b"OggS": "audio/ogg",
    b"ID3": "audio/mpeg",
}
_RIFF = {b"WEBP": "image/webp", b"WAVE": "audio/wav"}
_SHOWN = ("image/", "audio/", "video/", "application/pdf")
_POINTERS = ("asset_pointer", "audio_asset_pointer", "video_container_asset_pointer")


def said(content: Fields, beside: Beside) -> Iterator[Block]:
    """Return the blocks of content of any kind; what is left of it goes along."""
    kind = text_of(content.get("content_type")) or "text"
    match kind:
        case "text" | "multimodal_text":
            for part in list_of(content.get("parts")):
                yield from _part(part, beside)
        case "thoughts":
            yield from map(_thought, map(dict_of, list_of(content.get("thoughts"))))
        case "reasoning_recap":
            yield _thinking(_text(content.get("content")), kind)
        case "user_editable_context":
            for name in ("user_profile", "user_instructions"):
                if text := text_of(content.get(name)):
                    yield text_block(text, chatgpt_content=kind, chatgpt_field=name)
        case "system_error":
            parts = (text_of(content.get(name)) for name in ("name", "text"))
            yield text_block(": ".join(filter(None, parts)), chatgpt_content=kind)
        case _:
            yield from _other(kind, content, beside)


def call_of(key: str, tool: str, content: Fields) -> Block:
    """Return the call that a message to a tool is."""
    text = text_of(content.get("text"))
    if text is None:
        parts = list_of(content.get("parts"))
        text = "\n".join(map(_text, parts))
    language = text_of(content.get("language"))
    parameters = json_of(text)
    if not isinstance(parameters, dict):
        name = "code" if content.get("content_type") == "code" else "input"
        parameters = {name: text}
    known = None if language == "unknown" else language
    return call_block(key, tool, parameters, language=known)


def attached(metadata: Fields, beside: Beside) -> Iterator[Block]:
    """Return the files that were uploaded with a message, where they are at hand.

    Pictures stand among the parts of the message already.
    """
    for file in map(dict_of, list_of(metadata.get("attachments"))):
        kind = text_of(file.get("mime_type")) or text_of(file.get("mimeType")) or ""
        if kind.startswith("image/") or (file_id := text_of(file.get("id"))) is None:
            continue
        if (found := beside.read(file_id)) is None:
            continue
        name, data = found
        name = text_of(file.get("name")) or name
        kind = kind or mime_type(name, data)
        if kind.startswith(_SHOWN):
            yield image_block(data, kind, filename=name)
        elif (text := _decoded(data)) is not None:
            yield text_block(text, filename=name)


def _decoded(data: bytes) -> str | None:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text


def _part(part: object, beside: Beside) -> Iterator[Block]:
    if isinstance(part, str):
        if part:
            yield text_block(part)
        return
    fields = dict_of(part)
    kind = text_of(fields.get("content_type"))
    if kind == "audio_transcription":
        yield text_block(_text(fields.get("text")), chatgpt_content=kind)
    elif pointers := list(_pointers(fields)):
        for pointer, about in pointers:
            yield _asset(pointer, about, beside)
    elif part is not None:
        yield text_block(compact(part), chatgpt_content=kind or "unknown")


def _pointers(fields: Fields) -> Iterator[tuple[str, Fields]]:
    """Return what a part points to; sound and pictures of a call stand inside it."""
    for name in _POINTERS:
        value = fields.get(name)
        if isinstance(value, str) and value:
            yield value, fields
        elif inner := text_of(dict_of(value).get("asset_pointer")):
            yield inner, dict_of(value)
    for frame in list_of(fields.get("frames_asset_pointers")):
        if inner := text_of(dict_of(frame).get("asset_pointer")):
            yield inner, dict_of(frame)


def _asset(pointer: str, about: Fields, beside: Beside) -> Block:
    kind = (text_of(about.get("content_type")) or "image").partition("_")[0]
    more = {k: v for k, v in about.items() if k not in _POINTERS and v is not None}
    found = beside.read(pointer.rpartition("://")[2])
    if found is None:
        text = f"[{kind}: {pointer}]"
        return text_block(text, asset_pointer=pointer, chatgpt_part=more)
    name, data = found
    kind = mime_type(name, data)
    return image_block(
        data, kind, filename=name, asset_pointer=pointer, chatgpt_part=more
    )


def mime_type(name: str, data: bytes) -> str:
    """Return what a file is, by how it begins or else by its name."""
    if data.startswith(b"RIFF") and data[8:12] in _RIFF:
        return _RIFF[data[8:12]]
    for magic, kind in _MAGIC.items():
        if data.startswith(magic):
            return kind
    return mimetypes.guess_type(name)[0] or "application/octet-stream"


def _thought(thought: Fields) -> Block:
    parts = (text_of(thought.get(name)) for name in ("summary", "content"))
    return _thinking("\n\n".join(filter(None, parts)), None)


def _thinking(text: str, kind: str | None) -> Block:
    return text_block(
        text, kind="thinking", thinking_generator="chatgpt", chatgpt_content=kind
    )


_TEXTS: tuple[str, ...] = ("text", "result", "summary", "content", "snippet")
"""Where content of other kinds has what it says, the best first."""


def _other(kind: str, content: Fields, beside: Beside) -> Iterator[Block]:
    parts = [b for part in list_of(content.get("parts")) for b in _part(part, beside)]
    name = next((name for name in _TEXTS if text_of(content.get(name))), None)
    left_out = ("content_type", "parts", name)
    more = {k: v for k, v in content.items() if k not in left_out and v}
    text = "" if name is None else content[name]
    if name is None and not parts:
        text, more = compact(more), {}
    if text or not parts:
        yield text_block(text, chatgpt_content=kind, chatgpt_fields=more or None)
    yield from parts


def _text(value: object) -> str:
    return value if isinstance(value, str) else compact(value)
