"""A tour of the screen: a few hints, each of which goes when its key was pressed."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from convotui.ui.widgets.prompt import Prompt
from convotui.ui.widgets.search_bar import SearchBar

_SKIP = "message.stop"


class Hint(NamedTuple):
    """What some keys are good for; they are named by their ids."""

    text: str
    done_by: tuple[str, ...]
    """Any of these follows the hint."""
    after: tuple[str, ...] = ()
    """What to press before."""


HINTS = (
    Hint("walk the tree; the thread follows", ("tree.down", "tree.up")),
    Hint("searches every message of the project", ("search.open",)),
    Hint("asks from here again; nothing is lost", ("message.fork",)),
    Hint("delete a branch, bring it back", ("message.undo",), ("message.delete",)),
    Hint("shows all the other keys", ("screen.help",)),
)
"""What a newcomer tries first."""

_ELSEWHERE: dict[type[Widget], str] = {
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
        self._keys: defaultdict[str, str] = defaultdict(str)

    def on_mount(self) -> None:
        """Say something else where the keys do something else."""
        self.watch(self.screen, "focused", self._look_again)

    def note(self, binding_id: str | None) -> None:
        """Go on to the next hint if this one was followed, or is to be skipped."""
        if binding_id in (*HINTS[self.at].done_by, _SKIP):
            if self.at + 1 == len(HINTS):
                self.remove()
            else:
                self.at += 1

    def render(self) -> Content:
        """Lay the hint out over the width there is."""
        self._learn_keys()
        focused = self.screen.focused
        if focused is not None and type(focused) in _ELSEWHERE:
            return Content.assemble(("Tour  ", "bold"), _ELSEWHERE[type(focused)])
        hint = HINTS[self.at]
        keys = " ".join(self._keys[key] for key in (*hint.after, *hint.done_by))
        left = Content.assemble(
            (f"Tour {self.at + 1}/{len(HINTS)}  ", "bold"),
            (f" {keys} ", "reverse"),
            f"  {hint.text}",
        )
        right = Content(f"{self._keys[_SKIP]} skips")
        gap = self.size.width - left.cell_length - right.cell_length
        return left + Content(" " * gap) + right if gap >= 2 else left

    def _learn_keys(self) -> None:
        """Find the keys that the user has, which are not the same everywhere."""
        for active in self.screen.active_bindings.values():
            if active.binding.id is not None:
                name = self.app.get_key_display(active.binding)
                self._keys.setdefault(active.binding.id, name)

    def _look_again(self) -> None:
        self.refresh()
