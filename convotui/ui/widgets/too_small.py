"""What shows where there is no room for anything else."""

from __future__ import annotations

from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

SMALLEST = (40, 10)
"""How many columns and rows the browser needs."""


class TooSmall(Widget):
    """Covers the screen while the terminal is too small to be of use."""

    DEFAULT_CSS = """
    TooSmall {
        display: none;
        layer: cover;
        width: 100%;
        height: 100%;
        content-align: center middle;
        background: $surface;
        &.-shown { display: block; }
    }
    """

    def render(self) -> Content:
        """Say what is needed."""
        columns, rows = SMALLEST
        return Content(f"convotui needs {columns}×{rows}")

    def fit(self, size: Size) -> None:
        """Show up where a size is too small."""
        columns, rows = SMALLEST
        self.set_class(size.width < columns or size.height < rows, "-shown")
