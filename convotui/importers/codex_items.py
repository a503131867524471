"""What one item of a session of Codex says, as OpenAI's Responses API has it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from convotui.importers.shaping import (
    call_block,
    compact,
    count_of,
    dict_of,
    image_block,
    json_of,
    list_of,
    text_block,
    text_of,
    url_block,
)
from convotui.importers.threads import hidden, spoken
from convotui.storage.records import Block, Role

Fields = dict[str, Any]

OUTPUTS = ("function_call_output", "custom_tool_call_output", "tool_search_output")
_INJECTED = re.compile(
    r"\s*(<(environment_context|user_instructions|permissions|turn_aborted|skill|"
    r"collaboration_mode|subagent_notification|INSTRUCTIONS)\b"
    r"|# AGENTS\.md instructions)"
)
"""How text begins that Codex says in the user's name."""
_EXIT_CODE = re.compile(
    r"\s*(?:(?:Chunk ID|Wall time|Original token count)[^\n]*\n)*"
    r"(?:Exit code:|Process exited with code) (-?\d+)"
)
"""What Codex says of a command before what the command said."""


@dataclass(slots=True)
class Said:
    """What an item adds to a session."""

    role: Role
    blocks: list[Block]
    is_error: bool = False
    is_prompt: bool = False
    """Whether the user said it."""


def said(item: Fields) -> Said | None:
    """Return what an item says; `None` if it is nothing that was said."""
    kind = text_of(item.get("type")) or "unknown"
    if kind == "message":
        return _message(item)
    if kind in OUTPUTS:
        return _output(item)
    if kind == "ghost_snapshot":
        return None
    return Said("assistant", list(_call(kind, item)))


def _message(item: Fields) -> Said:
    blocks = list(_content(item.get("content")))
    role = item.get("role")
    if role == "assistant":
        return Said("assistant", blocks or spoken([]))
    text = blocks[0].content if blocks and blocks[0].is_text else ""
    if role == "user" and not _INJECTED.match(text):
        return Said("user", spoken(blocks), is_prompt=True)
    return Said("user", hidden(spoken(blocks)))


def _content(content: object) -> Iterator[Block]:
    if isinstance(content, str):
        yield text_block(content)
    for part in list_of(content):
        fields = dict_of(part)
        text = fields.get("text", fields.get("refusal"))
        if isinstance(text, str):
            yield text_block(text)
        elif "image_url" in fields:
            yield url_block(fields["image_url"])
        else:
            yield Block(compact(part), text_of(fields.get("type")) or "unknown")


def _call(kind: str, item: Fields) -> Iterator[Block]:
    call = text_of(item.get("call_id")) or text_of(item.get("id"))
    name = item.get("name")
    match kind:
        case "reasoning":
            yield _thinking(item)
        case "function_call":
            arguments = item.get("arguments")
            parsed = json_of(arguments)
            yield call_block(
                call,
                name,
                arguments if parsed is None else parsed,
                namespace=item.get("namespace"),
            )
        case "custom_tool_call":
            yield call_block(call, name, {"input": item.get("input")})
        case "local_shell_call":
            yield call_block(call, "local_shell", item.get("action"))
        case "tool_search_call":
            yield call_block(call, "tool_search", item.get("arguments"))
        case "image_generation_call" if text_of(item.get("result")):
            picture = item["result"]
            prompt = text_of(item.get("revised_prompt"))
            yield image_block(picture, "image/png", revised_prompt=prompt)
        case _:
            yield Block(compact(item), kind, mime_type="application/json")


def _thinking(item: Fields) -> Block:
    parts = (*list_of(item.get("summary")), *list_of(item.get("content")))
    texts = (text_of(dict_of(part).get("text")) for part in parts)
    return text_block(
        "\n\n".join(filter(None, texts)),
        kind="thinking",
        thinking_generator="responses",
        responses_reasoning_id=text_of(item.get("id")),
        responses_encrypted_content=text_of(item.get("encrypted_content")),
    )


def _output(item: Fields) -> Said:
    call = text_of(item.get("call_id"))
    output = item.get("output", item.get("tools"))
    packed = json_of(output) if isinstance(output, str) else output
    is_error = False
    if isinstance(packed, dict) and {"output", "metadata"} == packed.keys():
        metadata = dict_of(packed["metadata"])
        is_error = bool(count_of(metadata.get("exit_code")))
        text = packed["output"]
        text = text if isinstance(text, str) else compact(text)
        blocks = [text_block(text, metadata=metadata or None)]
    elif isinstance(output, dict) and "content" in output:
        is_error = output.get("success") is False
        inner = output.get("content_items") or output["content"]
        blocks = list(_content(inner))
    elif isinstance(output, str):
        code = _EXIT_CODE.match(output)
        is_error = code is not None and code[1] != "0"
        blocks = [text_block(output)]
    elif isinstance(output, list):
        blocks = list(_content(output))
    else:
        blocks = [text_block(compact(output))]
    return Said("tool_result", spoken(blocks, call), is_error)
