"""Whether a message is to go with everything below it."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from convotui.storage import Weight
from convotui.ui.screens.modal import Dialog
from convotui.ui.words import count


class DeleteDialog(Dialog[bool]):
    """Says exactly what would go. The key that asked for it, or enter, does it."""

    BINDING_GROUP_TITLE = "Delete"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("d,enter", "delete", "Delete", id="delete.confirm"),
        Binding("n,q", "dismiss", "Keep", show=False, id="delete.keep"),
    ]

    def __init__(self, weight: Weight) -> None:
        super().__init__()
        self._weight = weight

    def compose(self) -> ComposeResult:
        """Lay out the question."""
        weight = self._weight
        also = [
            count(number, noun)
            for number, noun in ((weight.forks, "fork"), (weight.labels, "label"))
            if number
        ]
        what = count(weight.messages, "message")
        with Vertical():
            yield Static(
                Content("Delete this message and all below it?"), classes="title"
            )
            yield Static(
                Content(
                    f"{what} will go"
                    + (f", with {' and '.join(also)}" if also else "")
                    + "."
                )
            )
            yield Static(
                Content("d or enter deletes · escape keeps · u undoes it later"),
                classes="hint",
            )

    def action_delete(self) -> None:
        """Answer yes."""
        self.dismiss(True)
