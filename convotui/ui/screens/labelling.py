"""What a message is to be called."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from convotui.conversations.labels import clean_label
from convotui.storage import InvalidTextError
from convotui.ui.screens.modal import Dialog


class LabelDialog(Dialog[str]):
    """Asks for a label; an empty one removes it."""

    BINDING_GROUP_TITLE = "Label"

    def __init__(self, label: str | None) -> None:
        super().__init__()
        self._label = label or ""

    def compose(self) -> ComposeResult:
        """Lay out the question."""
        with Vertical():
            yield Static(Content("Label"), classes="title")
            yield Input(self._label, placeholder="a name for this branch")
            yield Static(Content(""), classes="error")
            yield Static(
                Content("enter sets it · empty removes it · escape leaves it"),
                classes="hint",
            )

    @on(Input.Submitted)
    def answer(self, event: Input.Submitted) -> None:
        """Answer with what was typed, if it can be a label."""
        try:
            label = clean_label(event.value)
        except InvalidTextError as error:
            self.query_one(".error", Static).update(Content(str(error)))
        else:
            self.dismiss(label or "")
