"""A request as chat messages in the shape that OpenAI gave them."""

from __future__ import annotations

import mimetypes
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from convotui.llm.client import (
    Media,
    Part,
    Request,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Turn,
)

_AUDIO = {
    "audio/mp3": "mp3",
    "audio/mpeg": "mp3",
    "audio/wav": "wav",
    "audio/x-wav": "wav",
}

Message = dict[str, Any]


def messages_of(request: Request) -> list[Message]:
    """Return everything that a model is to see."""
    messages: list[Message] = []
    if request.system.strip():
        messages.append({"role": "system", "content": _whole(request.system)})
    for turn in request.turns:
        if turn.role == "assistant":
            messages.extend(_from_assistant(turn))
        else:
            messages.extend(_from_user(turn))
    return messages


def _from_assistant(turn: Turn) -> Iterator[Message]:
    message: Message = {"role": "assistant", "content": _text(turn.parts) or None}
    calls = [_call(part) for part in turn.parts if isinstance(part, ToolCall)]
    if calls:
        message["tool_calls"] = calls
    thoughts = [
        {"type": "thinking", "thinking": _whole(part.text), "signature": part.signature}
        for part in turn.parts
        if isinstance(part, Thinking) and part.signature
    ]
    if thoughts and (calls or message["content"]):
        message["thinking_blocks"] = thoughts
    if len(message) > 2 or message["content"]:
        yield message


def _from_user(turn: Turn) -> Iterator[Message]:
    """Yield the results of tools, each for its call, then what the user says.

    Not every provider takes an image in a tool's result, so those come after.
    """
    results = [part for part in turn.parts if isinstance(part, ToolResult)]
    for result in results:
        text = _whole(result.text)
        yield {
            "role": "tool",
            "tool_call_id": result.call_id,
            "content": f"Error: {text}" if result.is_error else text,
        }
    shown: list[Part] = [media for result in results for media in result.media]
    content = _content([*shown, *turn.parts])
    if content:
        yield {"role": "user", "content": content}


def _content(parts: Sequence[Part]) -> str | list[Message]:
    """Return what is said; text alone is a string, which every server takes."""
    if not any(isinstance(part, Media) for part in parts):
        return _text(parts)
    content: list[Message] = []
    for part in parts:
        if isinstance(part, Media):
            content.append(_media(part))
        elif isinstance(part, Text) and part.text.strip():
            content.append({"type": "text", "text": _whole(part.text)})
    return content


def _media(media: Media) -> Message:
    url = f"data:{media.mime_type};base64,{media.data}"
    if media.mime_type.startswith("image/"):
        return {"type": "image_url", "image_url": {"url": url}}
    if audio := _AUDIO.get(media.mime_type):
        sound = {"data": media.data, "format": audio}
        return {"type": "input_audio", "input_audio": sound}
    name = f"file{mimetypes.guess_extension(media.mime_type) or ''}"
    return {"type": "file", "file": {"filename": name, "file_data": url}}


def _call(call: ToolCall) -> Message:
    function = {"name": call.name, "arguments": _whole(call.arguments) or "{}"}
    return {"id": call.id, "type": "function", "function": function}


def _text(parts: Iterable[Part]) -> str:
    texts = (part.text for part in parts if isinstance(part, Text))
    return _whole("\n\n".join(text for text in texts if text.strip()))


def _whole(text: str) -> str:
    """Return `text` without half characters, which no request can carry."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
