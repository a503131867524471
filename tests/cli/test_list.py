"""`convotui list` draws the forest, what was last active at the bottom."""

from __future__ import annotations

from pathlib import Path

import pytest

from convotui.storage import Block, Draft, ReplyFacts, ReplyState, Store
from tests.storage.helpers import add_message, other_program, seed_file

from .program import Program
from .stores import FORKED, make, make_forked, said

ASCII_FORKED = """\
o aB3xK9 (2026-02-14 10:30) [USER] Hello, can you help me?
* dE4fG5 (2026-02-14 10:31) [ASSISTANT] Of course! What do you need?
|-* hI7jK8 (2026-02-14 10:32) [USER] I need help with Go  [go]
| * lM0nO1 (2026-02-14 10:33) [ASSISTANT] Sure, what's your question?
* pQ2rS3 (2026-02-14 10:35) [USER] Actually, Python instead
"""


def ids(listing: str) -> list[str]:
    """The ids of a drawn listing, from top to bottom."""
    return [line.split(" (")[0].split()[-1] for line in listing.splitlines()]


@pytest.mark.usefixtures("forked")
def test_a_fork_opens_a_lane_and_the_newest_reply_keeps_its_parents(
    convotui: Program,
) -> None:
    assert convotui.prints("list") == FORKED


def test_times_are_those_of_the_users_clock(convotui: Program, project: Path) -> None:
    make(project / ".cpeconvo", said("aaaaaa", "late", at="2026-02-14 23:30"))

    assert convotui.prints("list", environment={"TZ": "JST-9"}) == (
        "◆ aaaaaa (2026-02-15 08:30) [USER] late\n"
    )


def test_text_in_any_script_stays_and_what_cannot_be_seen_shows(
    convotui: Program, project: Path
) -> None:
    make(
        project / ".cpeconvo",
        said("aaaaaa", "日本語, naïve – 😀", at="2026-02-14 10:00"),
        said("bbbbbb", "é\U000e0101\u202e\x1b", at="2026-02-14 10:01"),
        said("cccccc", "e\U000e0101", at="2026-02-14 10:02"),
    )

    assert convotui.prints("list") == (
        "◆ aaaaaa (2026-02-14 10:00) [USER] 日本語, naïve – 😀\n"
        "◆ bbbbbb (2026-02-14 10:01) [USER] é��␛\n"
        "◆ cccccc (2026-02-14 10:02) [USER] e�\n"
    )


def test_a_clock_may_be_set_within_an_hour(convotui: Program, project: Path) -> None:
    make(
        project / ".cpeconvo",
        said("aaaaaa", "before", at="2026-10-03 15:20"),
        said("bbbbbb", "after", at="2026-10-03 15:40"),
        said("cccccc", "later", at="2026-10-03 16:10"),
    )
    zone = "LHST-10:30LHDT-11,M10.1.0,M4.1.0"

    listing = convotui.prints("list", environment={"TZ": zone})

    times = [line.split("(")[1][:16] for line in listing.splitlines()]
    assert times == ["2026-10-04 01:50", "2026-10-04 02:40", "2026-10-04 03:10"]


def test_what_went_wrong_stands_beside_the_role(
    convotui: Program, project: Path
) -> None:
    with Store(project / ".cpeconvo") as store:
        [question] = store.save([said("aaaaaa", "go")])
        states: list[ReplyState] = ["interrupted", "failed", "complete"]
        for state in states:
            facts = ReplyFacts(state=state)
            store.save([Draft("assistant", [Block(state)], question, facts=facts)])
        store.save(
            [Draft("tool_result", [Block("1")], question, tool_result_error=True)]
        )

    listing = convotui.prints("list")

    assert "[ASSISTANT interrupted] interrupted\n" in listing
    assert "[ASSISTANT failed] failed\n" in listing
    assert "[ASSISTANT] complete\n" in listing
    assert "[TOOL RESULT error] 1\n" in listing


