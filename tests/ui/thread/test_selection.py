"""Text is selected with the mouse and copied as it reads."""

from __future__ import annotations

from textual.geometry import Offset
from textual.pilot import Pilot
from textual.selection import SELECT_ALL

from convotui.ui.thread import ThreadView
from tests.ui.thread.helpers import lines, message, reply, shown, thread, where


async def drag(pilot: Pilot[None], view: ThreadView, start: str, end: str) -> None:
    """Drag the mouse from the first word to the end of the second."""
    x, y = where(view, end)
    last = x + len(end) - 1
    await pilot.mouse_down(view, offset=where(view, start))
    await pilot.hover(view, offset=(last, y))
    await pilot.mouse_up(view, offset=(last, y))


async def test_nothing_is_selected_at_first() -> None:
    async with shown(message("words")) as (_, view, _):
        assert view.selected_text is None


async def test_a_part_of_a_line() -> None:
    async with shown(message("one two three four")) as (host, view, pilot):
        await drag(pilot, view, "two", "three")
        assert view.selected_text == "two three"
        assert host.screen.get_selected_text() == "two three"


async def test_wrapped_lines_are_joined() -> None:
    words = " ".join(f"word{number}" for number in range(30))
    async with shown(message(words), size=(40, 20)) as (_, view, pilot):
        await drag(pilot, view, "word0", "word29")
        assert view.selected_text == words


async def test_lines_stay_lines() -> None:
    source = "First.\n\n- one\n- two\n  - deep\n\n> quoted\n\nLast."
    async with shown(message(source)) as (_, view, pilot):
        await drag(pilot, view, "First", "Last.")
        expected = "First.\n\n• one\n• two\n  ◦ deep\n\nquoted\n\nLast."
        assert view.selected_text == expected


async def test_code_is_copied_without_its_margin() -> None:
    source = "Run:\n\n```python\nif x:\n    y = '" + "z" * 60 + "'\n```\n\nDone."
    async with shown(message(source), size=(40, 20)) as (_, view, pilot):
        await drag(pilot, view, "if x", "Done.")
        assert view.selected_text == f"if x:\n    y = '{'z' * 60}'\n\nDone."


async def test_wide_characters_are_cut_where_the_mouse_is() -> None:
    async with shown(message("日本語 text")) as (_, view, pilot):
        _, y = where(view, "text")
        await pilot.mouse_down(view, offset=(4, y))
        await pilot.hover(view, offset=(7, y))
        await pilot.mouse_up(view, offset=(7, y))
        assert view.selected_text == "本語"


async def test_a_double_click_selects_the_message() -> None:
    async with shown(message("one"), reply("two\n\nthree")) as (_, view, pilot):
        await pilot.click(view, offset=where(view, "two"), times=2)
        assert view.selected_text is not None
        assert view.selected_text.endswith("\ntwo\n\nthree")
        assert "one" not in view.selected_text


async def test_a_selection_stays_on_its_words_while_more_is_measured() -> None:
    async with shown(*thread(500), message("one two three")) as (_, view, pilot):
        await drag(pilot, view, "two", "two")
        for _ in range(5):
            await pilot.press("pageup")
        assert view.selected_text == "two"


async def test_a_selection_is_gone_with_its_thread() -> None:
    async with shown(message("one two three")) as (_, view, pilot):
        await drag(pilot, view, "two", "two")
        view.show([message("other", id="cccccc")])
        await pilot.pause()
        assert view.selected_text is None


async def test_everything_can_be_copied_though_little_was_drawn() -> None:
    async with shown(*thread(500)) as (_, view, _):
        copied = view.get_selection(SELECT_ALL)
        assert copied is not None
        for number in range(500):
            assert f"Message {number}\n" in copied[0]


async def test_a_selected_line_looks_selected() -> None:
    async with shown(message("one two three")) as (host, view, pilot):
        await drag(pilot, view, "two", "two")
        _, y = where(view, "two")
        ground = host.screen.get_component_rich_style("screen--selection").bgcolor
        marked = [
            s.text for s in view.render_line(y) if s.style and s.style.bgcolor == ground
        ]
        assert marked == ["two"]


async def test_a_drag_is_no_click() -> None:
    source = "see [docs](https://example.org/a) there"
    async with shown(message(source)) as (host, view, pilot):
        await drag(pilot, view, "see", "docs")
        assert host.posted == []


async def test_copied_text_cannot_steer_a_terminal() -> None:
    async with shown(message("one \x1b]52;c;eA==\x07 two")) as (_, view, pilot):
        await drag(pilot, view, "one", "two")
        assert view.selected_text == "one ␛]52;c;eA==␇ two"
        assert Offset(0, 0) == view.scroll_offset
        assert lines(view)
