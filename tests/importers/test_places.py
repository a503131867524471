"""Where other programs keep their conversations: at home, or where they are told to."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from convotui.importers.places import find_places
from convotui.storage import Store

from .helpers import bring_in, saved

PROJECT = Path("/home/ada/my.engine")
DASHED = "-home-ada-my-engine"

Found = Callable[[], list[tuple[str, str]]]


@pytest.fixture
def found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Found:
    """What is found in a home with nothing but what a test puts there."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)

    def find() -> list[tuple[str, str]]:
        return [
            (format_.name, path.relative_to(tmp_path).as_posix())
            for format_, path in find_places(PROJECT)
        ]

    return find


def touch(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()


@pytest.mark.parametrize(
    ("variable", "value", "file", "name"),
    [
        ("CLAUDE_CONFIG_DIR", "c", f"c/projects/{DASHED}/s.jsonl", "claude-code"),
        ("CODEX_HOME", "c", "c/sessions/2026/01/02/rollout-1.jsonl.zst", "codex"),
        ("CODEX_HOME", "c", "c/archived_sessions/rollout-1.jsonl", "codex"),
        ("CPE_DB_PATH", "c/mine.db", "c/mine.db", "cpe"),
        ("LLM_USER_PATH", "c", "c/logs.db", "llm"),
        ("XDG_CONFIG_HOME", "c", "c/io.datasette.llm/logs.db", "llm"),
        ("XDG_CONFIG_HOME", "c", "c/cpe/.cpeconvo", "cpe"),
        ("XDG_DATA_HOME", "c", "c/amazon-q/data.sqlite3", "q"),
        ("XDG_DATA_HOME", "c", "c/elia/elia.sqlite", "elia"),
        ("OTERM_DATA_DIR", "c", "c/store.db", "oterm"),
        ("AICHAT_CONFIG_DIR", "c", "c/sessions", "aichat"),
        ("AICHAT_SESSIONS_DIR", "c/s", "c/s", "aichat"),
        ("PI_CODING_AGENT_DIR", "c", "c/sessions", "pi"),
        ("PI_CODING_AGENT_SESSION_DIR", "c/s", "c/s", "pi"),
        ("GEMINI_CLI_HOME", "c", "c/.gemini/tmp/x/chats", "gemini"),
    ],
)
def test_a_program_that_was_told_to_keep_its_files_elsewhere(
    variable: str,
    value: str,
    file: str,
    name: str,
    found: Found,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    touch(tmp_path / file)
    assert found() == []

    monkeypatch.setenv(variable, str(tmp_path / value))
    assert found() == [(name, file)]

    monkeypatch.setenv(variable, f"~/{value}")
    if not variable.startswith("XDG"):
        assert found() == [(name, file)]


def test_an_empty_variable_names_no_place(
    found: Found, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CPE_DB_PATH", " ")

    assert found() == []


def test_what_two_patterns_lead_to_is_found_once(
    found: Found, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    touch(tmp_path / ".codex" / "sessions" / "rollout-1.jsonl")
    (tmp_path / "link").symlink_to(tmp_path / ".codex", target_is_directory=True)
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "link"))

    assert found() == [("codex", "link/sessions/rollout-1.jsonl")]


def test_sessions_below_the_project_are_looked_at_too(
    found: Found, tmp_path: Path
) -> None:
    projects = tmp_path / ".claude" / "projects"
    for name in (DASHED, f"{DASHED}-deeper", f"{DASHED}s", "-home-ada"):
        touch(projects / name / "s.jsonl")

    assert [path for _, path in found()] == [
        f".claude/projects/{DASHED}-deeper/s.jsonl",
        f".claude/projects/{DASHED}/s.jsonl",
    ]


@pytest.mark.parametrize("is_named", [True, False], ids=["by a file", "by its hash"])
def test_chats_with_gemini_are_of_the_project_that_is_told(
    is_named: bool, store: Store, tmp_path: Path
) -> None:
    session = tmp_path / "tmp" / "engine" / "chats" / "session-1.json"
    session.parent.mkdir(parents=True)
    told = "?" if is_named else sha256(bytes(PROJECT)).hexdigest()
    said = {"id": "u1", "type": "user", "content": "hi"}
    saved(session, {"sessionId": "s", "projectHash": told, "messages": [said]})
    if is_named:
        session.parent.with_name(".project_root").write_text(f"{PROJECT}\n")

    other = bring_in(store, session, directory=PROJECT.with_name("other"))
    assert (other.intake.new, other.files[0].elsewhere) == (0, 1)
    assert bring_in(store, session, directory=PROJECT).intake.new == 1
