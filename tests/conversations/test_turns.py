"""What a model is given of a thread: all that was said, and every call answered."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from convotui.conversations.turns import GENERATOR, NO_RESULT, SIGNATURE, turns_of
from convotui.llm import Media, Text, Thinking, ToolCall, ToolResult, Turn
from convotui.storage import Block, ChatMessage, MessageId, Modality

TIME = datetime(2026, 3, 1)


def message(role: str, *blocks: Block, failed: bool = False) -> ChatMessage:
    return ChatMessage(
        MessageId("x"), None, role, blocks, TIME, tool_result_error=failed
    )


def user(text: str) -> ChatMessage:
    return message("user", Block(text))


def assistant(text: str, *calls: str) -> ChatMessage:
    return message("assistant", Block(text), *(call(name) for name in calls))


def call(call_id: str | None, name: str = "look") -> Block:
    content = json.dumps({"name": name, "parameters": {"for": call_id}})
    return Block(content, "tool_call", id=call_id)


def result(call_id: str, text: str, *, failed: bool = False) -> ChatMessage:
    return message("tool_result", Block(text, id=call_id), failed=failed)


def thought(text: str, **extra: str) -> Block:
    return Block(text, "thinking", extra_fields=json.dumps(extra))


def test_each_side_speaks_in_turn() -> None:
    thread = [user("one"), user("two"), assistant("three"), assistant("four")]

    assert turns_of(thread, "openai") == [
        Turn("user", [Text("one"), Text("two")]),
        Turn("assistant", [Text("three"), Text("four")]),
    ]


def test_a_call_is_followed_by_its_results() -> None:
    thread = [
        user("go"),
        assistant("I look", "a", "b"),
        result("a", "found a"),
        result("b", "lost b", failed=True),
        assistant("done"),
    ]

    _, calls, results, _ = turns_of(thread, "openai")

    assert [part for part in calls.parts if isinstance(part, ToolCall)] == [
        ToolCall("a", "look", '{"for": "a"}'),
        ToolCall("b", "look", '{"for": "b"}'),
    ]
    assert results.parts == [
        ToolResult("a", "found a"),
        ToolResult("b", "lost b", is_error=True),
    ]


def test_a_call_without_a_result_gets_one_that_says_so() -> None:
    thread = [assistant("I look", "a", "b"), result("b", "found"), user("and?")]

    assert turns_of(thread, "openai")[1].parts == [
        ToolResult("b", "found"),
        ToolResult("a", NO_RESULT, is_error=True),
        Text("and?"),
    ]


def test_a_thread_that_ends_with_a_call_ends_with_a_result() -> None:
    last = turns_of([user("go"), assistant("I look", "a")], "openai")[-1]

    assert last == Turn("user", [ToolResult("a", NO_RESULT, is_error=True)])


def test_a_result_without_its_call_is_told_in_words() -> None:
    [turn] = turns_of([user("so"), result("gone", "found it")], "openai")

    assert turn.parts == [Text("so"), Text("[The result of a tool:]\nfound it")]


def test_calls_that_share_an_id_are_told_apart() -> None:
    thread = [
        assistant("", "call-1"),
        result("call-1", "first"),
        assistant("", "call-1"),
        result("call-1", "second"),
    ]

    first, its_result, second, other_result = turns_of(thread, "anthropic")

    assert ids([first, second]) == ["call-1", "call-1_2"]
    assert its_result.parts == [ToolResult("call-1", "first")]
    assert other_result.parts == [ToolResult("call-1_2", "second")]


def test_only_the_thinking_of_the_same_provider_is_sent() -> None:
    blocks = [
        thought("mine", **{GENERATOR: "anthropic", SIGNATURE: "signed"}),
        thought("unsigned", **{GENERATOR: "anthropic"}),
        thought("foreign", **{GENERATOR: "gemini", SIGNATURE: "signed"}),
        Block("said"),
    ]
    thread = [user("go"), message("assistant", *blocks)]

    assert turns_of(thread, "anthropic")[1].parts == [
        Thinking("mine", "signed"),
        Text("said"),
    ]
    assert turns_of(thread, "openai")[1].parts == [Text("said")]


def test_files_go_with_the_words() -> None:
    image = Block("aaaa", modality=Modality.IMAGE, mime_type="image/png")
    sound = Block("bbbb", modality=Modality.AUDIO, mime_type="audio/ogg")

    [turn] = turns_of([message("user", Block("look"), image, sound)], "openai")

    assert turn.parts == [
        Text("look"),
        Media("image/png", "aaaa"),
        Text("[a file of type audio/ogg was here]"),
    ]


def test_what_says_nothing_is_not_sent() -> None:
    thread = [user("one"), message("assistant"), assistant("\n\n"), user("two")]

    assert turns_of(thread, "openai") == [Turn("user", [Text("one"), Text("two")])]


def ids(turns: Sequence[Turn]) -> list[str]:
    """The ids of all calls, in their order."""
    parts = [part for turn in turns for part in turn.parts]
    return [part.id for part in parts if isinstance(part, ToolCall)]


call_ids = st.sampled_from(["a", "a_2", "b", "c"])
texts = st.sampled_from(["", " ", "words", "more words"])
messages = st.one_of(
    st.builds(user, texts),
    st.builds(lambda text, calls: assistant(text, *calls), texts, st.lists(call_ids)),
    st.builds(result, call_ids, texts),
    st.just(message("assistant", call(None), call("a", name=""), Block("x", "odd"))),
    st.just(message("tool_result")),
)
threads = st.lists(messages, max_size=12)


def assert_paired(turns: Sequence[Turn]) -> None:
    """Every call has its result in the next turn, and every result its call before."""
    expected: list[str] = []
    for turn in turns:
        results = [part for part in turn.parts if isinstance(part, ToolResult)]
        assert sorted(part.call_id for part in results) == sorted(expected)
        assert list(turn.parts[: len(results)]) == results
        expected = ids([turn])
        assert not expected or turn.role == "assistant"
    assert expected == []
    assert len(set(ids(turns))) == len(ids(turns))


@given(threads)
def test_every_call_has_its_result_and_every_result_its_call(
    thread: list[ChatMessage],
) -> None:
    assert_paired(turns_of(thread, "openai"))


@given(threads)
def test_the_sides_take_turns_and_nothing_said_is_lost(
    thread: list[ChatMessage],
) -> None:
    turns = turns_of(thread, "openai")

    roles = [turn.role for turn in turns]
    assert all(one != other for one, other in pairwise(roles))
    assert all(turn.parts for turn in turns)
    said = "\n".join(
        part.text
        for turn in turns
        for part in turn.parts
        if isinstance(part, Text | ToolResult)
    )
    assert said.count("words") == sum(it.text.count("words") for it in thread)
