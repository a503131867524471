"""What is put on a shelf comes back as it was, and stays out of memory."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from convotui.importers import Problems, find_sources, format_of
from convotui.importers.shelf import Shelf, Spool
from convotui.storage import Arrival, Block, ReplyFacts

WORDS = "words and more words, "
MESSAGES = 120
LENGTH = 100_000
"""Characters of each message: ten megabytes and more in all."""


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Shelf]:
    with closing(Spool(tmp_path)) as spool:
        yield Shelf(spool)


def test_a_message_comes_back_as_it_was(shelf: Shelf) -> None:
    deep: list[Any] = []
    for _ in range(900):
        deep = [deep]
    message = Arrival(
        "key",
        "assistant",
        [Block("\ud800\0", "thinking", 9, "", "id", "{"), Block("two")],
        facts=ReplyFacts("m", 1, cost=0.5, state="failed", error="no"),
        meta={"deep": deep, "number": 10**40, "nothing": None},
    )
    bare = shelf.put_away(message)
    [again] = shelf.brought_back([bare])

    assert (bare.blocks, bare.facts, bare.meta) == ((), None, {})
    assert again == message


def test_pieces_come_back_in_their_order_and_a_value_replaces_them(
    shelf: Shelf,
) -> None:
    for number in range(3):
        shelf.add("key", [number])
    shelf.put("other", "first")
    assert shelf.pieces("key") == [[0], [1], [2]]

    shelf.put("key", "last")
    assert (shelf.pieces("key"), shelf.pieces("other")) == (["last"], ["first"])
    assert shelf.pieces("nothing") == []


def test_of_two_messages_with_one_key_the_first_is_kept(shelf: Shelf) -> None:
    bare = [shelf.put_away(Arrival("k", "user", [Block(text)])) for text in "ab"]

    assert [m.blocks[0].content for m in shelf.brought_back(bare)] == ["a", "a"]


def claude_code(number: int, text: str) -> dict[str, Any]:
    return {
        "type": "user",
        "uuid": f"u{number}",
        "parentUuid": f"u{number - 1}",
        "sessionId": "s",
        "message": {"role": "user", "content": text},
    }


def codex(number: int, text: str) -> dict[str, Any]:
    content = [{"type": "input_text", "text": text}]
    payload = {"type": "message", "role": "user", "content": content}
    return {"type": "response_item", "payload": payload}


def gemini(number: int, text: str) -> dict[str, Any]:
    if number == 0:
        return {"sessionId": "s", "projectHash": "h"}
    return {"id": f"u{number}", "type": "user", "content": text}


def llama_cpp(number: int, text: str) -> dict[str, Any]:
    message = {"id": f"m{number}", "parent": f"m{number - 1}", "convId": "c"}
    return {"type": "message", "message": {**message, "role": "user", "content": text}}


def openai(number: int, text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def pi(number: int, text: str) -> dict[str, Any]:
    if number == 0:
        return {"type": "session", "version": 3, "id": "s", "cwd": "/p"}
    parent = f"{number - 1:08x}"
    entry = {"type": "message", "id": f"{number:08x}", "parentId": parent}
    return {**entry, "message": {"role": "user", "content": text}}


LINES = (claude_code, codex, gemini, llama_cpp, openai, pi)


@pytest.mark.parametrize("line", LINES, ids=lambda line: line.__name__)
def test_a_session_of_any_length_takes_the_memory_of_a_few_messages(
    line: Callable[[int, str], dict[str, Any]], tmp_path: Path
) -> None:
    file = tmp_path / "session"
    with file.open("w") as written:
        for number in range(MESSAGES):
            text = f"{number} {WORDS}".ljust(LENGTH, "x")
            written.write(json.dumps(line(number, text)) + "\n")

    said = 0
    tracemalloc.start()
    try:
        for source in find_sources(file, Problems()):
            format_ = format_of(source)
            assert format_ is not None
            for conversation in format_.read(source):
                for message in conversation.messages:
                    said += sum(len(block.content) for block in message.blocks)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert said >= (MESSAGES - 1) * LENGTH
    assert peak < MESSAGES * LENGTH / 2
