"""Where the user types what to look for."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Input


class SearchBar(Input):
    """A line that shows while one searches."""

    BINDING_GROUP_TITLE = "Search"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "cancel", "Stop searching", id="search.cancel"),
        Binding("down", "step(1)", "Next hit", show=False, id="search.next"),
        Binding("up", "step(-1)", "Previous hit", show=False, id="search.previous"),
    ]
    DEFAULT_CSS = """
    SearchBar {
        display: none;
        height: 1;
        border: none;
        padding: 0 1;
        background: $boost;
        &.-open { display: block; }
        &:focus { border: none; }
    }
    """

    class Cancelled(Message):
        """The user wants to stop searching."""

    class Stepped(Message):
        """The user wants to go to another hit."""

        def __init__(self, step: int) -> None:
            super().__init__()
            self.step = step

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, placeholder="Search every message", compact=True)

    def open(self, text: str | None = None) -> None:
        """Show the line, with a text to look for if one is given."""
        self.add_class("-open")
        if text is not None:
            self.value = text
        self.focus()

    def close(self) -> None:
        """Hide the line."""
        self.remove_class("-open")

    def action_cancel(self) -> None:
        """Say that the search is over."""
        self.post_message(self.Cancelled())

    def action_step(self, step: int) -> None:
        """Say that another hit is wanted."""
        self.post_message(self.Stepped(step))
