"""A question that is answered with yes or not at all."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from convotui.ui.screens.modal import Dialog


class ConfirmDialog(Dialog[bool]):
    """Says what would be done; y or enter does it."""

    BINDING_GROUP_TITLE = "Confirm"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y,enter", "confirm", "Yes", id="confirm.yes"),
        Binding("n", "dismiss", "No", show=False, id="confirm.no"),
    ]

    def __init__(self, question: str, explanation: str, yes: str) -> None:
        super().__init__()
        self._question = question
        self._explanation = explanation
        self._yes = yes

    def compose(self) -> ComposeResult:
        """Lay out the question."""
        with Vertical():
            yield Static(Content(self._question), classes="title")
            yield Static(Content(self._explanation))
            yield Static(
                Content(f"y or enter {self._yes} · escape does not"), classes="hint"
            )

    def action_confirm(self) -> None:
        """Answer yes."""
        self.dismiss(True)
