"""The other formats of `convotui list`: the seed's picture, and JSON."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from .program import Program
from .stores import FIXTURES, make, said

INDENTED = """\
aB3xK9 (2026-02-14 10:30) [USER] Hello, can you help me?
    dE4fG5 (2026-02-14 10:31) [ASSISTANT] Of course! What do you need?
        hI7jK8 (2026-02-14 10:32) [USER] I need help with Go
            lM0nO1 (2026-02-14 10:33) [ASSISTANT] Sure, what's your question?
            ------
        pQ2rS3 (2026-02-14 10:35) [USER] Actually, Python instead
            fG0hI1 (2026-02-14 10:36) [ASSISTANT] No problem! What about Python…
            ------
"""


class Line(NamedTuple):
    """One message of a listing."""

    id: str
    time: str
    role: str


def lines_of(listing: str) -> list[tuple[str, Line | None]]:
    """Each line's indentation and message; `None` for the rule below a leaf."""
    found: list[tuple[str, Line | None]] = []
    for line in listing.splitlines():
        text = line.lstrip()
        indent = line[: len(line) - len(text)]
        if text == "------":
            found.append((indent, None))
            continue
        message_id, rest = text.split(" (", 1)
        time, rest = rest.split(") [", 1)
        found.append((indent, Line(message_id, time, rest.split("]")[0])))
    return found


def messages_of(listing: str) -> list[Line]:
    return [line for _, line in lines_of(listing) if line is not None]


def leaves_of(listing: str) -> list[str]:
    """The ids above a rule."""
    lines = [line for _, line in lines_of(listing)]
    return [
        line.id for line, below in pairwise(lines) if line is not None and below is None
    ]


@pytest.fixture
def golden() -> str:
    """What CPE itself printed for the file that the fixture `seed_era` copies."""
    name = "cpe_seed_era.cpeconvo.list.txt"
    return (FIXTURES / name).read_text(errors="replace")


@pytest.mark.usefixtures("forked")
def test_indent_prints_the_seeds_picture(convotui: Program) -> None:
    assert convotui.prints("list", "--indent") == INDENTED


def test_indent_cuts_text_with_three_dots_and_draws_no_rule_below_a_lone_root(
    convotui: Program, project: Path
) -> None:
    make(project / ".cpeconvo", said("aaaaaa", "word " * 30))

    assert convotui.prints("list", "--indent") == (
        "aaaaaa (2026-02-14 10:30) [USER] "
        "word word word word word word word word word wo...\n"
    )


def test_indent_stays_readable_however_deep_a_thread_is(
    convotui: Program, project: Path
) -> None:
    make(
        project / ".cpeconvo",
        *(said(f"m{n:05}", "x", f"m{n - 1:05}" if n else None) for n in range(3000)),
    )

    listing = convotui.prints("list", "--indent")

    assert listing.count("\n") == 3001
    assert max(map(len, listing.splitlines())) < 400


@pytest.mark.usefixtures("seed_era")
def test_the_tree_of_a_cpe_file_is_the_one_that_cpe_printed(
    convotui: Program, golden: str
) -> None:
    listing = convotui.prints("list", "--indent")

    # A failed tool call is told here and was not there.
    shown = [
        line._replace(role=line.role.removesuffix(" error"))
        for line in messages_of(listing)
    ]
    assert shown == messages_of(golden)
    assert leaves_of(listing) == leaves_of(golden)


@pytest.mark.usefixtures("seed_era")
def test_the_forks_of_a_cpe_file_are_the_ones_that_cpe_indented(
    convotui: Program, golden: str
) -> None:
    rows: list[dict[str, Any]] = json.loads(convotui.prints("list", "--json"))
    parents = [row["parent_id"] for row in rows if row["parent_id"]]
    forks = {parent for parent in parents if parents.count(parent) > 1}

    lines = lines_of(golden)
    indented = {
        above.id
        for (indent, above), (deeper, below) in pairwise(lines)
        if above and below and len(deeper) > len(indent)
    }
    assert forks == indented == {"dE4fG5"}


@pytest.mark.usefixtures("forked")
def test_json_holds_every_message_with_its_parent(convotui: Program) -> None:
    rows: list[dict[str, Any]] = json.loads(convotui.prints("list", "--json"))

    assert [(row["id"], row["parent_id"]) for row in rows] == [
        ("aB3xK9", None),
        ("dE4fG5", "aB3xK9"),
        ("hI7jK8", "dE4fG5"),
        ("lM0nO1", "hI7jK8"),
        ("pQ2rS3", "dE4fG5"),
        ("fG0hI1", "pQ2rS3"),
    ]
    assert rows[1] == {
        "id": "dE4fG5",
        "parent_id": "aB3xK9",
        "role": "assistant",
        "created_at": "2026-02-14T10:31:00Z",
        "label": None,
        "text": "Of course! What do you need?",
        "model": "alpha",
        "cost": 0.25,
        "state": "complete",
        "tool_result_error": False,
    }
    assert rows[2]["label"] == "go"


@pytest.mark.usefixtures("forked")
def test_json_names_the_parent_that_a_filter_leaves(convotui: Program) -> None:
    listing = convotui.prints("list", "--json", "--filter", "prompts")

    assert [(row["id"], row["parent_id"]) for row in json.loads(listing)] == [
        ("aB3xK9", None),
        ("hI7jK8", "aB3xK9"),
        ("pQ2rS3", "aB3xK9"),
    ]


@pytest.mark.parametrize(
    "command",
    ["list", "list --roots", "search x", "trash list", "clean"],
)
def test_json_of_nothing_is_an_empty_array(command: str, convotui: Program) -> None:
    assert json.loads(convotui(*command.split(), "--json").out) == []
