"""A thread exported for other programs comes back as far as their formats can hold it.

Thinking, labels, and blocks that hold nothing have no place in either. OpenAI's
messages do not say whether a tool failed. Amazon Q joins what one side says in one go,
wants a prompt before each reply, and calls results that a prompt follows cancelled.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from convotui.conversations.importing import Importer
from convotui.storage import Block, ChatMessage, Draft, Store

from .trees import exported, round_trip, threads

SAMPLES = Path(__file__).parent.parent / "fixtures" / "importers"

FEW = settings(deadline=None, max_examples=60)


@dataclass
class Said:
    """What of a message must be the same."""

    role: str
    texts: list[str] = field(default_factory=list)
    calls: list[tuple[str | None, Any]] = field(default_factory=list)
    images: list[str] = field(default_factory=list)
    answers: str | None = None
    failed: bool | None = None


def said(role: str, blocks: Iterable[Block], failed: bool | None) -> Said:
    found = Said(role, failed=failed if role == "tool_result" else None)
    for block in blocks:
        if block.type == "tool_call":
            found.calls.append((block.id, json.loads(block.content)))
        elif block.type == "content" and not block.is_text:
            found.images.append(block.content)
        elif block.type == "content":
            found.answers = block.id
            found.texts += [block.content] if block.content else []
    return found


def sent(drafts: Iterable[Draft]) -> list[Said]:
    return [said(d.role, d.blocks, d.tool_result_error) for d in drafts]


def returned(messages: Iterable[ChatMessage]) -> list[Said]:
    return [said(m.role, m.blocks, m.tool_result_error) for m in messages]


@FEW
@given(threads())
def test_openai(drafts: list[Draft]) -> None:
    expected = [replace(message, failed=None) for message in sent(drafts)]

    came_back = returned(round_trip(drafts, "openai"))

    assert [replace(message, failed=None) for message in came_back] == expected


def paired(thread: Iterable[Said]) -> list[Said]:
    """A thread as Amazon Q can hold it."""
    held: list[Said] = []
    for message in thread:
        last = held[-1] if held else Said("assistant")
        if message.role == "user" and last.role == "user":
            last.texts = joined([*last.texts, *message.texts])
            last.images += message.images
            continue
        if message.role == "user":
            for result in takewhile(lambda m: m.role == "tool_result", held[::-1]):
                result.failed = True
        if message.role == last.role == "assistant":
            held.append(Said("user"))
        is_result = message.role == "tool_result"
        texts = message.texts if is_result else joined(message.texts)
        held.append(replace(message, texts=texts))
    return held


def joined(texts: list[str]) -> list[str]:
    return ["\n\n".join(texts)] if texts else []


@FEW
@given(threads())
def test_amazon_q(drafts: list[Draft]) -> None:
    assert returned(round_trip(drafts, "q")) == paired(sent(drafts))


@pytest.mark.parametrize(
    "words", ["What is in this picture?", "unsent follow-up", "don't write"]
)
def test_what_came_from_amazon_q_goes_back_as_the_same_conversation(
    words: str, store: Store, tmp_path: Path
) -> None:
    Importer(store).run([SAMPLES / "q_data.sqlite3"])
    [found] = store.search(words)
    (tmp_path / "saved").write_text(exported(store, "q", found.id))

    report = Importer(store).run([tmp_path / "saved"])

    assert (report.intake.new, report.intake.known) == (0, len(store.thread(found.id)))
