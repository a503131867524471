"""Files as CPE wrote them, in the seed's time and today."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from convotui.storage import (
    Block,
    ChatMessage,
    MessageId,
    ReadOnlyError,
    ReplyFacts,
    Store,
)

from .helpers import bytes_beside, draft, ids_of

FIXTURES = Path(__file__).parent.parent / "fixtures"
SEED_ERA = "cpe_seed_era.cpeconvo"
TODAY = "cpe_today.cpeconvo"


def expected(name: str) -> list[dict[str, Any]]:
    mapped = json.loads((FIXTURES / f"{name}.mapped.json").read_text())
    assert mapped
    return [dict(message) for message in mapped]


def copied(name: str, path: Path) -> Path:
    shutil.copyfile(FIXTURES / name, path)
    return path


def as_mapped(message: ChatMessage) -> dict[str, Any]:
    """The message in the neutral form of the expected files, without `meta`."""
    return {
        "ref": message.id,
        "parent": message.parent_id,
        "role": message.role,
        "title": message.title,
        "error": message.tool_result_error,
        "at": str(message.created_at),
        "blocks": [as_mapped_block(block) for block in message.blocks],
    }


def as_mapped_block(block: Block) -> dict[str, Any]:
    return {
        "id": block.id,
        "type": block.type,
        "modality": block.modality,
        "mime": block.mime_type or "text/plain",
        "content": block.content,
        "extra": block.extra or None,
    }


def without_meta(message: dict[str, Any]) -> dict[str, Any]:
    """An expected message; CPE's empty extra fields are no extra fields."""
    blocks = [{**block, "extra": block["extra"] or None} for block in message["blocks"]]
    return {**{k: v for k, v in message.items() if k != "meta"}, "blocks": blocks}


@pytest.mark.parametrize("name", [SEED_ERA, TODAY])
def test_every_message_is_read_as_cpe_meant_it(path: Path, name: str) -> None:
    with Store(copied(name, path)) as store:
        found = [as_mapped(message) for message in store.list_messages(ascending=True)]
    assert found == [without_meta(message) for message in expected(name)]


def test_models_and_tokens_of_todays_cpe_are_read(path: Path) -> None:
    with Store(copied(TODAY, path)) as store:
        found = {message.id: message.facts for message in store.list_messages()}
        used = store.usage()
    wanted = {}
    for message in expected(TODAY):
        meta = message["meta"]
        wanted[message["ref"]] = (
            ReplyFacts(
                model=meta["model_id"],
                input_tokens=meta.get("input_tokens"),
                output_tokens=meta.get("output_tokens"),
                cached_tokens=meta.get("cache_read_tokens"),
            )
            if "model_id" in meta
            else None
        )
    assert found == wanted
    facts = [fact for fact in wanted.values() if fact is not None]
    assert sum(day.input_tokens for day in used) == sum(
        fact.input_tokens or 0 for fact in facts
    )
    assert sum(day.messages for day in used) == len(wanted)


def test_the_order_is_that_of_cpes_own_listing(path: Path) -> None:
    """Conversations of this file follow each other, so the listing is in order."""
    listing = (FIXTURES / f"{SEED_ERA}.list.txt").read_bytes().decode(errors="replace")
    listed = [
        line.strip().split(" ")[0]
        for line in listing.splitlines()
        if line.strip() != "------"
    ]
    with Store(copied(SEED_ERA, path)) as store:
        assert store.outline().ids == listed
        assert [row.id for row in store.list_rows(ascending=True)] == listed


def test_blocks_that_cpe_left_behind_are_passed_over(path: Path) -> None:
    with Store(copied(SEED_ERA, path)) as store:
        health = store.health()
        assert health.orphan_blocks == 1
        assert health.damage == ()
        assert health.messages == len(expected(SEED_ERA))


def test_a_file_of_the_seeds_time_is_written_and_still_cpes(path: Path) -> None:
    with Store(copied(SEED_ERA, path)) as store:
        assert store.shape().foreign_because is None
        before = store.list_messages(ascending=True)
        [reply] = store.save([draft("And Rust?", MessageId("lM0nO1"))])
        assert [message.id for message in store.thread(reply)] == [
            *ids_of("aB3xK9", "dE4fG5", "hI7jK8", "lM0nO1"),
            reply,
        ]
        assert store.list_messages(ascending=True)[:-1] == before
        assert [hit.id for hit in store.search("naive cafe")] == ["pQ2rS3"]
        assert store.newest_reply() != "nO4pQ5"


def test_a_file_is_called_by_what_it_is(path: Path) -> None:
    names = []
    with Store(path) as store:
        names.append(store.shape().name)
    for fixture in (SEED_ERA, TODAY):
        with Store(copied(fixture, path)) as store:
            names.append(store.shape().name)
    with Store(copied(SEED_ERA, path)) as store:
        store.save([draft("ours")])
        names.append(store.shape().name)
    assert names == ["empty", "CPE", "foreign", "CPE with convotui's own tables"]


def test_todays_file_is_read_and_never_written(path: Path) -> None:
    copied(TODAY, path)
    before = bytes_beside(path)
    with Store(path) as store:
        shape = store.shape()
        assert shape.foreign_because is not None
        assert "newer CPE" in shape.foreign_because
        assert store.thread(MessageId("A4a4A4"))[0].id == "A1a1A1"
        assert [hit.id for hit in store.search("SliceStable")] == ["A4a4A4", "A2a2A2"]
        assert store.newest_reply() is not None
        assert store.health().is_sound
        with pytest.raises(ReadOnlyError, match="newer CPE"):
            store.save([draft("x")])
        with pytest.raises(ReadOnlyError):
            store.delete(ids_of("A1a1A1"), recursive=True)
        with pytest.raises(ReadOnlyError):
            store.label(MessageId("A1a1A1"), "x")
        with pytest.raises(ReadOnlyError):
            store.repair()
    assert bytes_beside(path) == before
