"""A tour of the screen: a few hints, each of which goes when its key was pressed."""

from __future__ import annotations

from typing import NamedTuple

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from convotui.ui.widgets.prompt import Prompt
from convotui.ui.widgets.search_bar import SearchBar

_SKIP = "message.stop"


class Hint(NamedTuple):
    """Some keys by their ids, and what they are good for; the last one is the aim."""

    keys: tuple[str, ...]
    text: str


HINTS = (
    Hint(("tree.down", "tree.up"), "walk the tree; the thread follows"),
    Hint(("search.open",), "searches every message of the project"),
    Hint(("message.fork",), "asks again from any message; nothing is lost"),
    Hint(("message.delete", "message.undo"), "delete a branch, bring it back"),
    Hint(("screen.help",), "shows all the other keys"),
)
"""What a newcomer tries first."""

_ELSEWHERE = {
    Prompt: "write, and enter sends it; esc goes back to the tree",
    SearchBar: "type, and enter goes to the hit; esc leaves the search",
}
"""What to do where keys are letters."""


class Tour(Widget):
    """One line with one hint; it goes after the last of them.

    Whoever has the keys tells which were used.
    """

    DEFAULT_CSS = """
    Tour {
        height: 1;
        padding: 0 1;
        background: $primary-muted;
        color: $text-primary;
        text-wrap: nowrap;
        text-overflow: ellipsis;
    }
    """

    at: reactive[int] = reactive(0)
    """How many hints have been followed or skipped."""

    def __init__(self) -> None:
        super().__init__()
        self._keys: dict[str, str] = {}

    def on_mount(self) -> None:
        """Say something else where the keys do something else."""
        self.watch(self.screen, "focused", lambda _: self.refresh())

    def note(self, binding_id: str | None) -> None:
        """Go on to the next hint if this one was followed, or is to be skipped."""
        hint = HINTS[self.at]
        moved = hint is HINTS[0] and binding_id in hint.keys
        if moved or binding_id in (hint.keys[-1], _SKIP):
            if self.at + 1 == len(HINTS):
                self.remove()
            else:
                self.at += 1

    def render(self) -> Content:
        """Lay the hint out over the width there is."""
        focused = self.screen.focused
        elsewhere = _ELSEWHERE.get(type(focused)) if focused else None
        hint = HINTS[self.at]
        skip = self._name(_SKIP)
        left = Content.assemble(
            (f"Tour {self.at + 1}/{len(HINTS)}  ", "bold"),
            *(() if elsewhere else self._keys_of(hint)),
            elsewhere or hint.text,
        )
        right = Content("" if elsewhere else f"{skip} skips")
        gap = self.size.width - left.cell_length - right.cell_length
        return left + Content(" " * gap) + right if gap >= 2 else left

    def _keys_of(self, hint: Hint) -> list[str | tuple[str, str]]:
        names = " ".join(self._name(key) for key in hint.keys)
        return [(f" {names} ", "reverse"), "  "]

    def _name(self, binding_id: str) -> str:
        """Return the key that the user has for something."""
        for active in self.screen.active_bindings.values():
            if active.binding.id is not None:
                name = self.app.get_key_display(active.binding)
                self._keys.setdefault(active.binding.id, name)
        return self._keys.get(binding_id, "")
