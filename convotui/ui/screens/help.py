"""The keys that work where one is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Input, Static

from convotui.ui.keys import KeyHelp
from convotui.ui.screens.modal import Dialog


class HelpDialog(Dialog[None]):
    """Lists keys by group; typing leaves those that hold the words."""

    BINDING_GROUP_TITLE = "Help"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "scroll(1)", "Down", show=False, id="help.down"),
        Binding("up", "scroll(-1)", "Up", show=False, id="help.up"),
        Binding("pagedown", "scroll(10)", "Page down", False, id="help.page_down"),
        Binding("pageup", "scroll(-10)", "Page up", show=False, id="help.page_up"),
    ]
    DEFAULT_CSS = """
    HelpDialog > Vertical { width: 72; height: 80%; }
    HelpDialog VerticalScroll { height: 1fr; }
    """

    def __init__(self, keys: Sequence[KeyHelp]) -> None:
        super().__init__()
        self._keys = keys

    def compose(self) -> ComposeResult:
        """Lay out the keys under a line to type in."""
        with Vertical():
            yield Static(Content("Keys"), classes="title")
            yield Input(placeholder="type to find a key")
            with VerticalScroll(can_focus=False):
                yield Static(self._listing(""), id="keys")

    @on(Input.Changed)
    def find(self, event: Input.Changed) -> None:
        """Leave only what holds what was typed."""
        self.query_one("#keys", Static).update(self._listing(event.value))

    @on(Input.Submitted)
    def close(self) -> None:
        """Close on enter."""
        self.dismiss(None)

    def action_scroll(self, lines: int) -> None:
        """Scroll the keys while the line to type in keeps the focus."""
        self.query_one(VerticalScroll).scroll_relative(y=lines, animate=False)

    def _listing(self, typed: str) -> Content:
        words = typed.lower().split()
        lines: list[Content] = []
        group = ""
        for key in self._keys:
            searched = f"{key.group} {key.key} {key.description}".lower()
            if not all(word in searched for word in words):
                continue
            if key.group != group:
                group = key.group
                lines.append(
                    Content.assemble("" if not lines else "\n", (group, "bold $accent"))
                )
            lines.append(
                Content.assemble((f"  {key.key:<16}", "$warning"), key.description)
            )
        return Content("\n").join(lines) if lines else Content("No such key.")
