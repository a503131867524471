"""`convotui clean` moves conversations that ended long ago to the trash."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest

from convotui.storage import utc_now

from .program import Program
from .stores import make, said


@pytest.fixture
def aged(project: Path) -> Path:
    """A store with a conversation of today and two that ended before."""

    def ago(days: int) -> str:
        return str(utc_now() - timedelta(days=days))

    return make(
        project / ".cpeconvo",
        said("ancient", "two months ago", at=ago(60)),
        said("reply", "also then", "ancient", at=ago(59), role="assistant"),
        said("stale", "ten days ago", at=ago(10)),
        said("kept", "begun long ago", at=ago(90)),
        said("today", "and still going", "kept", at=ago(0)),
    )


def roots(listing: str) -> list[str]:
    return [line.split()[0] for line in listing.splitlines()]


@pytest.mark.usefixtures("aged")
def test_what_nobody_touched_for_thirty_days_goes_to_the_trash(
    convotui: Program,
) -> None:
    outcome = convotui("clean")

    assert outcome.code == 0
    assert roots(outcome.out) == ["ancient"]
    assert outcome.err.startswith("Deleted 2 messages; 'convotui undo' brings")
    assert roots(convotui.prints("list", "--roots")) == ["stale", "kept"]
    assert "ancient" in convotui.prints("trash", "list")


@pytest.mark.usefixtures("aged")
def test_all_of_it_comes_back_by_one_undo(convotui: Program) -> None:
    before = convotui.prints("list")
    convotui("clean", "--older-than", "1w")
    assert roots(convotui.prints("list", "--roots")) == ["kept"]

    convotui.says("undo")

    assert convotui.prints("list") == before


def test_a_dry_run_only_tells(convotui: Program, aged: Path) -> None:
    before = aged.read_bytes()

    listing = convotui.prints("clean", "--dry-run", "--older-than", "168h")

    assert roots(listing) == ["ancient", "stale"]
    assert aged.read_bytes() == before


@pytest.mark.usefixtures("aged")
def test_what_goes_is_told_as_json(convotui: Program) -> None:
    listing = convotui.prints("clean", "--dry-run", "--json")

    assert [entry["id"] for entry in json.loads(listing)] == ["ancient"]


@pytest.mark.usefixtures("aged")
def test_when_nothing_is_that_old_nothing_goes(convotui: Program) -> None:
    assert convotui.says("clean", "--older-than", "365d") == (
        "There is nothing that old.\n"
    )


@pytest.mark.usefixtures("aged")
@pytest.mark.parametrize("length", ["999999d", "999999w"])
def test_nothing_is_older_than_time_itself(length: str, convotui: Program) -> None:
    assert convotui.says("clean", "--older-than", length) == (
        "There is nothing that old.\n"
    )


@pytest.mark.usefixtures("aged")
@pytest.mark.parametrize("length", ["", "30", "-1d", "30 days"])
def test_what_is_no_length_of_time_is_refused(length: str, convotui: Program) -> None:
    assert "30d" in convotui.refuses("clean", "--older-than", length, code=2)


@pytest.mark.usefixtures("seed_era")
def test_a_file_that_cpe_left_behind_can_be_cleaned(convotui: Program) -> None:
    convotui("clean", "--older-than", "1d")

    assert convotui.says("list") == "No messages found.\n"
    assert convotui.says("undo") == "Undone: the delete of 20 messages.\n"
