"""What all that opens above the browser has in common."""

from __future__ import annotations

from typing import ClassVar, Generic, TypeVar

from textual.binding import Binding, BindingType
from textual.screen import ModalScreen

T = TypeVar("T")


class Dialog(ModalScreen[T | None], Generic[T]):
    """A question in the middle of the screen; escape answers it with nothing."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "Close", id="dialog.close"),
    ]
    DEFAULT_CSS = """
    Dialog {
        align: center middle;
        background: $background 60%;

        & > Vertical {
            width: 64;
            max-width: 90%;
            height: auto;
            max-height: 80%;
            padding: 1 2;
            background: $surface;
            border: round $primary;
        }
        Input { border: tall $foreground 20%; &:focus { border: tall $primary; } }
        .title { text-style: bold; margin-bottom: 1; }
        .hint { color: $foreground 60%; margin-top: 1; }
        .error { color: $text-error; }
    }
    """
