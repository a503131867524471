"""What shows where there is no room for anything else."""

from __future__ import annotations

from textual.content import Content
from textual.geometry import Size
from textual.screen import Screen
from textual.widget import Widget

SMALLEST = (40, 10)
"""How many columns and rows the browser needs."""


class TooSmall(Widget):
    """Covers the screen while the terminal is too small to be of use."""

    DEFAULT_CSS = """
    TooSmall {
        layer: cover;
        width: 100%;
        height: 100%;
        content-align: center middle;
        background: $surface;
    }
    """

    def render(self) -> Content:
        """Say what is needed."""
        columns, rows = SMALLEST
        return Content(f"convotui needs {columns}×{rows}")

    @classmethod
    def fit(cls, screen: Screen[None], size: Size) -> None:
        """Cover a screen whose size is too small, and uncover it when it is not."""
        columns, rows = SMALLEST
        is_small = size.width < columns or size.height < rows
        covers = screen.query_children(cls)
        if is_small and not covers:
            screen.mount(cls())
        elif not is_small and covers:
            covers.remove()
