"""`convotui label` names a branch, tells a name, and takes it away."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .program import Program
from .stores import make, said


def label_of(convotui: Program, message_id: str) -> str | None:
    rows = json.loads(convotui.prints("list", "--json"))
    [label] = [row["label"] for row in rows if row["id"] == message_id]
    assert label is None or isinstance(label, str)
    return label


@pytest.mark.usefixtures("forked")
def test_a_label_is_set_and_told(convotui: Program) -> None:
    assert convotui.says("label", "pQ2", "the good one") == (
        "pQ2rS3 is now 'the good one'.\n"
    )

    assert convotui.prints("label", "pQ2") == "the good one\n"
    assert "Python instead  [the good one]\n" in convotui.prints("list")


@pytest.mark.usefixtures("forked")
def test_an_empty_label_removes_it_and_undo_brings_it_back(convotui: Program) -> None:
    assert "undo" in convotui.says("label", "hI7", "")
    assert convotui.says("label", "hI7") == "hI7jK8 has no label.\n"

    undone = convotui.says("undo")

    assert convotui.prints("label", "hI7") == "go\n"
    assert "None" not in undone
    assert "hI7jK8" in undone


@pytest.mark.usefixtures("forked")
def test_the_same_label_again_is_no_change_to_undo(convotui: Program) -> None:
    convotui.says("label", "aB3", "start")

    assert convotui.says("label", "hI7", "go") == "Nothing changed.\n"

    convotui.says("undo")
    assert label_of(convotui, "aB3xK9") is None
    assert label_of(convotui, "hI7jK8") == "go"


@pytest.mark.usefixtures("forked")
def test_white_space_around_a_label_is_left_out(convotui: Program) -> None:
    convotui.says("label", "aB3", "  two words ")

    assert label_of(convotui, "aB3xK9") == "two words"


@pytest.mark.usefixtures("forked")
@pytest.mark.parametrize(
    "label",
    ["a\nb", "\x1b[31mred", "\x9b1m", "\u202eevil"],
    ids=ascii,
)
def test_a_label_of_control_characters_is_refused(
    label: str, convotui: Program
) -> None:
    code = next(ord(letter) for letter in label if not letter.isprintable())

    assert f"U+{code:04X}" in convotui.refuses("label", "aB3", label)


@pytest.mark.usefixtures("forked")
def test_a_label_that_is_too_long_is_refused(convotui: Program) -> None:
    convotui.says("label", "aB3", "x" * 200)

    line = convotui.refuses("label", "aB3", "x" * 201)

    assert "200" in line
    assert "201" in line


def test_a_label_of_other_scripts_and_emoji_is_kept_as_typed(
    convotui: Program, project: Path
) -> None:
    make(project / ".cpeconvo", said("aaaaaa", "hello"))
    label = "نمی‌خواهم 👩‍🚀 日本語"

    convotui.says("label", "aaaaaa", label)

    assert label_of(convotui, "aaaaaa") == label


@pytest.mark.usefixtures("seed_era")
def test_a_subagents_trace_is_renamed_only_by_force(convotui: Program) -> None:
    assert "--force" in convotui.refuses("label", "jK2", "mine now")
    assert "--force" in convotui.refuses("label", "jK2", "")

    convotui.says("label", "--force", "jK2", "mine now")

    assert convotui.prints("label", "jK2") == "mine now\n"


@pytest.mark.usefixtures("forked")
def test_a_label_that_fakes_a_subagents_trace_is_set_only_by_force(
    convotui: Program,
) -> None:
    assert "--force" in convotui.refuses("label", "aB3", "subagent:me:1")

    convotui.says("label", "--force", "aB3", "subagent:me:1")

    assert convotui.prints("label", "aB3") == "subagent:me:1\n"


@pytest.mark.usefixtures("seed_era")
def test_telling_a_label_changes_nothing_in_a_cpe_file(
    convotui: Program, project: Path, seed_era: Path
) -> None:
    before = seed_era.read_bytes()

    convotui.says("label", "aB3")

    assert seed_era.read_bytes() == before
    assert [path.name for path in project.iterdir()] == [".cpeconvo"]
