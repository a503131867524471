"""The thread follows the size, the theme and the signs it may use."""

from __future__ import annotations

import subprocess
import sys

import pytest
from textual.content import Content

from convotui.storage.records import Block, MessageId, ReplyFacts
from convotui.ui.thread import ThreadView
from tests.ui.thread.helpers import (
    Host,
    lines,
    message,
    reply,
    row,
    shown,
    text,
    thread,
)

EVERYTHING = (
    "# Title\n\n**b** *i* ~~s~~ `c` [l](http://u)\n\n- a\n  - b\n    - c\n\n1. d\n\n"
    "> q\n\n---\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n"
    "```python\ndef f(): return 'x'  # 1\n```"
)


@pytest.mark.parametrize("width", [30, 48, 120, 200])
async def test_a_new_width_keeps_the_place(width: int) -> None:
    async with shown(*thread(300)) as (_, view, pilot):
        view.scroll_to(y=view.max_scroll_y // 2)
        await pilot.pause()
        view.scroll_relative(y=row(view, "3 Feb 2020"))
        await pilot.pause()
        header = lines(view)[0].split("m")[1][:5]
        await pilot.resize_terminal(width, 24)
        await pilot.pause()
        assert header in lines(view)[0]


async def test_a_new_width_wraps_anew() -> None:
    async with shown(message("word " * 40), size=(60, 24)) as (_, view, pilot):
        before = len(text(view).rstrip().splitlines())
        await pilot.resize_terminal(30, 24)
        await pilot.pause()
        assert len(text(view).rstrip().splitlines()) > before
        assert all(len(line) <= 30 for line in lines(view))


async def test_the_end_stays_on_screen_when_the_window_shrinks() -> None:
    async with shown(*thread(50), reply("the last words")) as (_, view, pilot):
        await pilot.resize_terminal(60, 12)
        await pilot.pause()
        assert "the last words" in lines(view)[-1]


@pytest.mark.parametrize("size", [(1, 1), (4, 3), (20, 2), (300, 100)])
async def test_any_size_will_do(size: tuple[int, int]) -> None:
    async with shown(reply(EVERYTHING), replies_below=1) as (_, view, pilot):
        await pilot.resize_terminal(*size)
        await pilot.press("k", "pagedown", "G", "g", "J")
        for y in range(view.size.height):
            assert view.render_line(y).cell_length == view.size.width


THEMES = ("textual-dark", "textual-light", "nord", "ansi-dark", "ansi-light")


async def test_a_theme_changes_the_colours_and_nothing_else() -> None:
    async with shown(message("x"), reply(EVERYTHING), size=(80, 50)) as (
        host,
        view,
        pilot,
    ):
        seen = set()
        before = lines(view)
        for theme in THEMES:
            host.theme = theme
            await pilot.pause()
            assert lines(view) == before
            title = view.render_line(row(view, "Title"))
            seen.add(next(s.style for s in title if s.text == "Title"))
        assert len(seen) >= 4


async def test_code_has_colours() -> None:
    async with shown(reply(EVERYTHING), size=(80, 50)) as (_, view, _):
        strip = view.render_line(row(view, "def f()"))
        colours = {s.style.color for s in strip if s.style and s.text.strip()}
        assert len(colours) >= 4


async def test_ascii_signs_only() -> None:
    facts = ReplyFacts("m", 1, 2, state="interrupted")
    blocks = (Block(EVERYTHING), Block("x", type="thinking"))
    one = message(*blocks, role="assistant", id="one", facts=facts)
    two = message("y" * 500, role="tool_result", id="two", error=True)
    siblings = {MessageId("two"): (1, 2)}
    async with shown(one, two, siblings=siblings, size=(80, 50)) as (_, view, pilot):
        assert not text(view).isascii()
        view.ascii = True
        await pilot.pause()
        assert text(view).isascii()
        await pilot.press("enter")
        assert text(view).isascii()


async def test_the_highlight_shows_while_the_thread_has_the_focus() -> None:
    async with shown(message("x"), reply("y")) as (host, view, pilot):
        header = row(view, "bbbbbb")
        with_focus = list(view.render_line(header))
        host.screen.set_focus(None)
        await pilot.pause()
        assert list(view.render_line(header)) != with_focus


async def test_an_empty_thread_shows_what_it_is_given() -> None:
    host = Host(ThreadView(placeholder=Content("[b]Nothing[/b] here")))
    async with host.run_test() as pilot:
        await pilot.pause()
        assert lines(host.view)[0] == "[b]Nothing[/b] here"
        host.view.show([message("x")])
        await pilot.pause()
        assert "Nothing" not in text(host.view)


async def test_a_thread_can_be_shown_before_there_is_a_screen() -> None:
    view = ThreadView()
    view.show([*thread(50), reply("the last words")])
    async with Host(view).run_test() as pilot:
        await pilot.pause()
        assert "the last words" in lines(view)[-1]


def test_parsers_are_not_loaded_before_there_is_something_to_draw() -> None:
    late = "'markdown_it', 'pygments', 'rich.markdown', 'rich.syntax', 'linkify_it'"
    program = (
        "import sys, convotui.ui.thread\n"
        f"print([name for name in ({late}) if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
