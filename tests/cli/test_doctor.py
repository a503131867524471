"""`convotui doctor` tells what a file is and how it is, and mends what is safe."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .program import Program, contents


def backups(project: Path) -> list[Path]:
    return sorted(project.glob(".cpeconvo.backup-*"))


def damage(path: Path) -> None:
    """Overwrite the second page of a database."""
    held = bytearray(path.read_bytes())
    held[4096:8192] = b"\xa5" * 4096
    path.write_bytes(held)


def test_a_sound_file_is_told_with_its_facts(convotui: Program, forked: Path) -> None:
    lines = convotui.prints("doctor").splitlines()

    facts = dict(line.split(maxsplit=1) for line in lines[:-1])
    assert facts["file"] == str(forked)
    assert facts["kind"] == "CPE with convotui's own tables"
    assert facts["journal"] == "wal"
    assert facts["messages"] == "6"
    assert facts["blocks"] == "6"
    assert facts["size"] == f"{forked.stat().st_size:,} bytes"
    assert lines[-1] == "sound"


@pytest.mark.usefixtures("seed_era")
def test_a_file_with_orphan_blocks_is_not_sound(convotui: Program) -> None:
    outcome = convotui("doctor")

    assert outcome.code == 1
    assert "belong to no message" in outcome.out
    assert outcome.out.endswith("not sound: try --repair\n")


def test_the_same_as_json(convotui: Program, seed_era: Path) -> None:
    outcome = convotui("doctor", "--json")

    found = json.loads(outcome.out)
    assert outcome.code == 1
    assert found["path"] == str(seed_era)
    assert found["kind"] == "CPE"
    assert found["journal_mode"] == "delete"
    assert found["messages"] == 20
    assert found["orphan_blocks"] == 1
    assert found["missing_parents"] == 0
    assert found["cycles"] == 0
    assert found["damage"] == []
    assert found["read_only_because"] is None
    assert found["sound"] is False


@pytest.mark.usefixtures("seed_era")
def test_a_repair_mends_the_file_and_keeps_what_was_in_a_backup(
    convotui: Program, project: Path
) -> None:
    listing = convotui.prints("list", "--json")

    outcome = convotui("doctor", "--repair")

    assert outcome.code == 0
    assert outcome.out.endswith("\nsound\n")
    [backup] = backups(project)
    assert str(backup) in outcome.err
    assert backup.stat().st_mode & 0o777 == 0o600
    assert convotui.prints("list", "--json") == listing
    assert convotui.prints("--db", backup, "list", "--json") == listing
    assert "belong to no message" in convotui("--db", backup, "doctor").out


@pytest.mark.usefixtures("forked")
def test_a_sound_file_needs_no_repair_and_no_backup(
    convotui: Program, project: Path
) -> None:
    before = contents(project)

    assert convotui("doctor", "--repair").code == 0

    assert contents(project) == before


@pytest.mark.usefixtures("today")
def test_a_file_of_todays_cpe_is_told_to_be_read_only(convotui: Program) -> None:
    listing = convotui.prints("doctor")

    assert "read-only: it was written by a newer CPE" in listing
    assert json.loads(convotui.prints("doctor", "--json"))["read_only_because"]


@pytest.mark.usefixtures("today")
def test_a_file_of_todays_cpe_is_neither_repaired_nor_copied(
    convotui: Program, project: Path
) -> None:
    before = contents(project)

    outcome = convotui("doctor", "--repair")

    assert outcome.err.count("\n") <= 1
    assert contents(project) == before


def test_a_damaged_file_is_told_and_left_alone(
    convotui: Program, project: Path, seed_era: Path
) -> None:
    damage(seed_era)
    before = contents(project)

    for options in ((), ("--json",), ("--repair",)):
        outcome = convotui("doctor", *options)
        assert outcome.code == 1
        assert "Traceback" not in outcome.err
        assert "damage" in outcome.out + outcome.err

    assert contents(project) == before


def test_where_there_is_no_file_that_is_said_and_none_is_made(
    convotui: Program, project: Path
) -> None:
    assert "does not exist yet" in convotui.says("doctor")
    assert "does not exist yet" in convotui.says("doctor", "--repair")
    assert list(project.iterdir()) == []


def test_json_is_json_also_where_there_is_no_file(convotui: Program) -> None:
    assert isinstance(json.loads(convotui("doctor", "--json").out), dict)