def test_roots_and_siblings_with_the_newest_message_below_come_last(
    convotui: Program, project: Path
) -> None:
    make(
        project / ".cpeconvo",
        said("first", "old, but continued", at="2026-01-01 00:00"),
        said("left", "also continued", "first", at="2026-01-02 00:00"),
        said("second", "newer, but dropped", at="2026-01-03 00:00"),
        said("right", "newer, but dropped", "first", at="2026-01-04 00:00"),
        said("newest", "the last word", "left", at="2026-01-05 00:00"),
    )

    listing = convotui.prints("list")

    assert ids(listing) == ["second", "first", "right", "left", "newest"]
    assert "├─● right" in listing


def test_a_message_whose_parent_is_missing_is_a_root_with_a_mark_of_its_own(
    convotui: Program, project: Path
) -> None:
    seed_file(project / ".cpeconvo")
    with other_program(project / ".cpeconvo") as connection:
        add_message(connection, "orphan", "left over", parent="gone")

    assert convotui.prints("list").startswith("◇ orphan ")


def test_text_of_many_lines_is_one_line_and_is_not_cut_in_a_pipe(
    convotui: Program, project: Path
) -> None:
    make(project / ".cpeconvo", said("aaaaaa", "one\n\ttwo\r\n three " + "x" * 200))

    assert convotui.prints("list").endswith(f"one two three {'x' * 200}\n")


@pytest.mark.parametrize(
    ("name", "left"),
    [
        ("all", "root ask say tool answer trace child"),
        ("no-tools", "root ask say answer trace child"),
        ("prompts", "root ask trace"),
        ("labelled", "ask"),
        ("no-subagents", "root ask say tool answer"),
    ],
)
def test_a_filter_leaves_messages_out_and_what_replies_to_them_moves_up(
    name: str, left: str, convotui: Program, project: Path
) -> None:
    make(
        project / ".cpeconvo",
        said("root", "hello"),
        said("ask", "and now?", "root", title="named"),
        said("say", "let me look", "ask", role="assistant"),
        said("tool", "nothing there", "say", role="tool_result"),
        said("answer", "nothing", "tool", role="assistant"),
        said("trace", "review", at="2026-02-14 11:00", title="subagent:review:1"),
        said("child", "done", "trace", at="2026-02-14 11:00", role="assistant"),
    )

    assert ids(convotui.prints("list", "--filter", name)) == left.split()


@pytest.mark.usefixtures("forked")
def test_a_limit_keeps_the_last_lines(convotui: Program) -> None:
    assert convotui.prints("list", "--limit", "2") == "".join(
        FORKED.splitlines(keepends=True)[-2:]
    )


@pytest.mark.usefixtures("forked")
@pytest.mark.parametrize(
    "environment",
    [{"CONVOTUI_ASCII": "1"}, {"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "C"}],
    ids=str,
)
def test_the_tree_can_be_drawn_in_ascii(
    environment: dict[str, str], convotui: Program
) -> None:
    assert convotui.prints("list", environment=environment).startswith(ASCII_FORKED)


@pytest.mark.usefixtures("forked")
def test_what_an_encoding_lacks_becomes_a_question_mark(convotui: Program) -> None:
    listing = convotui.prints("list", environment={"PYTHONIOENCODING": "ascii"})

    assert listing.endswith("What about Python?\n")


@pytest.mark.parametrize("options", [(), ("--roots",), ("--indent",)], ids=str)
def test_without_a_file_there_are_no_messages_and_none_is_made(
    options: tuple[str, ...], convotui: Program, project: Path
) -> None:
    assert convotui.says("list", *options) == "No messages found.\n"
    assert list(project.iterdir()) == []


def test_one_kind_of_listing_at_a_time(convotui: Program) -> None:
    assert "cannot be used together" in convotui.refuses(
        "list", "--indent", "--roots", code=2
    )


def test_what_another_program_adds_is_listed(convotui: Program, project: Path) -> None:
    path = make_forked(project / ".cpeconvo")
    with other_program(path) as connection:
        add_message(
            connection, "cpe001", "from CPE", parent="fG0hI1", at="2026-02-14 10:40:00"
        )

    assert convotui.prints("list") == (
        FORKED + "● cpe001 (2026-02-14 10:40) [USER] from CPE\n"
    )
