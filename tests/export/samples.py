"""Messages to export."""

from __future__ import annotations

from datetime import datetime, timedelta

from convotui.export.markdown import markdown
from convotui.storage.records import Block, ChatMessage, MessageId, ReplyFacts

BEGUN = datetime(2026, 2, 14, 9, 31)
PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ"
    "AAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def one_hour_east(time: datetime) -> datetime:
    return time + timedelta(hours=1)


def message(
    message_id: str,
    parent: str | None = None,
    *blocks: Block | str,
    role: str = "user",
    created_at: datetime = BEGUN,
    title: str | None = None,
    error: bool = False,
    facts: ReplyFacts | None = None,
) -> ChatMessage:
    return ChatMessage(
        id=MessageId(message_id),
        parent_id=None if parent is None else MessageId(parent),
        role=role,
        blocks=tuple(Block(b) if isinstance(b, str) else b for b in blocks),
        created_at=created_at,
        title=title,
        tool_result_error=error,
        facts=facts,
    )


def chain(length: int, *blocks: Block | str) -> list[ChatMessage]:
    return [
        message(f"m{number}", f"m{number - 1}" if number else None, *blocks)
        for number in range(length)
    ]


def written(
    *messages: ChatMessage, title: str | None = None, safe: bool = False
) -> str:
    return "".join(markdown(messages, title, local=one_hour_east, safe=safe))


def every_kind_of_block() -> list[ChatMessage]:
    return [
        message(
            "aB3xK9",
            None,
            "What is in this picture?",
            Block(PNG, modality=1, mime_type="image/png"),
            Block(
                "JVBERi0=",
                "content",
                1,
                "application/pdf",
                None,
                '{"filename":"a_b.pdf"}',
            ),
            Block("AAAA", modality=2, mime_type=""),
            title="First *picture*",
        ),
        message(
            "dE4fG5",
            "aB3xK9",
            Block("A dot?\n\nLet me look.", type="thinking", mime_type=""),
            Block("opaque", type="redacted_thinking"),
            Block(
                "opaque",
                type="thinking",
                extra_fields='{"reasoning_type":"reasoning.encrypted"}',
            ),
            Block("I will *look*.", mime_type=""),
            Block(
                '{"name":"look","parameters":{"at":"\\u003cdot\\u003e","zoom":2}}',
                type="tool_call",
                id="call_1",
            ),
            Block('{"name":"wait","parameters":null}', type="tool_call", id="call_2"),
            Block("not ```` JSON", type="tool_call"),
            Block('{"tokens":7}', type="metadata"),
            role="assistant",
            facts=ReplyFacts(model="gpt-5"),
        ),
        message(
            "hI6jK7",
            "dE4fG5",
            Block('{"found":["dot"]}', id="call_1"),
            Block("one dot\n", id="call_1"),
            role="tool_result",
        ),
        message(
            "lM8nO9",
            "hI6jK7",
            Block("timed out", id="call_2"),
            role="tool_result",
            error=True,
        ),
        message(
            "pQ1rS2",
            "lM8nO9",
            "A do",
            role="assistant",
            facts=ReplyFacts(model="my_model*", state="failed", error="Cut\n*off*."),
        ),
    ]
