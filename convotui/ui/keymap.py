"""The user's own keys: what is wrong with them is told, and the rest of them work."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from textual.binding import Binding, BindingType

from convotui.ui.screens.bindings import BINDINGS as BROWSER
from convotui.ui.thread import ThreadView
from convotui.ui.tree.bindings import BINDINGS as TREE
from convotui.ui.widgets.prompt import Prompt
from convotui.ui.widgets.search_bar import SearchBar


def problems(keymap: Mapping[str, str], app: Sequence[BindingType]) -> Iterator[str]:
    """Yield a sentence about every id that no key has, and every key used twice."""
    together = [
        dict(_keys([*focused, *BROWSER, *app], keymap))
        for focused in (TREE, ThreadView.BINDINGS, Prompt.BINDINGS, SearchBar.BINDINGS)
    ]
    known = {binding_id for keys in together for binding_id in keys}
    if unknown := sorted(set(keymap) - known):
        yield f"There are no keys called {', '.join(unknown)}."
    clashes = {
        (key, *sorted((mine, other)))
        for keys in together
        for mine in keymap
        for key in keys.get(mine, ())
        for other, taken in keys.items()
        if other != mine and key in taken
    }
    for key, first, second in sorted(clashes):
        yield f"The key {key} is used twice: for {first} and {second}."


def _keys(
    bindings: Sequence[BindingType], keymap: Mapping[str, str]
) -> Iterator[tuple[str, list[str]]]:
    """Yield the id of every binding and its keys, those of the user if there are."""
    for binding in bindings:
        if isinstance(binding, Binding) and binding.id:
            yield binding.id, keymap.get(binding.id, binding.key).split(",")
