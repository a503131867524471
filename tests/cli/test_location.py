"""Which file a command uses, and who learns of a new one."""

from __future__ import annotations

from pathlib import Path

import pytest

from convotui.cli.context import Session
from convotui.settings import SettingsError
from tests.storage.helpers import draft

from .program import Program
from .stores import FORKED, make, make_forked, said


@pytest.fixture
def repository(project: Path) -> Path:
    """The project as a git repository with a directory in it."""
    (project / ".git").mkdir()
    (project / "source" / "deep").mkdir(parents=True)
    return project


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing that is set outside is seen by a session in this process."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home" / ".config"))
    for name in ("CONVOTUI_DB", "CONVOTUI_ASCII", "CONVOTUI_GIT_EXCLUDE"):
        monkeypatch.delenv(name, raising=False)


def save_in(directory: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Save a message as a command does that is run in a directory."""
    monkeypatch.chdir(directory)
    session = Session(None)
    with session.open_store() as store:
        store.save([draft("hello")])
    return session.store_path


def test_the_nearest_store_within_the_repository_is_used(
    convotui: Program, repository: Path, tmp_path: Path
) -> None:
    make(tmp_path / ".cpeconvo", said("zzzzzz", "a stranger's"))
    deep = repository / "source" / "deep"
    assert convotui.says("list", directory=deep) == "No messages found.\n"

    make_forked(repository / ".cpeconvo")
    assert convotui.prints("list", directory=deep) == FORKED

    make(repository / "source" / ".cpeconvo", said("near00", "the nearest"))
    assert "near00" in convotui.prints("list", directory=deep)


def test_outside_a_repository_only_the_directory_is_looked_at(
    convotui: Program, project: Path, tmp_path: Path
) -> None:
    make_forked(tmp_path / ".cpeconvo")

    assert convotui.says("list") == "No messages found.\n"
    assert convotui.prints("list", directory=tmp_path) == FORKED


def test_an_option_beats_a_variable_beats_the_project(
    convotui: Program, project: Path
) -> None:
    make(project / ".cpeconvo", said("inproj", "of the project"))
    make(project / "variable", said("invari", "of the variable"))
    make(project / "option", said("inopti", "of the option"))
    environment = {"CONVOTUI_DB": str(project / "variable")}

    assert "inproj" in convotui.prints("list")
    assert "invari" in convotui.prints("list", environment=environment)
    assert "inopti" in convotui.prints(
        "--db", "option", "list", environment=environment
    )
    assert "inproj" in convotui.prints("list", environment={"CONVOTUI_DB": ""})


def test_a_file_may_be_named_from_home(convotui: Program, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    make_forked(tmp_path / "home" / "talks")

    assert convotui.prints("list", environment={"CONVOTUI_DB": "~/talks"}) == FORKED


def test_a_file_that_was_named_and_is_not_there_has_no_messages(
    convotui: Program, project: Path
) -> None:
    assert convotui.says("--db", "missing/file", "list") == "No messages found.\n"
    assert list(project.iterdir()) == []


def test_the_first_save_makes_a_private_file_and_tells_git_once(
    repository: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = save_in(repository, monkeypatch)
    save_in(repository, monkeypatch)

    assert path == repository / ".cpeconvo"
    assert path.stat().st_mode & 0o777 == 0o600
    assert (repository / ".git" / "info" / "exclude").read_text() == ".cpeconvo*\n"
    said_once = capsys.readouterr().err
    assert said_once.count("\n") == 1
    assert ".git/info/exclude" in said_once


def test_below_the_root_the_first_save_makes_the_file_where_one_stands(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert save_in(repository / "source", monkeypatch) == (
        repository / "source" / ".cpeconvo"
    )
    assert (repository / ".git" / "info" / "exclude").exists()


@pytest.mark.parametrize("how", ["file", "variable"])
def test_a_setting_leaves_git_alone(
    how: str,
    repository: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if how == "file":
        (repository / ".convotui.toml").write_text("git_exclude = false")
    else:
        monkeypatch.setenv("CONVOTUI_GIT_EXCLUDE", "0")

    assert save_in(repository, monkeypatch).exists()

    assert not (repository / ".git" / "info").exists()
    assert capsys.readouterr().err == ""


def test_settings_that_cannot_be_used_stop_a_save_before_there_is_a_file(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repository / ".convotui.toml").write_text("git_exclude = 'no'")

    with pytest.raises(SettingsError, match="git_exclude must be true or false"):
        save_in(repository, monkeypatch)

    assert not (repository / ".cpeconvo").exists()
