"""`convotui search` finds every message that holds some words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.storage.helpers import add_message, other_program

from .program import Program
from .stores import make, said


@pytest.fixture
def talk(project: Path) -> Path:
    return make(
        project / ".cpeconvo",
        said("older", "Why is the café's SQLite file locked?", at="2026-01-01 08:00"),
        said(
            "newer",
            "Another writer holds the lock of SQLite.\nWait for it.",
            "older",
            role="assistant",
            at="2026-01-01 08:01",
            title="cause",
        ),
        said("other", "What is 50% of a_b?", at="2026-01-02 00:00"),
    )


def ids(listing: str) -> list[str]:
    return [line.split()[0] for line in listing.splitlines()]


@pytest.mark.usefixtures("talk")
def test_a_hit_is_one_line_with_id_role_snippet_and_label(convotui: Program) -> None:
    assert convotui.prints("search", "sqlite", "lock") == (
        "newer (2026-01-01 08:01) [ASSISTANT] "
        "Another writer holds the lock of SQLite. Wait for it.  [cause]\n"
        "older (2026-01-01 08:00) [USER] Why is the café's SQLite file locked?\n"
    )


@pytest.mark.usefixtures("talk")
@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("CAFE", ["older"]),
        ("50%", ["other"]),
        ("a_b", ["other"]),
        ('"lock of"', ["newer"]),
        ("ock", []),
        ("cause", ["newer"]),
        ("sqlite AND", []),
        ('"', []),
        ("*", []),
    ],
)
def test_words_are_literal_but_for_case_and_accents(
    typed: str, found: list[str], convotui: Program
) -> None:
    outcome = convotui("search", typed)

    assert outcome.code == 0
    assert ids(outcome.out) == found


@pytest.mark.usefixtures("talk")
def test_hits_as_json(convotui: Program) -> None:
    [hit] = json.loads(convotui.prints("search", "--json", "writer"))

    assert hit == {
        "id": "newer",
        "role": "assistant",
        "created_at": "2026-01-01T08:01:00Z",
        "label": "cause",
        "snippet": "Another writer holds the lock of SQLite. Wait for it.",
        "match": "writer",
    }


@pytest.mark.usefixtures("talk")
def test_a_limit_keeps_the_newest_hits(convotui: Program) -> None:
    assert ids(convotui.prints("search", "--limit", "1", "sqlite")) == ["newer"]


@pytest.mark.usefixtures("talk")
def test_a_limit_larger_than_any_number_of_hits_is_none(convotui: Program) -> None:
    listing = convotui.prints("search", "--limit", "9" * 30, "sqlite")

    assert ids(listing) == ["newer", "older"]


@pytest.mark.usefixtures("talk")
def test_nothing_found_is_said_and_is_no_failure(convotui: Program) -> None:
    assert convotui.says("search", "no", "such", "words") == (
        "No message holds 'no such words'.\n"
    )


def test_a_search_without_a_file_finds_nothing_and_makes_none(
    convotui: Program, project: Path
) -> None:
    convotui.says("search", "sqlite")

    assert list(project.iterdir()) == []


def test_what_another_program_wrote_is_found_at_once(
    convotui: Program, talk: Path
) -> None:
    with other_program(talk) as connection:
        add_message(connection, "cpe001", "a zebra", parent="newer")

    assert ids(convotui.prints("search", "zebra")) == ["cpe001"]


@pytest.mark.usefixtures("seed_era")
def test_a_cpe_file_is_searched_without_an_index(convotui: Program) -> None:
    assert ids(convotui.prints("search", "naive", "count")) == ["pQ2rS3"]


@pytest.mark.usefixtures("talk")
def test_what_was_deleted_is_not_found_until_it_is_back(convotui: Program) -> None:
    convotui.says("delete", "newer")
    assert ids(convotui.prints("search", "lock")) == ["older"]

    convotui.says("undo")

    assert ids(convotui.prints("search", "lock")) == ["newer", "older"]


def test_words_that_begin_with_a_dash_follow_two(
    convotui: Program, project: Path
) -> None:
    make(project / ".cpeconvo", said("aaaaaa", "what does --force do?"))

    assert ids(convotui.prints("search", "--", "--force")) == ["aaaaaa"]


def test_long_text_is_cut_around_the_match(convotui: Program, project: Path) -> None:
    make(project / ".cpeconvo", said("aaaaaa", f"{'x ' * 99}needle{' y' * 99}"))

    line = convotui.prints("search", "needle")

    assert len(line) < 200
    assert "[USER] …x x " in line
    assert " y…\n" in line
