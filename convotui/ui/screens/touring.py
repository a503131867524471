"""The browser for a newcomer."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.events import Key

from convotui.ui.screens.browser import BrowserScreen
from convotui.ui.widgets.status_line import StatusLine
from convotui.ui.widgets.tour import Tour


class TourScreen(BrowserScreen):
    """The browser with a tour of its keys."""

    def compose(self) -> ComposeResult:
        """Lay out the panes, and the tour above the status line."""
        for part in super().compose():
            if isinstance(part, StatusLine):
                yield Tour()
            yield part

    def on_key(self, event: Key) -> None:
        """Tell the tour which key was used."""
        active = self.active_bindings.get(event.key)
        if active is not None:
            for tour in self.query_children(Tour):
                tour.note(active.binding.id)
