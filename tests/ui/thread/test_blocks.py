"""Each kind of block is shown in its own way."""

from __future__ import annotations

import json

import pytest

from convotui.storage.records import Block
from tests.ui.thread.helpers import message, reply, shown, text

CALL = Block(
    json.dumps({"name": "list_files", "parameters": {"glob": "**/*.py"}}),
    type="tool_call",
    id="c1",
)


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        (Block("just words"), "just words"),
        (CALL, '▸ list_files {"glob": "**/*.py"}'),
        (Block("not JSON", type="tool_call"), "▸ not JSON"),
        (Block("a\nb\nc", type="thinking"), "▸ thinking · 3 lines"),
        (Block("secret", type="redacted_thinking"), "[thinking, redacted]"),
        (
            Block(
                "opaque",
                type="thinking",
                extra_fields='{"reasoning_type": "reasoning.encrypted"}',
            ),
            "[thinking, encrypted]",
        ),
        (Block("A" * 1600, modality=1, mime_type="image/png"), "[image/png · 1.2 kB]"),
        (
            Block(
                "AAAA",
                modality=1,
                mime_type="application/pdf",
                extra_fields='{"filename": "x.pdf"}',
            ),
            "[application/pdf · 3 bytes · x.pdf]",
        ),
        (Block("AAAA", modality=2, mime_type=""), "[audio · 3 bytes]"),
        (Block("AAAA", modality=77, mime_type=""), "[data · 3 bytes]"),
        (Block("what is it", type="novelty"), "▸ novelty · 1 line · what is it"),
    ],
)
async def test_a_block_of_a_reply(block: Block, expected: str) -> None:
    async with shown(reply(block)) as (_, view, _):
        assert expected in text(view)


async def test_what_nobody_can_read_is_not_shown() -> None:
    async with shown(reply(Block("hush", type="redacted_thinking"))) as (_, view, _):
        assert "hush" not in text(view)


async def test_a_result_is_one_line() -> None:
    result = Block('{"files": [\n"a.py"\n]}', id="c1")
    async with shown(message(result, role="tool_result")) as (_, view, _):
        assert '▸ result · 3 lines · {"files": [ "a.py" ]}' in text(view)


async def test_a_folded_line_is_cut_at_the_edge() -> None:
    long = Block("words " * 100, id="c1")
    async with shown(message(long, role="tool_result")) as (_, view, _):
        assert "…" in text(view)
        assert len(text(view).strip().splitlines()) == 2


async def test_blocks_follow_each_other() -> None:
    blocks = (Block("hm", type="thinking"), "Let me look.", CALL)
    async with shown(reply(*blocks)) as (_, view, _):
        shown_text = text(view)
        places = [shown_text.index(s) for s in ("thinking", "Let me", "list_files")]
        assert places == sorted(places)


async def test_a_message_without_blocks_has_its_header() -> None:
    async with shown(message()) as (_, view, _):
        assert "you  aaaaaa" in text(view)
