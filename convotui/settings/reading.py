"""What the user has chosen: in the environment, the project and their own settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

PROJECT_FILE = ".convotui.toml"
USER_FILE = "config.toml"


class SettingsError(Exception):
    """A setting that cannot be used; its text is fit to be shown."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Every setting, with its default."""

    ascii: bool = False
    """Draw the tree with ASCII only."""
    git_exclude: bool = True
    """Have git ignore the file of conversations when it is made."""
    keymap: Mapping[str, str] = field(default_factory=dict)
    """Other keys for the screen, by the ids that its help shows."""


def read_settings(
    user_directory: Path, project: Path, environment: Mapping[str, str]
) -> Settings:
    """Return the settings; the environment beats the project, which beats the user's.

    Raises:
        SettingsError: If a file or a value cannot be used.
    """
    settings = Settings()
    for path in (user_directory / USER_FILE, project / PROJECT_FILE):
        settings = _with(settings, _from_file(path))
    return _with(settings, _from_environment(environment))


def _with(settings: Settings, values: Iterator[tuple[str, Any]]) -> Settings:
    return replace(settings, **dict(values))


def _from_file(path: Path) -> Iterator[tuple[str, Any]]:
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
        where = f"{path}: {name}"
        yield name, (_keys if name == "keymap" else _boolean)(value, where)


def _from_environment(environment: Mapping[str, str]) -> Iterator[tuple[str, bool]]:
    yes, no = ("1", "true", "yes", "on"), ("0", "false", "no", "off")
    words = {**dict.fromkeys(yes, True), **dict.fromkeys(no, False)}
    for name in ("ascii", "git_exclude"):
        variable = f"CONVOTUI_{name.upper()}"
        if value := environment.get(variable):
            yield name, _boolean(words.get(value.lower()), variable)


def _boolean(value: Any, name: str) -> bool:
    if not isinstance(value, bool):
        raise SettingsError(f"{name} must be true or false.")
    return value


def _keys(value: Any, name: str) -> dict[str, str]:
    if isinstance(value, dict) and all(isinstance(key, str) for key in value.values()):
        return value
    raise SettingsError(f"{name} must be a table of ids and keys.")
