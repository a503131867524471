"""A thread as the messages that OpenAI's chat completions, and others, take.

There is no place in them for thinking, nor for what a reply holds beside words and
calls; whether a tool failed is only in the words of its result.
"""

from __future__ import annotations

import mimetypes
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from convotui.export.exchange import (
    NO_RESULT,
    call_of,
    lost,
    paired,
    side_of,
    system_text,
    tool_call,
)
from convotui.export.left_out import LeftOut
from convotui.export.plain_json import plain_json
from convotui.storage.records import Block, ChatMessage, Modality

_AUDIO = {
    "audio/mp3": "mp3",
    "audio/mpeg": "mp3",
    "audio/wav": "wav",
    "audio/x-wav": "wav",
}
_DEFAULT_TYPES: dict[int, str] = {
    Modality.IMAGE: "image/png",
    Modality.AUDIO: "audio/wav",
    Modality.VIDEO: "video/mp4",
}

Fields = dict[str, Any]


def openai_messages(
    messages: Iterable[ChatMessage], left_out: LeftOut
) -> Iterator[str]:
    """Yield a list of the messages of a thread, one to a line."""
    separator = "["
    for message in _Writer(left_out).messages(paired(messages)):
        yield f"{separator}\n{plain_json(message)}"
        separator = ","
    yield "[]\n" if separator == "[" else "\n]\n"


class _Writer:
    def __init__(self, left_out: LeftOut) -> None:
        self._left_out = left_out

    def messages(self, thread: Iterable[ChatMessage]) -> Iterator[Fields]:
        files: list[Fields] = []
        for message in thread:
            side = side_of(message)
            if side != "tool_result" and files:
                # A tool's result can only be text, so these come after all results.
                yield {"role": "user", "content": files}
                files = []
            if side == "system":
                yield {"role": "system", "content": system_text(message)}
            elif side == "assistant":
                yield self._assistant(message)
            elif side == "user":
                yield {"role": "user", "content": _said(self._parts(message))}
            else:
                result, shown = self._result(message)
                yield result
                files += shown
        if files:
            yield {"role": "user", "content": files}

    def _assistant(self, message: ChatMessage) -> Fields:
        texts: list[str] = []
        calls: list[Fields] = []
        for block in message.blocks:
            if block.type == "tool_call":
                calls.append(_call(block))
            elif _is_said(block) and block.is_text:
                texts.append(block.content)
            else:
                self._left_out[lost(block, message.role)] += 1
        content = _said([_text(text) for text in texts if text])
        if not calls:
            return {"role": "assistant", "content": content}
        return {"role": "assistant", "content": content or None, "tool_calls": calls}

    def _result(self, message: ChatMessage) -> tuple[Fields, list[Fields]]:
        parts = self._parts(message)
        texts = [part for part in parts if part["type"] == "text"]
        files = [part for part in parts if part["type"] != "text"]
        is_stand_in = message.blocks[0].content == NO_RESULT
        if message.tool_result_error and not is_stand_in:
            self._left_out["error mark"] += 1
        result = {
            "role": "tool",
            "tool_call_id": call_of(message),
            "content": _said(texts),
        }
        return result, files

    def _parts(self, message: ChatMessage) -> list[Fields]:
        parts: list[Fields] = []
        for block in message.blocks:
            if not _is_said(block):
                self._left_out[lost(block, message.role)] += 1
            elif not block.is_text:
                parts.append(_file(block))
            elif block.content:
                parts.append(_text(block.content))
        return parts


def _is_said(block: Block) -> bool:
    return block.type == "content"


def _said(parts: Sequence[Fields]) -> str | list[Fields]:
    """Return content; a single text is a string, which every server takes."""
    if not parts:
        return ""
    if len(parts) == 1 and parts[0]["type"] == "text":
        return str(parts[0]["text"])
    return list(parts)


def _text(text: str) -> Fields:
    return {"type": "text", "text": text}


def _call(block: Block) -> Fields:
    name, parameters = tool_call(block)
    if parameters is None:
        arguments = "{}"
    else:
        is_text = isinstance(parameters, str)
        arguments = parameters if is_text else plain_json(parameters)
    function = {"name": name, "arguments": arguments}
    return {"id": block.id, "type": "function", "function": function}


def _file(block: Block) -> Fields:
    mime_type = block.mime_type or _DEFAULT_TYPES.get(
        block.modality, "application/octet-stream"
    )
    url = f"data:{mime_type};base64,{block.content}"
    if mime_type.startswith("image/"):
        image = {"url": url}
        if isinstance(detail := block.extra.get("detail"), str):
            image["detail"] = detail
        return {"type": "image_url", "image_url": image}
    if audio := _AUDIO.get(mime_type):
        sound = {"data": block.content, "format": audio}
        return {"type": "input_audio", "input_audio": sound}
    name = block.extra.get("filename")
    if not isinstance(name, str):
        name = f"file{mimetypes.guess_extension(mime_type) or ''}"
    return {"type": "file", "file": {"filename": name, "file_data": url}}
