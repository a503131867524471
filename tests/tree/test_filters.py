"""Which messages the filters show."""

from __future__ import annotations

from textwrap import dedent

import pytest

from convotui.tree import Filter, shown

from .drawing import filtered, outline


def test_filters_are_called_as_the_user_calls_them() -> None:
    assert list(Filter) == ["all", "no-tools", "prompts", "labelled", "no-subagents"]


def test_all_shows_everything_without_a_mask() -> None:
    assert shown(outline("a", "b<a"), Filter.ALL) is None


@pytest.mark.parametrize("by", [by for by in Filter if by is not Filter.ALL])
def test_every_other_filter_takes_an_empty_outline(by: Filter) -> None:
    assert shown(outline(), by) == bytearray()


def test_no_tools_hides_results_and_keeps_what_follows_them() -> None:
    messages = outline(
        "ask",
        "call<ask",
        "result<call",
        "reply<result",
        roles={"call": "assistant", "result": "tool_result", "reply": "assistant"},
    )
    assert filtered(messages, Filter.NO_TOOLS).drawn() == dedent(
        """\
        ◆ ask
        ● call
        ● reply
        """
    )


def test_prompts_shows_only_what_the_user_said() -> None:
    messages = outline(
        "a",
        "A<a",
        "b<A",
        "B<b",
        "c<A",
        "T<c",
        roles={"A": "assistant", "B": "assistant", "T": "tool_result"},
    )
    assert filtered(messages, Filter.PROMPTS).drawn() == dedent(
        """\
        ◆ a
        ├─● b
        ● c
        """
    )


def test_a_role_that_is_not_known_is_neither_a_tool_nor_a_prompt() -> None:
    messages = outline("a", "b<a")
    messages.roles[1] = 3
    assert filtered(messages, Filter.NO_TOOLS).drawn() == "◆ a\n● b\n"
    assert filtered(messages, Filter.PROMPTS).drawn() == "◆ a\n"


def test_labelled_shows_labels_but_not_the_names_of_subagents() -> None:
    messages = outline(
        "a",
        "b<a",
        "c<b",
        "d<b",
        "e<d",
        titles={"b": "go", "c": "subagent:scout:1", "d": "", "e": "python"},
    )
    assert filtered(messages, Filter.LABELLED).drawn() == dedent(
        """\
        ◆ b
        ● e
        """
    )


def test_no_subagents_hides_their_traces_with_everything_below() -> None:
    messages = outline(
        "a",
        "b<a",
        "s<b",
        "t<s",
        "u<t",
        "c<b",
        "r",
        "q<r",
        titles={"s": "subagent:scout:1", "r": "subagent:scout:2", "b": "go"},
    )
    assert filtered(messages, Filter.NO_SUBAGENTS).drawn() == dedent(
        """\
        ◆ a
        ● b
        ● c
        """
    )


def test_no_subagents_reaches_replies_that_are_older_than_the_trace() -> None:
    messages = outline("t<s", "s<a", "a", "b<a", titles={"s": "subagent:scout:1"})
    assert filtered(messages, Filter.NO_SUBAGENTS).drawn() == "◆ a\n● b\n"


def test_no_subagents_follows_a_cycle_down_from_its_cut_only() -> None:
    messages = outline("a<c", "b<a", "c<b", titles={"b": "subagent:scout:1"})
    assert filtered(messages, Filter.NO_SUBAGENTS).drawn() == "◇ a\n"
