"""What of a thread goes to a model that cannot read it all."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from convotui.conversations.turns import turns_of
from convotui.conversations.window import fit
from convotui.llm import Media, Part, Text, Thinking, ToolCall, ToolResult, Turn
from convotui.storage import ChatMessage

from .test_turns import assert_paired, threads

LONG = "word " * 700
"""About a thousand tokens."""


def said(role: str, text: str) -> Turn:
    return Turn("user" if role == "user" else "assistant", [Text(text)])


def talk(count: int) -> list[Turn]:
    roles = ("user", "assistant")
    return [said(roles[number % 2], f"{number} {LONG}") for number in range(count)]


def test_what_fits_is_sent_whole() -> None:
    turns = talk(5)

    fitted = fit(turns, "Be brief.", 200_000, None)

    assert list(fitted.request.turns) == turns
    assert fitted.request.system == "Be brief."
    assert (fitted.left_out, fitted.window) == (0, 200_000)
    assert 4_500 < fitted.tokens < 6_000


def test_a_thread_that_a_model_began_is_sent_whole_too() -> None:
    turns = talk(6)[1:]

    assert list(fit(turns, "", 200_000, None).request.turns) == turns


def test_nothing_is_left_out_where_nobody_knows_how_much_fits() -> None:
    fitted = fit(talk(5), "", None, None)

    assert (len(fitted.request.turns), fitted.left_out, fitted.window) == (5, 0, None)


def test_the_oldest_are_left_out_and_the_rest_begins_with_a_prompt() -> None:
    turns = talk(9)

    fitted = fit(turns, "", 6_000, 1_000)

    assert fitted.left_out == 6
    assert list(fitted.request.turns) == turns[6:]
    assert fitted.tokens <= 5_000


def test_the_reply_gets_its_room() -> None:
    turns = talk(5)

    assert fit(turns, "", 6_000, 100).left_out == 0
    assert fit(turns, "", 6_000, 1_400).left_out > 0


def test_what_was_said_last_is_sent_however_long() -> None:
    turns = [*talk(4), said("user", LONG * 20)]

    fitted = fit(turns, "", 4_000, None)

    assert list(fitted.request.turns) == turns[-1:]
    assert (fitted.left_out, fitted.tokens > 4_000) == (4, True)


def test_a_call_and_its_result_stay_together() -> None:
    turns = [
        *talk(2),
        said("user", "look"),
        Turn("assistant", [ToolCall("a", "look", "{}")]),
        Turn("user", [ToolResult("a", LONG * 5)]),
    ]

    fitted = fit(turns, "", 4_000, None)

    assert list(fitted.request.turns) == turns[2:]


def test_everything_that_is_sent_is_counted() -> None:
    image = Media("image/png", "x" * 10_000_000)
    parts: list[Part] = [Text(LONG), Thinking(LONG), ToolCall("a", LONG, LONG)]
    result = ToolResult("a", LONG, media=[image])

    counted = fit([Turn("assistant", parts), Turn("user", [result])], LONG, None, None)

    assert 6_000 < counted.tokens < 9_000


def test_letters_of_other_scripts_count_for_more() -> None:
    latin = fit([said("user", "a" * 3_000)], "", None, None)
    kana = fit([said("user", "あ" * 3_000)], "", None, None)

    assert kana.tokens > 2 * latin.tokens


@given(threads, st.integers(1, 400), st.none() | st.integers(1, 100))
def test_whatever_is_cut_calls_and_results_stay_paired(
    thread: list[ChatMessage], window: int, max_tokens: int | None
) -> None:
    turns = turns_of(thread, "openai")

    fitted = fit(turns, "", window, max_tokens)

    sent = list(fitted.request.turns)
    assert_paired(sent)
    assert sent == turns[fitted.left_out :]
    assert bool(sent) == bool(turns)
    if fitted.left_out:
        assert sent[0].role == "user"
