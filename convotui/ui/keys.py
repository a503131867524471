"""Which keys work on a screen now, for the help and the command palette."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

from textual.app import SystemCommand
from textual.screen import Screen


class KeyHelp(NamedTuple):
    """One action, the keys that do it, and where."""

    group: str
    key: str
    description: str


def keys_of(screen: Screen[Any]) -> list[KeyHelp]:
    """Return the active keys, those of the focused part first."""
    keys: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for active in screen.active_bindings.values():
        binding = active.binding
        if active.enabled and binding.description:
            group = active.node.BINDING_GROUP_TITLE or "Everywhere"
            shown = screen.app.get_key_display(binding)
            keys[group, binding.action, binding.description].append(shown)
    return [
        KeyHelp(group, " ".join(dict.fromkeys(shown)), description)
        for (group, _, description), shown in keys.items()
    ]


def commands_of(screen: Screen[Any]) -> Iterator[SystemCommand]:
    """Yield what the active keys do, for the command palette, each with its keys."""
    commands: dict[tuple[str, str], tuple[Any, list[str]]] = {}
    for active in screen.active_bindings.values():
        binding = active.binding
        if active.enabled and binding.description:
            key = (binding.action, binding.description)
            commands.setdefault(key, (active.node, []))[1].append(
                screen.app.get_key_display(binding)
            )
    for (action, description), (node, keys) in commands.items():
        run = partial(screen.app.run_action, action, default_namespace=node)
        yield SystemCommand(description, " ".join(dict.fromkeys(keys)), run)
