"""The line between the panes, which can be dragged."""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.message import Message
from textual.widget import Widget


class Divider(Widget):
    """A line that says how far it is being dragged; it moves nothing itself."""

    DEFAULT_CSS = """
    Divider {
        width: 1;
        height: 100%;
        background: $panel;
        &:hover { background: $primary; }
        &.-horizontal { width: 100%; height: 1; }
    }
    """

    @dataclass
    class Dragged(Message):
        """The user drags the line to this place on the screen."""

        x: int
        y: int

    def render(self) -> Content:
        """Show nothing but the background."""
        return Content("")

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Begin to drag."""
        self.capture_mouse()
        event.stop()

    def on_mouse_up(self) -> None:
        """Let go."""
        self.release_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Tell where the line is wanted."""
        if self.app.mouse_captured is self:
            self.post_message(self.Dragged(event.screen_x, event.screen_y))
