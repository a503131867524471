"""Tools and thinking are opened and folded again."""

from __future__ import annotations

import pytest

from convotui.storage.records import Block
from tests.ui.thread.helpers import lines, message, reply, row, shown, text, where

THINKING = Block("first thought\nsecond thought", type="thinking")
CALL = Block('{"name": "read", "parameters": {"path": "a.py"}}', type="tool_call")


@pytest.mark.parametrize("key", ["enter", "space"])
async def test_a_key_opens_all_of_the_highlighted_message(key: str) -> None:
    async with shown(reply(THINKING, "words", CALL)) as (_, view, pilot):
        assert "first thought" not in text(view)
        await pilot.press(key)
        assert "second thought" in text(view)
        assert '"path": "a.py"' in text(view)
        assert "▾ thinking" in text(view)
        assert "▾ read\n" in text(view)
        await pilot.press(key)
        assert "first thought" not in text(view)
        assert "▸ thinking" in text(view)


async def test_a_click_opens_one() -> None:
    async with shown(reply(THINKING, CALL)) as (_, view, pilot):
        await pilot.click(view, offset=where(view, "thinking"))
        assert "first thought" in text(view)
        assert "▸ read" in text(view)
        await pilot.click(view, offset=where(view, "thinking"))
        assert "first thought" not in text(view)


async def test_json_is_indented_and_text_is_not_changed() -> None:
    result = message(Block('{"a":1,"b":[true]}'), role="tool_result")
    async with shown(result) as (_, view, pilot):
        await pilot.press("enter")
        opened = [line[2:].strip() for line in lines(view)]
        assert [line for line in opened if line[:1] == '"'] == ['"a": 1,', '"b": [']


async def test_an_empty_call_can_be_opened() -> None:
    call = Block('{"name": "now", "parameters": null}', type="tool_call")
    async with shown(reply(call)) as (_, view, pilot):
        await pilot.press("enter")
        assert "▾ now" in text(view)


async def test_what_is_clicked_stays_where_it_is() -> None:
    long = Block("\n".join(f"thought {n}" for n in range(100)), type="thinking")
    thread = [reply("words\n\n" * 20), reply(long, "end", id="cccccc")]
    async with shown(*thread) as (_, view, pilot):
        await pilot.press("end")
        before = row(view, "▸ thinking")
        await pilot.click(view, offset=where(view, "▸ thinking"))
        assert row(view, "▾ thinking") == before
        assert "thought 0" in text(view)


async def test_a_key_with_nothing_to_open_is_left_to_others() -> None:
    async with shown(message("words")) as (host, view, pilot):
        host.bind("enter", "hit")
        await pilot.press("enter")
        assert host.was_hit
        assert "words" in text(view)


async def test_opening_what_is_above_the_screen_moves_nothing() -> None:
    words = "\n\n".join(f"words {number}" for number in range(100))
    async with shown(reply(THINKING, words)) as (_, view, pilot):
        await pilot.press("pagedown", "pagedown")
        before = lines(view)
        await pilot.press("enter")
        assert lines(view) == before
        await pilot.press("g")
        assert "first thought" in text(view)
