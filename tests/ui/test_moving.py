"""Every key that moves the cursor, and what the panes show of it."""

from __future__ import annotations

import pytest

from convotui.storage import Store

from .browsing import FORKED, browse, plant


async def test_it_opens_on_the_newest_message_with_its_thread(store: Store) -> None:
    plant(store, FORKED)
    async with browse(store) as browser:
        assert browser.selected == "haiku1"
        shown = "\n".join(browser.thread_lines())
        assert "Write a haiku" in shown
        assert "Frames upon frames rest" in shown
        assert "How do we store branches?" not in shown


async def test_the_tree_is_drawn_with_forks_in_lanes_of_their_own(store: Store) -> None:
    plant(store, FORKED)
    async with browse(store) as browser:
        graphs = [line.partition("▏")[0] for line in browser.tree_lines()]
        assert graphs == ["◆", "●", "├─●", "│ ●", "●", "●", "◆", "●"]
        assert "ask001 ❯ Why not JSON?" in browser.tree_lines()[2]


@pytest.mark.parametrize(
    ("start", "key", "end"),
    [
        ("root01", "j", "reply1"),
        ("root01", "down", "reply1"),
        ("reply1", "k", "root01"),
        ("reply1", "up", "root01"),
        ("del001", "g", "root01"),
        ("root01", "G", "haiku1"),
        ("root01", "home", "root01"),
        ("root01", "end", "haiku1"),
        ("root01", "pagedown", "haiku1"),
        ("haiku1", "pageup", "root01"),
        ("root01", "ctrl+d", "haiku1"),
        ("haiku1", "ctrl+u", "root01"),
        ("root01", "right", "reply1"),
        ("reply1", "l", "ask001"),
        ("json01", "h", "ask001"),
        ("json01", "left", "ask001"),
        ("ask001", "right_square_bracket", "ask002"),
        ("ask002", "left_square_bracket", "ask001"),
        ("del001", "left_curly_bracket", "reply1"),
        ("root01", "right_curly_bracket", "reply1"),
        ("root01", "at", "haiku1"),
    ],
)
async def test_a_key_moves_the_cursor(
    store: Store, start: str, key: str, end: str
) -> None:
    plant(store, FORKED)
    async with browse(store, start=start) as browser:
        assert browser.selected == start
        await browser.press(key)
        assert browser.selected == end


async def test_moving_shows_the_thread_of_the_cursor_at_once(store: Store) -> None:
    plant(store, FORKED)
    async with browse(store, start="root01") as browser:
        assert "Why not JSON?" not in "\n".join(browser.thread_lines())
        await browser.press("j", "j", "j")
        shown = "\n".join(browser.thread_lines())
        assert "Why not JSON?" in shown
        assert "It is copied on every write." in shown
        assert "And deletes?" not in shown


async def test_a_key_that_can_do_nothing_says_why(store: Store) -> None:
    plant(store, FORKED)
    async with browse(store, start="root01") as browser:
        await browser.press("left_curly_bracket")
        assert browser.status.notice == "There is no fork further up."
        await browser.press("j")
        assert browser.status.notice == ""


async def test_what_follows_below_the_selected_message_is_hinted(store: Store) -> None:
    plant(store, FORKED)
    async with browse(store, start="reply1") as browser:
        assert "4 replies below" in "\n".join(browser.thread_lines())


async def test_clicking_a_row_selects_it_and_twice_folds_it(store: Store) -> None:
    plant(store, FORKED)
    async with browse(store) as browser:
        await browser.pilot.click(browser.tree, offset=(10, 1))
        await browser.settle()
        assert browser.selected == "reply1"
        await browser.pilot.click(browser.tree, offset=(10, 1), times=2)
        await browser.settle()
        assert browser.rows() == ["root01", "reply1", "other1", "haiku1"]


async def test_the_status_line_tells_file_position_and_totals(store: Store) -> None:
    plant(store, FORKED)
    async with browse(store, start="reply1") as browser:
        told = browser.status.render().plain
        assert store.path.name in told
        assert "2/8" in told
        assert "$0.01" in told
        assert "$0.04" in told


async def test_all_of_a_long_thread_comes_to_whoever_stays(store: Store) -> None:
    chain = tuple(
        (
            f"m{number:05}",
            f"m{number - 1:05}" if number else None,
            "user",
            f"no {number}",
        )
        for number in range(500)
    )
    plant(store, chain)
    async with browse(store) as browser:
        assert "no 499" in "\n".join(browser.thread_lines())
        await browser.press("tab", "g")
        assert "no 0" in browser.thread_lines()[1]
