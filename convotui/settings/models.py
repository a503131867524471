"""The tables that name models in the user's settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from convotui.settings.values import NamedModel, SettingsError

_KINDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "model": (lambda value: isinstance(value, str) and value != "", "a name"),
    "api_base": (lambda value: isinstance(value, str), "an address"),
    "key_variable": (lambda value: isinstance(value, str), "a variable's name"),
    "key_command": (
        lambda value: _is_list_of_text(value) and bool(value),
        "a list: a program and its arguments",
    ),
    "temperature": (lambda value: _is_number(value) and 0 <= value <= 2, "0 to 2"),
    "max_tokens": (lambda value: _is_count(value), "a whole number above 0"),
    "context_window": (lambda value: _is_count(value), "a whole number above 0"),
    "system": (lambda value: isinstance(value, str), "a text"),
    "extra": (lambda value: isinstance(value, dict), "a table"),
}


def named_models(value: Any, where: str) -> dict[str, NamedModel]:
    """Read the models by their names.

    Raises:
        SettingsError: If one of them cannot be used.
    """
    if not isinstance(value, dict):
        raise SettingsError(f"{where} must be a table of models.")
    return {name: _named(one, f"{where}.{name}") for name, one in value.items()}


def _named(value: Any, where: str) -> NamedModel:
    from convotui.llm import Endpoint

    if not isinstance(value, dict):
        raise SettingsError(f"{where} must be a table with a model in it.")
    for name, one in value.items():
        if name not in _KINDS:
            choices = ", ".join(_KINDS)
            raise SettingsError(
                f"{where}: there is no setting {name!r}; there are {choices}."
            )
        fits, wanted = _KINDS[name]
        if not fits(one):
            raise SettingsError(f"{where}.{name} must be {wanted}.")
    if "model" not in value:
        raise SettingsError(f"{where} needs a model.")
    own = {name: value[name] for name in ("system", "context_window") if name in value}
    rest = {name: one for name, one in value.items() if name not in own}
    return NamedModel(Endpoint(**rest), **own)


def personas(value: Any, where: str) -> Mapping[str, str]:
    """Read the personas by their names.

    Raises:
        SettingsError: If one of them has no words.
    """
    if not isinstance(value, dict):
        raise SettingsError(f"{where} must be a table of personas.")
    for name, one in value.items():
        if not isinstance(one, str):
            raise SettingsError(f"{where}.{name} must be a text.")
    return value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _is_list_of_text(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)
