"""The highlight moves through messages, and siblings are asked for."""

from __future__ import annotations

import pytest

from convotui.storage.records import MessageId
from convotui.ui.thread import ThreadView
from tests.ui.thread.helpers import lines, message, row, shown, text, thread, where


def highlights(posted: list[object]) -> list[str]:
    return [
        m.message_id for m in posted if isinstance(m, ThreadView.MessageHighlighted)
    ]


@pytest.mark.parametrize(("down", "up"), [("J", "K"), ("shift+down", "shift+up")])
async def test_keys_move_between_messages(down: str, up: str) -> None:
    messages = [message("x", id=name) for name in ("one", "two", "three")]
    async with shown(*messages) as (host, view, pilot):
        assert view.highlighted_id == "three"
        await pilot.press(up, up, up, down)
        assert view.highlighted_id == "two"
        assert highlights([*host.posted]) == ["two", "one", "two"]
        assert all(m.control is view for m in host.posted)


async def test_the_highlighted_message_comes_on_screen() -> None:
    async with shown(*thread(200)) as (_, view, pilot):
        for _ in range(12):
            await pilot.press("K")
            assert f"{view.highlighted_id}" in text(view)
        for _ in range(12):
            await pilot.press("J")
            assert f"{view.highlighted_id}" in text(view)
        assert view.highlighted_id == "m00199"


async def test_the_highlight_starts_from_what_is_on_screen() -> None:
    async with shown(*thread(200)) as (_, view, pilot):
        await pilot.press("g", "J")
        assert view.highlighted_id == "m00000"


async def test_a_click_highlights() -> None:
    messages = [message(f"words {name}", id=name) for name in ("one", "two")]
    async with shown(*messages) as (host, view, pilot):
        await pilot.click(view, offset=where(view, "words one"))
        assert view.highlighted_id == "one"
        assert highlights([*host.posted]) == ["one"]


@pytest.mark.parametrize(
    ("key", "step"), [("left_square_bracket", -1), ("right_square_bracket", 1)]
)
async def test_siblings_of_the_nearest_fork_are_asked_for(key: str, step: int) -> None:
    messages = [message("x", id=name) for name in ("one", "two", "three")]
    siblings = {MessageId("two"): (2, 3), MessageId("three"): (1, 1)}
    async with shown(*messages, siblings=siblings) as (host, view, pilot):
        await pilot.press(key)
        assert host.posted == [ThreadView.SiblingWanted(view, MessageId("two"), step)]


async def test_no_fork_no_question() -> None:
    async with shown(message("x")) as (host, _, pilot):
        await pilot.press("left_square_bracket", "right_square_bracket")
        assert host.posted == []


@pytest.mark.parametrize(("sign", "step"), [("‹", -1), ("›", 1)])
async def test_a_click_on_the_fork_asks(sign: str, step: int) -> None:
    siblings = {MessageId("aaaaaa"): (2, 3)}
    async with shown(message("x"), siblings=siblings) as (host, view, pilot):
        await pilot.click(view, offset=where(view, sign))
        wanted = ThreadView.SiblingWanted(view, MessageId("aaaaaa"), step)
        assert wanted in host.posted


async def test_without_messages_keys_do_nothing() -> None:
    async with shown() as (host, view, pilot):
        for key in ("j", "k", "g", "G", "J", "K", "enter", "pagedown", "ctrl+u", "end"):
            await pilot.press(key)
        assert set(lines(view)) == {""}
        assert view.highlighted_id is None
        assert host.posted == []


async def test_a_message_can_be_highlighted_from_outside() -> None:
    async with shown(*thread(200)) as (host, view, pilot):
        view.highlight(MessageId("m00077"))
        await pilot.pause()
        assert view.highlighted_id == "m00077"
        assert "m00077" in text(view)
        assert host.posted == []


async def test_a_sibling_takes_the_place_of_another() -> None:
    shared = thread(30)
    first = message("first try\n\n" * 3, id="first")
    second = message("second try\n\n" * 15, id="second")
    below = message("below " * 500, id="below")
    async with shown(*shared, first, below) as (_, view, pilot):
        await pilot.press("K")
        await pilot.press("k", "k", "k")
        y = row(view, "first")
        view.show([*shared, second], at=MessageId("second"))
        await pilot.pause()
        assert row(view, "second") == y
        assert view.highlighted_id == "second"


async def test_a_thread_can_be_opened_at_any_message() -> None:
    async with shown() as (_, view, pilot):
        view.show(thread(200), at=MessageId("m00077"))
        await pilot.pause()
        assert view.highlighted_id == "m00077"
        assert "m00077" in text(view)
