"""A reply that grows is followed, or leaves the reader in peace."""

from __future__ import annotations

from random import Random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from convotui.storage.records import Block, ChatMessage, ReplyFacts
from tests.ui.thread.helpers import lines, message, reply, shown, text, thread

PIECES = st.sampled_from(
    [
        *("word ", "\n", "\n\n", "- item\n", "1. one\n", "  more\n", "    deep\n"),
        *("```\n", "```py\n", "~~~", "x = 1\n", "> quote\n", "# head\n", "---\n"),
        *(
            "| a | b |\n",
            "|---|---|\n",
            "**bold**",
            "`code`",
            "*",
            "_",
            "[t](http://u)",
        ),
        *(
            "<b>",
            "\t",
            "\r\n",
            "日本",
            "👩‍💻",
            "é",
            "\x1b[2J",
            "\ud800",
            "&#27;",
            "1",
            ".",
        ),
    ]
)


async def test_the_end_is_followed() -> None:
    async with shown(*thread(30), message("ask")) as (_, view, pilot):
        for count in range(0, 60, 3):
            view.set_tail(reply("\n\n".join(f"part {n}" for n in range(count))))
            await pilot.pause()
            assert count == 0 or lines(view)[-1] == f"▎ part {count - 1}"


async def test_nothing_moves_when_the_reader_is_elsewhere() -> None:
    async with shown(*thread(30), message("ask")) as (_, view, pilot):
        await pilot.press("k")
        before = lines(view)
        for count in range(0, 60, 3):
            view.set_tail(reply("part\n\n" * count))
            await pilot.pause()
        assert lines(view) == before


async def test_nothing_moves_in_the_reply_itself() -> None:
    async with shown(*thread(30), message("ask")) as (_, view, pilot):
        view.set_tail(reply("part\n\n" * 100))
        await pilot.press("k", "k")
        before = lines(view)
        for count in range(100, 160, 4):
            view.set_tail(reply("part\n\n" * count))
            await pilot.pause()
        assert lines(view) == before


async def test_going_back_to_the_end_follows_again() -> None:
    async with shown(*thread(30), reply("one")) as (_, view, pilot):
        await pilot.press("k", "G")
        view.set_tail(reply("one\n\ntwo\n\nthree"))
        await pilot.pause()
        assert lines(view)[-1] == "▎ three"


async def test_a_new_message_takes_the_highlight_and_the_hint_away() -> None:
    async with shown(message("ask"), replies_below=1) as (_, view, pilot):
        view.set_tail(reply("answer"))
        await pilot.pause()
        assert view.highlighted_id == "bbbbbb"
        assert "below" not in text(view)


async def test_a_first_message_can_come_this_way() -> None:
    async with shown() as (_, view, pilot):
        view.set_tail(reply("answer"))
        await pilot.pause()
        assert "answer" in text(view)
        assert view.highlighted_id == "bbbbbb"


async def test_thinking_comes_before_the_text() -> None:
    async with shown(message("ask")) as (_, view, pilot):
        view.set_tail(reply(Block("hm", type="thinking")))
        view.set_tail(reply(Block("hm\nwell", type="thinking"), "answer"))
        await pilot.pause()
        assert "thinking · 2 lines" in text(view)
        await pilot.press("enter")
        view.set_tail(reply(Block("hm\nwell\nso", type="thinking"), "answer"))
        await pilot.pause()
        assert "so" in text(view)


async def test_the_header_changes_when_the_reply_is_done() -> None:
    async with shown(message("ask")) as (_, view, pilot):
        view.set_tail(streaming("answer"))
        await pilot.pause()
        assert "tok" not in text(view)
        done = ReplyFacts("model", 10, 20)
        view.set_tail(message("answer", role="assistant", id="bbbbbb", facts=done))
        await pilot.pause()
        assert "10→20 tok" in text(view)


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(st.lists(PIECES, max_size=80), st.randoms(use_true_random=False))
async def test_it_ends_as_if_shown_at_once(pieces: list[str], random: Random) -> None:
    whole = "".join(pieces)
    async with shown(message("ask"), size=(50, 200)) as (_, view, pilot):
        end = 0
        while end < len(whole):
            end += random.randint(1, 30)
            view.set_tail(streaming(whole[:end]))
        view.set_tail(reply(whole))
        await pilot.pause()
        streamed = lines(view)
        view.show([])
        view.show([message("ask"), reply(whole)])
        await pilot.pause()
        assert lines(view) == streamed


def streaming(words: str) -> ChatMessage:
    facts = ReplyFacts(state="streaming")
    return message(words, role="assistant", id="bbbbbb", facts=facts)
