"""Two panes and a line between them that can be moved."""

from __future__ import annotations

from textual import getters, on
from textual.app import ComposeResult
from textual.containers import Container
from textual.events import Resize
from textual.widget import Widget

from convotui.ui.widgets.divider import Divider

_SIDE_BY_SIDE_FROM = 100
_SMALLEST_SHARE = 0.15


class Panes(Container):
    """Side by side where there is room, else one above the other."""

    DEFAULT_CSS = """
    Panes {
        height: 1fr;
        layout: vertical;
        &.-wide { layout: horizontal; }
    }
    """

    divider = getters.query_one(Divider)

    def __init__(self, first: Widget, second: Widget, share: float) -> None:
        super().__init__()
        self._first, self._second = first, second
        self._share = share

    @property
    def share(self) -> float:
        """How much of the room the first pane has."""
        return self._share

    def compose(self) -> ComposeResult:
        """Lay out the panes and the line."""
        yield self._first
        yield Divider()
        yield self._second

    def set_share(self, share: float) -> None:
        """Give the first pane another share of the room."""
        self._share = min(max(share, _SMALLEST_SHARE), 1 - _SMALLEST_SHARE)
        self._lay_out()

    def on_resize(self, event: Resize) -> None:
        """Choose the layout that the width allows."""
        self.set_class(event.size.width >= _SIDE_BY_SIDE_FROM, "-wide")
        self._lay_out()

    @on(Divider.Dragged)
    def drag(self, event: Divider.Dragged) -> None:
        """Give the first pane the share that was dragged."""
        region = self.region
        if self.has_class("-wide"):
            self.set_share((event.x - region.x) / max(1, region.width))
        else:
            self.set_share((event.y - region.y) / max(1, region.height))

    def _lay_out(self) -> None:
        wide = self.has_class("-wide")
        shares = ((self._first, self._share), (self._second, 1 - self._share))
        for pane, share in shares:
            size = f"{share:.3f}fr"
            pane.styles.width = size if wide else "1fr"
            pane.styles.height = "1fr" if wide else size
        self.divider.set_class(not wide, "-horizontal")
