"""What a message of Gemini is made of: texts, thoughts, calls, results, files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from convotui.importers.shaping import (
    call_block,
    compact,
    count_of,
    dict_of,
    list_of,
    text_block,
    text_of,
    url_block,
)
from convotui.importers.trees import Result
from convotui.storage.records import Block, ReplyFacts

Fields = dict[str, Any]


def content_of(message: Fields) -> Iterator[Block | Result]:
    """Yield what a recorded message holds."""
    for thought in map(dict_of, list_of(message.get("thoughts"))):
        texts = (text_of(thought.get(name)) for name in ("subject", "description"))
        yield text_block("\n\n".join(filter(None, texts)), kind="thinking")
    yield from parts_of(message.get("content"))
    for tool in map(dict_of, list_of(message.get("toolCalls"))):
        call = text_of(tool.get("id"))
        yield call_block(
            call,
            tool.get("name"),
            tool.get("args"),
            description=text_of(tool.get("description")),
        )
        if (result := _result_of(tool, call)) is not None:
            yield result


def _result_of(tool: Fields, call: str | None) -> Result | None:
    status = text_of(tool.get("status"))
    parts = list(parts_of(tool.get("result")))
    given = [part for part in parts if isinstance(part, Block)]
    inner = [part for part in parts if isinstance(part, Result)]
    blocks = [*(block for result in inner for block in result.blocks), *given]
    is_error = status in ("error", "cancelled") or any(r.is_error for r in inner)
    if not blocks:
        shown = tool.get("resultDisplay")
        if not shown:
            return None
        blocks = [text_block(shown if isinstance(shown, str) else compact(shown))]
    return Result(call, blocks, is_error)


def parts_of(content: object) -> Iterator[Block | Result]:
    """Yield what parts hold, of which there may be a list, one, or only its text."""
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, str):
            if part:
                yield text_block(part)
        elif isinstance(part, dict):
            yield from _part(part)


def _part(part: Fields) -> Iterator[Block | Result]:
    text, signature = part.get("text"), text_of(part.get("thoughtSignature"))
    if isinstance(text, str):
        kind = "thinking" if part.get("thought") is True else "content"
        if text:
            yield text_block(text, kind=kind, gemini_thought_signature=signature)
    elif "functionCall" in part:
        call = dict_of(part["functionCall"])
        yield call_block(
            text_of(call.get("id")) or text_of(call.get("name")),
            call.get("name"),
            call.get("args"),
            gemini_thought_signature=signature,
        )
    elif "functionResponse" in part:
        given = dict_of(part["functionResponse"])
        response = dict_of(given.get("response"))
        error, output = response.get("error"), response.get("output")
        said = output if error is None else error
        text = said if isinstance(said, str) else compact(said or response)
        call_id = text_of(given.get("id")) or text_of(given.get("name"))
        yield Result(call_id, [text_block(text)], error is not None)
    elif "inlineData" in part:
        data = dict_of(part["inlineData"])
        mime_type = text_of(data.get("mimeType")) or "application/octet-stream"
        yield url_block(f"data:{mime_type};base64,{text_of(data.get('data')) or ''}")
    elif "fileData" in part:
        file = dict_of(part["fileData"])
        yield text_block(f"[file: {text_of(file.get('fileUri'))}]", file=file)
    else:
        yield text_block("", kind="gemini_part", raw=part)


def facts_of(message: Fields) -> ReplyFacts:
    """Return what is known of how a reply came about."""
    tokens = dict_of(message.get("tokens"))
    output, thoughts = count_of(tokens.get("output")), count_of(tokens.get("thoughts"))
    # Gemini does not count its thoughts as output.
    written = None if output is None else output + (thoughts or 0)
    return ReplyFacts(
        model=text_of(message.get("model")),
        input_tokens=count_of(tokens.get("input")),
        output_tokens=written,
        cached_tokens=count_of(tokens.get("cached")),
        reasoning_tokens=thoughts,
    )
