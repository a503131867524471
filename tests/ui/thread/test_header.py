"""The line above a message."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from convotui.storage.records import UNKNOWN_TIME, ChatMessage, MessageId, ReplyFacts
from convotui.ui.thread.header import shown_time
from tests.ui.thread.helpers import lines, message, shown, text


def answered(facts: ReplyFacts) -> ChatMessage:
    return message("hello", role="assistant", facts=facts)


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        (ReplyFacts(model="acme/model-5"), "✦ model-5  aaaaaa"),
        (ReplyFacts(), "✦ assistant  aaaaaa"),
        (ReplyFacts(input_tokens=1240, output_tokens=340), "· 1.2k→340 tok"),
        (ReplyFacts(input_tokens=2_500_000), "· 2.5M→? tok"),
        (ReplyFacts(cost=0.0042), "· $0.0042"),
        (ReplyFacts(state="interrupted"), "⚠ interrupted"),
        (ReplyFacts(state="failed"), "✗ failed"),
        (ReplyFacts(state="streaming"), "aaaaaa · 3 Feb 2020  …"),
    ],
)
async def test_what_is_known_of_a_reply(facts: ReplyFacts, expected: str) -> None:
    async with shown(answered(facts)) as (_, view, _):
        assert expected in lines(view)[0]


async def test_nothing_is_said_of_what_is_not_known() -> None:
    async with shown(message("hello", created_at=UNKNOWN_TIME)) as (_, view, _):
        assert lines(view)[0] == "▌ ❯ you  aaaaaa"


async def test_each_role_has_its_own_bar_and_sign() -> None:
    roles = ("user", "assistant", "tool_result", "oracle")
    thread = [message("x", role=role, id=role) for role in roles]
    async with shown(*thread) as (_, view, _):
        headers = [line[:8].rstrip() for line in lines(view) if "2020" in line]
        assert headers == ["▌ ❯ you", "▎ ✦ assi", "┆ ƒ tool", "╎ ? orac"]


async def test_a_label_is_a_chip_and_a_subagent_is_not() -> None:
    labelled = message("x", title="go")
    trace = message("x", title="subagent:scout:1", id="cccccc")
    async with shown(labelled, trace) as (_, view, _):
        assert "[go]" in text(view)
        assert "subagent scout:1" in text(view)
        assert "[subagent" not in text(view)


async def test_a_tool_that_failed_is_marked() -> None:
    failed = message("no such file", role="tool_result", error=True)
    async with shown(failed) as (_, view, _):
        assert "✗ error" in lines(view)[0]


async def test_a_fork_tells_which_sibling_this_is() -> None:
    siblings = {MessageId("aaaaaa"): (2, 3)}
    async with shown(message("x"), siblings=siblings) as (_, view, _):
        assert lines(view)[0].endswith("2/3 ‹ ›")


async def test_what_matters_least_gives_way_first() -> None:
    facts = ReplyFacts("some-model", 1200, 300, cost=0.01, state="interrupted")
    wide = answered(facts)
    siblings = {MessageId("aaaaaa"): (1, 2)}
    async with shown(wide, siblings=siblings, size=(48, 10)) as (_, view, _):
        assert "some-model" in lines(view)[0]
        assert "interrupted" in lines(view)[0]
        assert "1/2 ‹ ›" in lines(view)[0]
        assert "$" not in lines(view)[0]


def test_a_time_is_told_as_short_as_it_can() -> None:
    now = datetime.now()
    stored = now.astimezone(UTC).replace(tzinfo=None)
    assert shown_time(stored, now) == f"{now:%H:%M}"
    assert shown_time(datetime(2020, 2, 3, 12), datetime(2020, 8, 1)) != "3 Feb 2020"
    assert shown_time(datetime(2020, 2, 3, 12), datetime(2026, 1, 1)) == "3 Feb 2020"
    assert shown_time(datetime.max, datetime(2026, 1, 1)) == "31 Dec 9999"


async def test_replies_below_are_hinted() -> None:
    async with shown(message("x"), replies_below=3) as (_, view, _):
        assert "3 replies below" in text(view)
    async with shown(message("x"), replies_below=1) as (_, view, _):
        assert "1 reply below" in text(view)
    async with shown(message("x")) as (_, view, _):
        assert "below" not in text(view)
