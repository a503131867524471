"""Settings out of files and the environment."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from convotui.settings.values import Settings, SettingsError

PROJECT_FILE = ".convotui.toml"
USER_FILE = "config.toml"

_ONLY_THE_USERS = {"models"}
"""What would hand a key to whoever wrote the project's file."""


def read_settings(
    user_directory: Path, project: Path, environment: Mapping[str, str]
) -> Settings:
    """Return the settings; the environment beats the project, which beats the user's.

    Raises:
        SettingsError: If a file or a value cannot be used.
    """
    settings = _with(Settings(), _from_file(user_directory / USER_FILE, set()))
    settings = _with(settings, _from_file(project / PROJECT_FILE, _ONLY_THE_USERS))
    settings = _with(settings, _from_environment(environment))
    if settings.persona and settings.persona not in settings.personas:
        choices = ", ".join(sorted(settings.personas)) or "none"
        raise SettingsError(
            f"There is no persona {settings.persona!r}; there are: {choices}."
        )
    return settings


def _with(settings: Settings, values: Iterator[tuple[str, Any]]) -> Settings:
    return replace(settings, **dict(values))


def _from_file(path: Path, refused: set[str]) -> Iterator[tuple[str, Any]]:
    try:
        if not path.is_file():
            return
        import tomllib

        with path.open("rb") as file:
            values = tomllib.load(file)
    except (OSError, ValueError) as error:
        raise SettingsError(f"{path}: cannot be read ({error}).") from error
    known = {field.name for field in fields(Settings)}
    for name, value in values.items():
        if name not in known:
            choices = ", ".join(sorted(known))
            raise SettingsError(
                f"{path}: there is no setting {name!r}; there are {choices}."
            )
        if name in refused:
            raise SettingsError(
                f"{path}: {name} can be set in your own settings only, because "
                "this file may have come with the project."
            )
        yield name, _reader(name)(value, f"{path}: {name}")


def _reader(name: str) -> Callable[[Any, str], Any]:
    if name == "keymap":
        return _keys
    if name in ("models", "personas"):
        from convotui.settings.models import named_models, personas

        return named_models if name == "models" else personas
    return _text if name in ("model", "system", "persona") else _boolean


def _from_environment(environment: Mapping[str, str]) -> Iterator[tuple[str, Any]]:
    yes, no = ("1", "true", "yes", "on"), ("0", "false", "no", "off")
    words = {**dict.fromkeys(yes, True), **dict.fromkeys(no, False)}
    for name in ("ascii", "git_exclude"):
        variable = f"CONVOTUI_{name.upper()}"
        if value := environment.get(variable):
            yield name, _boolean(words.get(value.lower()), variable)
    if model := environment.get("CONVOTUI_MODEL"):
        yield "model", model


def _boolean(value: Any, name: str) -> bool:
    if not isinstance(value, bool):
        raise SettingsError(f"{name} must be true or false.")
    return value


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise SettingsError(f"{name} must be a text.")
    return value


def _keys(value: Any, name: str) -> dict[str, str]:
    if isinstance(value, dict) and all(isinstance(key, str) for key in value.values()):
        return value
    raise SettingsError(f"{name} must be a table of ids and keys.")
