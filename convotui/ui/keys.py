"""Keys: which work on a screen now, and which of the user's own cannot be used."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from textual.app import SystemCommand
from textual.binding import Binding
from textual.screen import Screen

from convotui.ui.screens.help import KeyHelp


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


def unknown_ids_told(keymap: Mapping[str, str]) -> str:
    """Return a sentence about ids in a keymap that no key has; empty if all have."""
    unknown = sorted(set(keymap) - set(_known_ids()))
    return f"There are no keys called {', '.join(unknown)}." if unknown else ""


def clash_told(clashed: Iterable[Binding]) -> str:
    """Return a sentence about keys that something else has already."""
    names = ", ".join(sorted({f"{b.key} ({b.id or b.description})" for b in clashed}))
    return f"Some keys are used twice: {names}."


def _known_ids() -> Iterator[str]:
    from convotui.ui.app import ConvotuiApp
    from convotui.ui.screens import bindings
    from convotui.ui.thread import ThreadView
    from convotui.ui.tree.bindings import BINDINGS
    from convotui.ui.widgets.prompt import Prompt
    from convotui.ui.widgets.search_bar import SearchBar

    for group in (
        bindings.BINDINGS,
        BINDINGS,
        ThreadView.BINDINGS,
        Prompt.BINDINGS,
        SearchBar.BINDINGS,
        ConvotuiApp.BINDINGS,
    ):
        for binding in group:
            if isinstance(binding, Binding) and binding.id:
                yield binding.id
