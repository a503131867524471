"""A thread as the state of a conversation that Amazon Q's `/load` takes.

It is pairs of what the user and what the assistant said. Where one of them said more
than once in a row it is joined, and where the user said nothing there is an empty
prompt. What was said last and not answered is the message that is to be sent next.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from convotui.export.exchange import call_of, lost, paired, side_of, tool_call
from convotui.export.left_out import LeftOut
from convotui.export.plain_json import finite, parsed, plain_json
from convotui.storage.records import UNKNOWN_TIME, Block, ChatMessage, ReplyFacts

_IMAGES = {
    "image/png": "Png",
    "image/jpeg": "Jpeg",
    "image/jpg": "Jpeg",
    "image/gif": "Gif",
    "image/webp": "Webp",
}
_EPOCH = datetime(1970, 1, 1)
_NANOSECONDS = 1_000_000_000

Fields = dict[str, Any]


def q_state(
    messages: Iterable[ChatMessage], conversation_id: str, left_out: LeftOut
) -> Iterator[str]:
    """Yield a state with the thread as its history."""
    writer = _Writer(left_out)
    thread = list(messages)
    summary = _summary(thread[0]) if thread else None
    history = list(writer.history(paired(thread[1:] if summary else thread)))
    state: Fields = {
        "conversation_id": conversation_id,
        "next_message": writer.next_message,
        "history": history,
        "valid_history_range": [0, len(history)],
        "transcript": [],
        "tools": {},
        "context_manager": None,
        "context_message_length": None,
        "latest_summary": summary,
    }
    models = [message.facts.model for message in thread if message.facts is not None]
    if known := [model for model in models if model]:
        state["model"] = known[-1]
    yield plain_json(state) + "\n"


class _Writer:
    def __init__(self, left_out: LeftOut) -> None:
        self._left_out = left_out
        self.next_message: Fields | None = None

    def history(self, thread: Sequence[ChatMessage]) -> Iterator[Fields]:
        said: list[ChatMessage] = []
        for message in thread:
            match side_of(message):
                case "system":
                    self._left_out["hidden text"] += len(message.blocks)
                case "assistant":
                    user = self._user(said)
                    assistant = self._assistant(message)
                    # What came at once was not timed, and has the time of the prompt.
                    is_timed = not said or message.created_at > said[-1].created_at
                    request = _request(message, assistant) if is_timed else None
                    yield {
                        "user": user,
                        "assistant": assistant,
                        "request_metadata": request,
                    }
                    said = []
                case _:
                    said.append(message)
        self.next_message = self._user(said) if said else None

    def _user(self, said: Sequence[ChatMessage]) -> Fields:
        prompts = [message for message in said if message.role != "tool_result"]
        results = [self._result(m) for m in said if m.role == "tool_result"]
        texts = [self._text(message) for message in prompts]
        contexts = [
            str(context)
            for message in prompts
            for block in message.blocks
            if (context := block.extra.get("q_additional_context"))
        ]
        images = [
            _image(block)
            for message in said
            for block in message.blocks
            if _is_image(block)
        ]
        return {
            "additional_context": "\n".join(contexts),
            "env_context": {"env_state": None},
            "content": _content(_joined(texts), results, is_prompt=bool(prompts)),
            "timestamp": _timestamp(said),
            "images": images or None,
        }

    def _text(self, message: ChatMessage) -> str:
        texts: list[str] = []
        for block in message.blocks:
            if block.type == "content" and block.is_text:
                texts.append(block.content)
            elif not _is_image(block):
                self._left_out[lost(block, message.role)] += 1
        return _joined(texts)

    def _result(self, message: ChatMessage) -> Fields:
        content: list[Fields] = []
        for block in message.blocks:
            if block.type == "content" and block.is_text:
                content.append(_result_part(block))
            elif not _is_image(block):
                self._left_out[lost(block, message.role)] += 1
        return {
            "tool_use_id": call_of(message),
            "content": content,
            "status": "Error" if message.tool_result_error else "Success",
        }

    def _assistant(self, message: ChatMessage) -> Fields:
        texts: list[str] = []
        uses: list[Fields] = []
        for block in message.blocks:
            if block.type == "tool_call":
                uses.append(_use(block))
            elif block.type == "content" and block.is_text:
                texts.append(block.content)
            else:
                self._left_out[lost(block, message.role)] += 1
        said = {"message_id": None, "content": _joined(texts)}
        return {"ToolUse": {**said, "tool_uses": uses}} if uses else {"Response": said}


def _summary(first: ChatMessage) -> list[Any] | None:
    """Return what a thread begins with if Amazon Q itself wrote it as a summary."""
    is_summary = any(block.extra.get("q_summary") for block in first.blocks)
    request = _request(first, {"Response": {"content": ""}})
    return [first.text, request] if is_summary and request else None


def _joined(texts: Iterable[str]) -> str:
    return "\n\n".join(filter(None, texts))


def _content(text: str, results: list[Fields], *, is_prompt: bool) -> Fields:
    if not results:
        return {"Prompt": {"prompt": text}}
    if is_prompt:
        # No other kind of content has a place for both.
        return {"CancelledToolUses": {"prompt": text, "tool_use_results": results}}
    return {"ToolUseResults": {"tool_use_results": results}}


def _result_part(block: Block) -> Fields:
    if block.mime_type == "application/json":
        try:
            value = parsed(block.content)
        except ValueError:
            return {"Text": block.content}
        if json.dumps(value, ensure_ascii=False) == block.content:
            return {"Json": value}
    return {"Text": block.content}


def _use(block: Block) -> Fields:
    name, arguments = tool_call(block)
    original = block.extra.get("orig_name")
    return {
        "id": block.id,
        "name": name,
        "orig_name": original if isinstance(original, str) else name,
        "args": arguments,
        "orig_args": finite(block.extra.get("orig_args", arguments)),
    }


def _is_image(block: Block) -> bool:
    return block.type == "content" and not block.is_text and block.mime_type in _IMAGES


def _image(block: Block) -> Fields:
    try:
        data = base64.b64decode(block.content)
    except (binascii.Error, ValueError):
        data = b""
    return {"format": _IMAGES[block.mime_type], "source": {"Bytes": list(data)}}


def _timestamp(said: Sequence[ChatMessage]) -> str | None:
    times = [m.created_at for m in said if m.created_at != UNKNOWN_TIME]
    return times[-1].replace(tzinfo=UTC).isoformat() if times else None


def _request(message: ChatMessage, assistant: Fields) -> Fields | None:
    """Return what is known of how a reply came about; `None` if not even when."""
    facts = message.facts or ReplyFacts()
    ended = (message.created_at - _EPOCH).total_seconds()
    if ended < 0:
        return None
    began = min(ended, max(0.0, ended - (facts.duration_seconds or 0)))
    [(kind, said)] = assistant.items()
    uses = said.get("tool_uses", [])
    return {
        "request_id": None,
        "message_id": message.id,
        "request_start_timestamp_ms": round(began * 1000),
        "stream_end_timestamp_ms": round(ended * 1000),
        "time_to_first_chunk": _duration(facts.first_token_seconds),
        "time_between_chunks": [],
        "user_prompt_length": 0,
        "response_size": len(said["content"].encode(errors="replace")),
        "chat_conversation_type": "ToolUse" if kind == "ToolUse" else "NotToolUse",
        "tool_use_ids_and_names": [[use["id"], use["name"]] for use in uses],
        "model_id": facts.model,
        "message_meta_tags": [],
    }


def _duration(seconds: float | None) -> Fields | None:
    if seconds is None or not 0 <= seconds < _NANOSECONDS:
        return None
    whole = int(seconds)
    return {"secs": whole, "nanos": int((seconds - whole) * _NANOSECONDS)}
