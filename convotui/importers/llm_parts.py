"""What both generations of llm's tables hold alike: files, usage, parts of messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from convotui.importers.databases import Database
from convotui.importers.shaping import (
    call_block,
    compact,
    count_of,
    dict_of,
    image_block,
    json_of,
    known,
    list_of,
    text_block,
    text_of,
)
from convotui.importers.trees import Result
from convotui.storage.records import Block, ReplyFacts

FACTS = (
    "model",
    "resolved_model",
    "input_tokens",
    "output_tokens",
    "token_details",
    "duration_ms",
)
"""The columns that `facts_of` takes."""

_FILE = ("type", "path", "url")


class Files:
    """The files that went with messages, and the fragments that texts are made of."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._has_files = "attachments" in database.tables
        self._has_fragments = "fragments" in database.tables

    def blocks(self, file_id: object) -> Iterator[Block]:
        """Yield the block of a file: what is in it, or else where it was."""
        rows: Iterator[tuple[Any, ...]] = iter(())
        if self._has_files:
            columns = ", ".join(self._database.shown("attachments", c) for c in _FILE)
            # Bytes have to come as text: any others are taken for it.
            sql = f"SELECT {columns}, hex(content) FROM attachments WHERE id = ?"
            rows = self._database.rows(sql, (file_id,))
        found = next(rows, None)
        if found is None:
            yield text_block("[a file that is gone]", attachment_id=file_id)
            return
        kind, path, url, content = found
        mime_type = text_of(kind) or "application/octet-stream"
        where = text_of(url) or text_of(path)
        if content:
            yield image_block(bytes.fromhex(content), mime_type, path=where)
        else:
            name = mime_type.partition("/")[0]
            fields = known(
                mime_type=text_of(kind), url=text_of(url), path=text_of(path)
            )
            yield text_block(f"[{name}: {where}]", **fields)

    def text(self, references: object) -> str:
        """Return a text that is made of fragments and of words between them."""
        pieces = map(dict_of, list_of(references))
        return "".join(
            text_of(piece.get("literal")) or self.fragment(piece.get("fragment"))
            for piece in pieces
        )

    def fragment(self, fragment_id: object) -> str:
        """Return the text of a fragment; nothing if there is none."""
        if count_of(fragment_id) is None or not self._has_fragments:
            return ""
        rows = self._database.select(
            "fragments", ("content",), where="id = ?", parameters=(fragment_id,)
        )
        return next((text_of(content) or "" for (content,) in rows), "")


def part_of(
    kind: object, text: object, payload: Mapping[str, Any], files: Files
) -> Iterator[Block | Result]:
    """Yield the blocks of a part of a message, or the result that it is."""
    call = text_of(payload.get("tool_call_id"))
    about = known(
        provider_metadata=payload.get("provider_metadata") or None,
        server_executed=payload.get("server_executed") or None,
    )
    said = text if isinstance(text, str) else files.text(payload.get("text_ref"))
    match kind:
        case "text":
            yield text_block(said, **about)
        case "reasoning":
            redacted = payload.get("redacted") or None
            yield text_block(said, kind="thinking", redacted=redacted, **about)
        case "tool_call":
            yield call_block(
                call, payload.get("name"), payload.get("arguments"), **about
            )
        case "tool_result":
            yield _result(call, payload, files, about)
        case "attachment":
            yield from files.blocks(dict_of(payload.get("attachment")).get("id"))
        case _:
            yield text_block(said, **known(llm_type=text_of(kind), **payload))


def _result(
    call: str | None, payload: Mapping[str, Any], files: Files, about: dict[str, Any]
) -> Result:
    output, exception = payload.get("output"), text_of(payload.get("exception"))
    text = output if isinstance(output, str) else compact(output)
    blocks = [text_block(text, exception=exception, **about)]
    for file in map(dict_of, list_of(payload.get("attachments"))):
        blocks += files.blocks(file.get("id"))
    return Result(call, blocks, exception is not None)


def facts_of(row: Sequence[Any]) -> ReplyFacts:
    """Return what is known of a reply by its `FACTS`."""
    model, resolved, input_tokens, output_tokens, details, duration = row
    usage = dict_of(json_of(details))
    milliseconds = count_of(duration)
    return ReplyFacts(
        model=text_of(resolved) or text_of(model),
        input_tokens=count_of(input_tokens),
        output_tokens=count_of(output_tokens),
        cached_tokens=_detail(usage, "cached_tokens", "cache_read_input_tokens"),
        reasoning_tokens=_detail(usage, "reasoning_tokens", "thoughtsTokenCount"),
        duration_seconds=None if milliseconds is None else milliseconds / 1000,
    )


def _detail(usage: dict[str, Any], *names: str) -> int | None:
    """Return a count that providers name, and nest, in ways of their own."""
    for fields in (usage, *map(dict_of, usage.values())):
        for name in names:
            if (count := count_of(fields.get(name))) is not None:
                return count
    return None
