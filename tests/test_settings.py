"""Settings: the environment beats the project, the project beats the user's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from convotui.settings import Settings, SettingsError, read_settings


@pytest.fixture
def user(tmp_path: Path) -> Path:
    directory = tmp_path / "user"
    directory.mkdir()
    return directory


@pytest.fixture
def project(tmp_path: Path) -> Path:
    directory = tmp_path / "project"
    directory.mkdir()
    return directory


def test_without_any_there_are_defaults(user: Path, project: Path) -> None:
    assert read_settings(user, project, {}) == Settings()
    assert read_settings(user / "no", project / "no", {}) == Settings()
    assert Settings() == Settings(ascii=False, git_exclude=True)


def test_the_nearer_one_wins_and_the_others_stay(user: Path, project: Path) -> None:
    (user / "config.toml").write_text("ascii = true\ngit_exclude = false\n")
    assert read_settings(user, project, {}) == Settings(ascii=True, git_exclude=False)

    (project / ".convotui.toml").write_text("git_exclude = true\n")
    assert read_settings(user, project, {}) == Settings(ascii=True, git_exclude=True)

    environment = {"CONVOTUI_ASCII": "0", "CONVOTUI_DB": "elsewhere"}
    assert read_settings(user, project, environment) == Settings(
        ascii=False, git_exclude=True
    )


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("1", True),
        ("true", True),
        ("TRUE", True),
        ("yes", True),
        ("0", False),
        ("false", False),
        ("False", False),
        ("no", False),
    ],
)
def test_a_variable_says_yes_or_no(
    word: str, value: bool, user: Path, project: Path
) -> None:
    environment = {"CONVOTUI_ASCII": word, "CONVOTUI_GIT_EXCLUDE": word}

    assert read_settings(user, project, environment) == Settings(
        ascii=value, git_exclude=value
    )


def test_an_empty_variable_is_none(user: Path, project: Path) -> None:
    (project / ".convotui.toml").write_text("ascii = true\n")

    assert read_settings(user, project, {"CONVOTUI_ASCII": ""}).ascii


def test_a_variable_that_says_neither_is_told(user: Path, project: Path) -> None:
    with pytest.raises(SettingsError, match="CONVOTUI_ASCII must be true or false"):
        read_settings(user, project, {"CONVOTUI_ASCII": "maybe"})


@pytest.mark.parametrize(
    "text", [b"ascii = 1", b"ascii = 'true'", b"colour = true", b"ascii", b"\xff"]
)
def test_a_file_that_cannot_be_used_is_named(
    text: bytes, user: Path, project: Path
) -> None:
    path = project / ".convotui.toml"
    path.write_bytes(text)

    with pytest.raises(SettingsError) as raised:
        read_settings(user, project, {})

    assert str(raised.value).startswith(f"{path}: ")


def test_a_setting_that_does_not_exist_is_told_with_those_that_do(
    user: Path, project: Path
) -> None:
    (user / "config.toml").write_text("asci = true")

    with pytest.raises(SettingsError, match="'asci'; there are ascii, git_exclude"):
        read_settings(user, project, {})


def test_a_directory_in_place_of_a_file_is_passed_over(
    user: Path, project: Path
) -> None:
    (project / ".convotui.toml").mkdir()

    assert read_settings(user, project, {}) == Settings()
