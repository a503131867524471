"""`convotui list --roots`: one line a conversation, with what it adds up to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from convotui.storage import ReplyFacts

from .program import Program
from .stores import make, said


@pytest.mark.usefixtures("forked")
def test_a_conversation_is_one_line_with_each_reply_counted_once(
    convotui: Program,
) -> None:
    # Both branches share the first reply, whose tokens and cost count once.
    assert convotui.prints("list", "--roots") == (
        "aB3xK9 (2026-02-14 10:36) go · 6 messages · alpha · 690 tokens · $0.8750\n"
    )


def test_without_a_label_the_first_message_is_the_title(
    convotui: Program, project: Path
) -> None:
    make(
        project / ".cpeconvo",
        said("aaaaaa", "How do\nlocks work?"),
        said("bbbbbb", "Slowly.", "aaaaaa", role="assistant", at="2026-02-14 12:00"),
    )

    assert convotui.prints("list", "--roots") == (
        "aaaaaa (2026-02-14 12:00) How do locks work? · 2 messages\n"
    )


def test_a_subagents_name_is_no_title(convotui: Program, project: Path) -> None:
    make(project / ".cpeconvo", said("aaaaaa", "Review this.", title="subagent:r:1"))

    assert " Review this. · 1 message\n" in convotui.prints("list", "--roots")


def test_the_most_recently_active_conversation_is_last_and_a_limit_keeps_it(
    convotui: Program, project: Path
) -> None:
    make(
        project / ".cpeconvo",
        said("first", "begun early", at="2026-01-01 00:00"),
        said("second", "begun late", at="2026-01-02 00:00"),
        said("third", "never answered", at="2026-01-03 00:00"),
        said("reply", "at last", "first", at="2026-01-04 00:00", role="assistant"),
    )

    listing = convotui.prints("list", "--roots")
    limited = convotui.prints("list", "--roots", "--limit", "1")

    lines = listing.splitlines(keepends=True)
    assert [line.split()[0] for line in lines] == ["second", "third", "first"]
    assert limited == lines[-1]


def test_the_model_of_most_replies_is_shown(convotui: Program, project: Path) -> None:
    models = ["once", "often", "often"]
    make(
        project / ".cpeconvo",
        said("root", "hello"),
        *(
            said(f"reply{n}", "hi", "root", role="assistant", facts=ReplyFacts(model))
            for n, model in enumerate(models)
        ),
    )

    assert convotui.prints("list", "--roots").endswith(" · 4 messages · often\n")


@pytest.mark.usefixtures("forked")
def test_json_holds_the_same(convotui: Program) -> None:
    assert json.loads(convotui.prints("list", "--roots", "--json")) == [
        {
            "id": "aB3xK9",
            "title": "go",
            "model": "alpha",
            "messages": 6,
            "input_tokens": 600,
            "output_tokens": 90,
            "cost": 0.875,
            "last_activity": "2026-02-14T10:36:00Z",
        }
    ]


def test_a_filter_leaves_subagents_out(convotui: Program, project: Path) -> None:
    make(
        project / ".cpeconvo",
        said("mine", "hello"),
        said("trace", "review", title="subagent:review:1"),
    )

    listing = convotui.prints("list", "--roots", "--filter", "no-subagents")

    assert listing.startswith("mine ")
    assert listing.count("\n") == 1


@pytest.mark.usefixtures("today")
def test_a_file_of_todays_cpe_tells_its_models_and_tokens(convotui: Program) -> None:
    listing = convotui.prints("list", "--roots")

    assert "glm-5.1" in listing
    assert " tokens" in listing
