"""What is read stays where it is, however wrong the heights above were guessed."""

from __future__ import annotations

import pytest

from convotui.storage.records import Block
from tests.ui.thread.helpers import lines, message, reply, shown, text, thread


@pytest.mark.parametrize(
    ("key", "rows"), [("k", 1), ("up", 1), ("ctrl+u", 12), ("pageup", 23)]
)
async def test_scrolling_up_moves_by_exactly_so_many_lines(key: str, rows: int) -> None:
    async with shown(*thread(2_000)) as (_, view, pilot):
        await pilot.press("end")
        for _ in range(15):
            before = lines(view)
            await pilot.press(key)
            assert lines(view)[rows:] == before[: len(before) - rows]


@pytest.mark.parametrize(
    ("key", "rows"), [("j", 1), ("down", 1), ("ctrl+d", 12), ("pagedown", 23)]
)
async def test_scrolling_down_too(key: str, rows: int) -> None:
    async with shown(*thread(2_000)) as (_, view, pilot):
        await pilot.press("home")
        for _ in range(15):
            before = lines(view)
            await pilot.press(key)
            assert lines(view)[: len(before) - rows] == before[rows:]


async def test_the_wheel_does_too() -> None:
    async with shown(*thread(2_000)) as (_, view, pilot):
        await pilot.press("end")
        for _ in range(15):
            before = lines(view)
            view.scroll_relative(y=-3)
            await pilot.pause()
            assert lines(view)[3:] == before[: len(before) - 3]


async def test_a_jump_lands_somewhere_and_what_is_there_can_be_read() -> None:
    async with shown(*thread(2_000)) as (_, view, pilot):
        for place in (0.5, 0.1, 0.9):
            view.scroll_to(y=view.max_scroll_y * place)
            await pilot.pause()
            before = lines(view)
            await pilot.press("k", "j")
            assert lines(view) == before


async def test_all_the_way_up_is_the_first_line() -> None:
    async with shown(*thread(12)) as (_, view, pilot):
        for _ in range(12):
            await pilot.press("pageup")
        assert "m00000" in lines(view)[0]
        assert view.scroll_offset.y == 0


async def test_the_keys_for_both_ends() -> None:
    async with shown(*thread(300), replies_below=2) as (_, view, pilot):
        await pilot.press("g")
        assert "m00000" in lines(view)[0]
        await pilot.press("G")
        assert lines(view)[-1] == "  2 replies below"


async def test_a_short_thread_starts_at_the_top() -> None:
    async with shown(message("x")) as (_, view, _):
        assert "aaaaaa" in lines(view)[0]


async def test_a_thread_opens_at_the_end_of_a_short_message() -> None:
    async with shown(*thread(50), reply("the last words")) as (_, view, _):
        assert lines(view)[-1] == "▎ the last words"


async def test_a_thread_opens_at_the_beginning_of_a_long_message() -> None:
    long = reply("first\n\n" + "words\n\n" * 100)
    async with shown(*thread(50), long) as (_, view, _):
        assert "bbbbbb" in lines(view)[0]
        assert lines(view)[1] == "▎ first"


async def test_a_message_as_tall_as_the_pane_is_shown_whole() -> None:
    fits = reply("\n".join(f"line {number}" for number in range(23)))
    async with shown(*thread(50), fits) as (_, view, _):
        assert "bbbbbb" in lines(view)[0]
        assert lines(view)[-1] == "▎ line 22"


async def test_another_thread_keeps_what_both_share() -> None:
    call = reply(Block("a\nb", type="thinking"))
    async with shown(message("x"), call) as (_, view, pilot):
        await pilot.press("enter")
        view.show([message("x"), call, message("y", id="cccccc")])
        await pilot.pause()
        assert "▾ thinking" in text(view)
        view.show([message("x"), reply("other")])
        await pilot.pause()
        assert "thinking" not in text(view)
        assert "other" in text(view)


async def test_a_message_that_was_first_can_come_second() -> None:
    first, second = message("one"), reply("two")
    async with shown(second) as (_, view, pilot):
        view.show([first, second])
        await pilot.pause()
        assert [bool(line) for line in lines(view)[:6]] == [
            True,
            True,
            False,
            *[True] * 2,
            False,
        ]


async def test_the_same_thread_again_moves_nothing() -> None:
    messages = thread(50)
    long = reply("words\n\n" * 100)
    async with shown(*messages, long) as (_, view, pilot):
        await pilot.press("pagedown", "K", "k", "k", "k")
        before = lines(view)
        highlighted = view.highlighted_id
        view.show([*messages, reply("words\n\n" * 150)])
        await pilot.pause()
        assert lines(view) == before
        assert view.highlighted_id == highlighted
