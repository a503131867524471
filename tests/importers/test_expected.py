"""The five systems that convotui grew from: each sample gives what it should."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from convotui.storage import Block, ChatMessage, MessageId, Provenance, Store

from .helpers import FIXTURES, SAMPLES, bring_in

FILES = [
    FIXTURES / "cpe_seed_era.cpeconvo",
    FIXTURES / "cpe_today.cpeconvo",
    SAMPLES / "egirl_conversations.db",
    SAMPLES / "orcx_conversations.db",
    SAMPLES / "pingu.db",
    SAMPLES / "q_data.sqlite3",
]
BY_NAME = pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)

IN_FACTS = {
    "model_id": "model",
    "cache_read_tokens": "cached_tokens",
    "total_cost": "cost",
}
"""What other programs call the facts of a reply."""


def expected(file: Path) -> list[dict[str, Any]]:
    mapped: list[dict[str, Any]] = json.loads(
        file.with_name(f"{file.name}.mapped.json").read_text()
    )
    assert mapped
    return mapped


def neutral(store: Store) -> dict[str, dict[str, Any]]:
    """All messages by their names in the expected files."""
    messages = store.list_messages(ascending=True)
    origins = store.origins.of([message.id for message in messages])
    assert len(origins) == len(messages)
    names = named(messages, origins)
    return {
        names[message.id]: {
            "parent": message.parent_id and names[message.parent_id],
            "role": message.role,
            "title": message.title,
            "error": message.tool_result_error,
            "at": str(message.created_at),
            "blocks": [neutral_block(block) for block in message.blocks],
        }
        for message in messages
    }


def named(
    messages: list[ChatMessage], origins: dict[MessageId, Provenance]
) -> dict[MessageId, str]:
    """A message of CPE by its id, others by conversation and place in it."""
    numbers: Counter[str] = Counter()
    names = {}
    for message in messages:
        source, conversation, key = origins[message.id].origin
        if source == "cpe":
            assert key == message.id
            names[message.id] = key
            continue
        begun = f"{source}:{conversation}"
        names[message.id] = f"{begun}#{numbers[begun]}"
        numbers[begun] += 1
    return names


def neutral_block(block: Block) -> dict[str, Any]:
    return {
        "id": block.id,
        "type": block.type,
        "modality": block.modality,
        "mime": block.mime_type or "text/plain",
        "content": block.content,
        "extra": block.extra or None,
    }


@BY_NAME
def test_a_sample_gives_every_message_as_it_should_be(file: Path, store: Store) -> None:
    bring_in(store, file)
    found = neutral(store)

    for message in expected(file):
        got = found.pop(message["ref"])
        if message["at"] is None:
            # Without a time it has that of the file.
            message["at"] = got["at"]
        assert got["at"].startswith(message["at"].removesuffix(".000"))
        blocks = [{**b, "extra": b["extra"] or None} for b in message["blocks"]]
        assert got == {
            "parent": message["parent"],
            "role": message["role"],
            "title": message["title"],
            "error": message["error"],
            "at": got["at"],
            "blocks": blocks,
        }
    assert found == {}


@BY_NAME
def test_a_sample_gives_what_is_known_of_each_message(file: Path, store: Store) -> None:
    bring_in(store, file)
    messages = store.list_messages(ascending=True)
    origins = store.origins.of([message.id for message in messages])
    names = named(messages, origins)
    meta = {names[message.id]: origins[message.id].meta for message in messages}
    facts = {names[message.id]: message.facts for message in messages}

    for message in expected(file):
        ref = message["ref"]
        for name, value in message["meta"].items():
            in_facts = getattr(facts[ref], IN_FACTS.get(name, name), None)
            if name == "acp_sessions":
                assert [one["id"] for one in meta[ref][name]] == [
                    one["id"] for one in value
                ]
                assert in_facts is None
            else:
                assert value in (meta[ref].get(name), in_facts), (ref, name)


@BY_NAME
def test_nothing_comes_in_twice(file: Path, store: Store) -> None:
    first = bring_in(store, file).intake
    before = neutral(store)
    again = bring_in(store, file).intake

    assert (again.new, again.known) == (0, first.new)
    assert neutral(store) == before


@BY_NAME
def test_the_file_is_left_as_it_was(file: Path, store: Store, tmp_path: Path) -> None:
    directory = tmp_path / "source"
    directory.mkdir()
    copied = Path(shutil.copy(file, directory))
    before = copied.read_bytes(), copied.stat().st_mtime_ns

    bring_in(store, copied)

    assert list(directory.iterdir()) == [copied]
    assert (copied.read_bytes(), copied.stat().st_mtime_ns) == before


@BY_NAME
def test_a_look_writes_nothing(file: Path, store: Store, path: Path) -> None:
    report = bring_in(store, file, is_dry_run=True)

    assert report.intake.new == len(expected(file))
    assert not path.exists()
