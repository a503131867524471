"""`convotui import`: what it prints, asks, skips, and leaves alone."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
from pathlib import Path

import apsw
import pytest

from .program import COMMAND, Program, contents
from .stores import FIXTURES, make_forked
from .terminal import on_terminal, shown_on_terminal

SAMPLES = FIXTURES / "importers"


def test_what_came_in_is_told_and_listed(convotui: Program) -> None:
    told = convotui.prints("import", SAMPLES / "orcx_conversations.db")

    assert told == (
        "6 new · 6 messages · 2 conversations · 2026-01-07 to 2026-01-08 · orcx · "
        f"{SAMPLES / 'orcx_conversations.db'}\n"
    )
    assert "what about error handling?" in convotui.prints("list")


def test_again_there_is_nothing_new(convotui: Program) -> None:
    file = SAMPLES / "pingu.db"
    convotui.prints("import", file)
    before = convotui.prints("list")

    assert convotui.prints("import", file).startswith("0 new · 12 messages")
    assert convotui.prints("list") == before


def test_a_dry_run_only_looks(convotui: Program, project: Path) -> None:
    told = convotui.prints("import", "--dry-run", SAMPLES / "pingu.db")

    assert told.startswith("12 would be new · 12 messages · 3 conversations")
    assert list(project.iterdir()) == []


def test_json_tells_it_all(convotui: Program) -> None:
    (convotui.directory / "bad").write_text("not a thing")
    outcome = convotui(
        "import", "--json", FIXTURES / "cpe_seed_era.cpeconvo", Path("bad")
    )
    told = json.loads(outcome.out)

    assert outcome.code == 1
    assert told["dry_run"] is False
    assert told["files"] == [
        {
            "file": str(FIXTURES / "cpe_seed_era.cpeconvo"),
            "format": "cpe",
            "conversations": 5,
            "new_conversations": 5,
            "messages": 20,
            "branches": 1,
            "first": "2025-06-01T08:00:00Z",
            "last": "2026-02-14T13:00:04Z",
            "new": 20,
            "known": 0,
            "grown": 0,
        }
    ]
    assert told["skipped"] == 1
    assert told["problems"][0]["file"] == "bad"


def test_what_is_skipped_is_named_and_the_rest_comes_in(convotui: Program) -> None:
    document = make_document(convotui, broken=True)
    outcome = convotui("import", document, SAMPLES / "orcx_conversations.db")

    assert outcome.code == 1
    assert outcome.out.count(" new ") == 2
    skipped, last = outcome.err.splitlines()
    assert skipped.startswith("Skipped: all.json, message 2: ")
    assert last == "convotui: 1 thing was skipped."


def test_of_much_that_is_skipped_the_first_is_named(convotui: Program) -> None:
    state = {"conversation_id": "c", "history": []}
    lines = [json.dumps(state), *['{"something": "else"}'] * 300]
    (convotui.directory / "lines").write_text("\n".join(lines))
    outcome = convotui("import", "--json", "lines")

    *named, last = outcome.err.splitlines()
    assert named[0] == "Skipped: lines, line 2: holds no history of Amazon Q."
    assert len(named) < 50
    assert last == "convotui: 300 things were skipped; --json names more of them."
    assert len(json.loads(outcome.out)["problems"]) == 300


def make_document(convotui: Program, *, broken: bool = False) -> Path:
    """A document in the project, one of whose messages has no id if it is broken."""
    other = convotui.directory.parent / "elsewhere"
    other.mkdir()
    make_forked(other / ".cpeconvo")
    text = convotui.prints("export", "--format", "json", directory=other)
    if broken:
        text = text.replace('"id": "dE4fG5"', '"id": 7')
    (convotui.directory / "all.json").write_text(text)
    return Path("all.json")


def test_an_export_comes_back_as_it_was(convotui: Program) -> None:
    document = make_document(convotui)
    convotui.prints("import", document)

    text = (convotui.directory / document).read_text()
    assert convotui.prints("export", "--format", "json") == text


def test_two_files_of_one_kind_are_joined(convotui: Program, forked: Path) -> None:
    told = convotui.prints("import", FIXTURES / "cpe_seed_era.cpeconvo")

    # Some ids are in both, and what they say is in part the same.
    assert " · 20 messages · 5 conversations" in told
    assert not told.startswith(("0 ", "20 "))
    again = convotui.prints("import", FIXTURES / "cpe_seed_era.cpeconvo")
    assert again.startswith("0 new")


@pytest.mark.usefixtures("forked")
def test_nothing_is_changed_when_nothing_can_be_imported(convotui: Program) -> None:
    assert "1 thing was skipped" in convotui("import", "nowhere").err
    assert convotui.refuses("import", "--from", "nonsense", "x", code=2)


def test_a_format_can_be_named(convotui: Program) -> None:
    file = SAMPLES / "orcx_conversations.db"
    assert convotui.prints("import", "--from", "orcx", file).startswith("6 new")

    outcome = convotui("import", "--from", "pingu", file)
    assert outcome.code == 1
    assert "Skipped: " in outcome.err


def test_hostile_names_steer_no_terminal(convotui: Program) -> None:
    name = "a\x1b[2Jb\n\u202ec"
    shutil.copy(SAMPLES / "pingu.db", convotui.directory / name)
    (convotui.directory / f"{name}2").write_text("nothing")

    shown = convotui("import", name, f"{name}2")

    for text in (shown.out, shown.err):
        assert "\x1b[2J" not in text
        assert "\u202e" not in text
    assert len(shown.out.splitlines()) == 1
    assert len(shown.err.splitlines()) == 2


def test_lines_fit_the_terminal(convotui: Program) -> None:
    files = [str(SAMPLES / name) for name in ("pingu.db", "q_data.sqlite3")]
    shown = shown_on_terminal(
        convotui, "import", *files, columns=50, environment={"NO_COLOR": "1"}
    )

    assert len(shown.splitlines()) == 2
    assert max(map(len, shown.splitlines())) <= 50


def test_progress_is_shown_on_a_terminal_and_gone_in_the_end(
    convotui: Program,
) -> None:
    shown = shown_on_terminal(convotui, "import", str(SAMPLES / "pingu.db"))

    *progress, report = shown.split("\r\x1b[K")
    assert re.search(r"pingu\.db \d+%, \d+ messages?", "".join(progress))
    assert "12 new" in report
    assert "%" not in report


@pytest.fixture
def installed(convotui: Program, tmp_path: Path) -> Program:
    """The program where Amazon Q and Pingu have been used, too."""
    home = tmp_path / "home"
    for name, place in (
        ("q_data.sqlite3", ".local/share/amazon-q/data.sqlite3"),
        ("pingu.db", ".local/share/pingu/pingu.db"),
    ):
        (home / place).parent.mkdir(parents=True)
        shutil.copy(SAMPLES / name, home / place)
    return convotui


def held_here(convotui: Program) -> None:
    """Have one of the conversations with Amazon Q be of this project."""
    place = Path(convotui.environment["HOME"], ".local/share/amazon-q/data.sqlite3")
    connection = apsw.Connection(str(place))
    connection.execute(
        "UPDATE conversations SET key = ? WHERE key = '/home/ada/legacy'",
        (str(convotui.directory / "deeper"),),
    )
    connection.close()


def test_without_a_path_it_asks_for_what_is_of_this_project(
    installed: Program,
) -> None:
    held_here(installed)
    with on_terminal(installed, "import") as terminal:
        terminal.wait_for("1 conversation of this project, and 3 of others.")
        terminal.wait_for("Import 5 messages?")
        terminal.press("n\n")
        terminal.rest()
        assert terminal.exit_code() == 1
    assert not (installed.directory / ".cpeconvo").exists()

    with on_terminal(installed, "import") as terminal:
        terminal.wait_for("Import 5 messages?")
        terminal.press("y\n")
        assert "5 new" in terminal.rest()
        assert terminal.exit_code() == 0
    assert "Legacy prompt" in installed.prints("list")


def test_without_a_path_and_a_terminal_it_needs_leave(installed: Program) -> None:
    held_here(installed)
    before = contents(installed.directory)
    outcome = installed("import")
    assert outcome.code == 2
    assert "--yes is needed to import 5 messages." in outcome.err
    assert contents(installed.directory) == before

    outcome = installed("import", "--yes")
    assert (outcome.code, outcome.out.startswith("5 new")) == (0, True)
    assert installed("import", "--yes").err.endswith(
        "nothing of this project that is new.\n"
    )


def test_what_may_not_be_of_this_project_is_only_mentioned(installed: Program) -> None:
    outcome = installed("import", "--yes")

    assert (outcome.code, outcome.out) == (0, "")
    assert "Found Pingu at " in outcome.err
    assert not (installed.directory / ".cpeconvo").exists()


def test_many_files_of_one_program_are_told_in_one_line(convotui: Program) -> None:
    day = Path(convotui.environment["HOME"], "codex/sessions/2026/05/06")
    day.mkdir(parents=True)
    here = str(convotui.directory)
    for number, directory in enumerate([here, f"{here}/deeper", "/elsewhere"]):
        meta = {"type": "session_meta", "payload": {"id": "s", "cwd": directory}}
        said = {"type": "message", "role": "user", "content": f"number {number}"}
        lines = [meta, {"type": "response_item", "payload": said}]
        text = "\n".join(map(json.dumps, lines))
        (day / f"rollout-{number}.jsonl").write_text(text)
    convotui.environment["CODEX_HOME"] = str(day.parents[3])
    outcome = convotui("import", "--yes")

    assert outcome.err == (
        "Found Codex in 3 files: 2 conversations of this project, and 1 of others.\n"
    )
    assert outcome.out.count("1 new") == len(outcome.out.splitlines()) == 2
    assert "number 2" not in convotui.prints("list")


def test_where_no_other_program_is_nothing_is_asked(convotui: Program) -> None:
    assert "nothing of this project" in convotui.says("import")


def test_an_interrupted_import_ends_at_once_and_can_be_run_again(
    convotui: Program, tmp_path: Path
) -> None:
    big = make_big_document(tmp_path / "big.json", 80_000)
    process = subprocess.Popen(
        [*COMMAND, "import", str(big)],
        cwd=convotui.directory,
        env=convotui.environment,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    while not (convotui.directory / ".cpeconvo-wal").exists():
        assert process.poll() is None
        os.sched_yield()
    process.send_signal(signal.SIGINT)
    out, error = process.communicate(timeout=30)

    assert (process.returncode, out) == (130, b"")
    assert error.strip() == b"convotui: Interrupted."
    again = make_big_document(tmp_path / "big.json", 50)
    assert convotui("import", again).code == 0
    assert len(json.loads(convotui.prints("list", "--json"))) >= 50


def make_big_document(path: Path, size: int) -> Path:
    """A document of that many conversations, of a message each."""
    line = json.dumps({"id": "x", "role": "user", "blocks": [{"content": "y" * 900}]})
    with path.open("w") as file:
        file.write('{"format": "convotui", "version": 1, "messages": [\n')
        for number in range(size):
            file.write(line.replace('"x"', f'"m{number}"') + ",\n")
        file.write(line + "\n]}\n")
    return path
