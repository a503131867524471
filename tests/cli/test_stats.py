"""`convotui stats` adds up messages, tokens and cost, each reply once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from convotui.storage import ReplyFacts

from .program import Program
from .stores import make, said


def rows(listing: str) -> dict[str, list[str]]:
    """The table by the first word of each line."""
    cells = [line.split() for line in listing.splitlines() if line.strip()]
    return {line[0]: line[1:] for line in cells}


@pytest.mark.usefixtures("forked")
def test_totals_of_everything_each_model_and_each_day(convotui: Program) -> None:
    table = rows(convotui.prints("stats"))

    assert list(table) == [
        "messages",
        "Everything",
        "Models",
        "beta",
        "alpha",
        "Days",
        "2026-02-14",
    ]
    assert table["messages"] == ["in", "out", "cost"]
    assert table["Everything"] == ["6", "600", "90", "$0.8750"]
    assert table["alpha"] == ["2", "400", "60", "$0.3750"]
    assert table["beta"] == ["1", "200", "30", "$0.5000"]
    assert table["2026-02-14"] == table["Everything"]


@pytest.mark.usefixtures("forked")
def test_the_same_as_json(convotui: Program) -> None:
    everything = {
        "messages": 6,
        "input_tokens": 600,
        "output_tokens": 90,
        "cached_tokens": 0,
        "cost": 0.875,
    }

    found = json.loads(convotui.prints("stats", "--json"))

    assert found["total"] == everything
    assert found["days"] == {"2026-02-14": everything}
    assert found["models"]["beta"] == {
        "messages": 1,
        "input_tokens": 200,
        "output_tokens": 30,
        "cached_tokens": 0,
        "cost": 0.5,
    }


@pytest.mark.usefixtures("forked")
def test_a_message_has_the_totals_of_its_thread_and_of_what_is_below(
    convotui: Program,
) -> None:
    lines = convotui.prints("stats", "dE").splitlines()

    totals = {line[:30].strip(): line[30:].split() for line in lines}
    assert totals["Thread to dE4fG5"] == ["2", "100", "20", "$0.2500"]
    assert totals["dE4fG5 and below"] == ["5", "600", "90", "$0.8750"]
    assert totals["beta"] == ["1", "200", "30", "$0.5000"]
    below = lines.index("Models, dE4fG5 and below")
    assert [line.split()[0] for line in lines[below + 1 : below + 3]] == [
        "beta",
        "alpha",
    ]


@pytest.mark.usefixtures("forked")
def test_the_totals_of_a_message_as_json(convotui: Program) -> None:
    everything = json.loads(convotui.prints("stats", "--json"))

    first = json.loads(convotui.prints("stats", "--json", "aB3xK9"))
    last = json.loads(convotui.prints("stats", "--json", "fG0hI1"))

    assert first["subtree"] == everything
    assert (first["thread"]["total"]["messages"], first["thread"]["models"]) == (1, {})
    assert last["thread"]["total"]["cost"] == 0.375
    assert last["subtree"]["total"]["cost"] == 0.125


@pytest.mark.usefixtures("forked")
def test_a_message_that_is_not_there_has_no_totals(convotui: Program) -> None:
    assert "nobody" in convotui.refuses("stats", "nobody")


def test_a_day_ends_when_it_does_on_the_users_clock(
    convotui: Program, project: Path
) -> None:
    make(
        project / ".cpeconvo",
        said("aaaaaa", "in the afternoon", at="2026-02-14 14:30"),
        said("bbbbbb", "before midnight", at="2026-02-14 23:30"),
    )

    here = rows(convotui.prints("stats"))
    there = rows(convotui.prints("stats", environment={"TZ": "JST-9"}))

    assert here["2026-02-14"][0] == "2"
    assert there["2026-02-14"][0] == "1"
    assert there["2026-02-15"][0] == "1"


def test_large_numbers_are_grouped_and_dollars_have_cents(
    convotui: Program, project: Path
) -> None:
    facts = ReplyFacts("m", input_tokens=1_234_567, output_tokens=0, cost=12.345)
    make(project / ".cpeconvo", said("aaaaaa", "hi", role="assistant", facts=facts))

    assert rows(convotui.prints("stats"))["m"] == ["1", "1,234,567", "0", "$12.35"]


def test_deleted_messages_do_not_count(convotui: Program, forked: Path) -> None:
    convotui.says("delete", "lM0nO1")

    assert "beta" not in rows(convotui.prints("stats"))


def test_without_messages_there_is_nothing_to_add_up(
    convotui: Program, project: Path
) -> None:
    assert convotui.says("stats") == "No messages found.\n"
    assert json.loads(convotui.prints("stats", "--json")) == {
        "total": {
            "messages": 0,
            "input_tokens": 0,
            "output_tokens": 0,
            "cached_tokens": 0,
            "cost": 0.0,
        },
        "models": {},
        "days": {},
    }
    assert list(project.iterdir()) == []


@pytest.mark.usefixtures("today")
def test_a_file_of_todays_cpe_tells_its_models(convotui: Program) -> None:
    found = json.loads(convotui.prints("stats", "--json"))

    assert found["models"]["glm-5.1"]["input_tokens"] >= 5419
    assert found["models"]["glm-5.1"]["cached_tokens"] >= 5632
