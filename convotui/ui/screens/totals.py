"""What everything has cost: this thread, this branch, the project, by model and day."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from convotui.conversations.summaries import Statistics, Totals
from convotui.text import cut, visible_line, width_of
from convotui.ui.screens.modal import Dialog

_NAME_WIDTH = 26
_DAYS = 30
"""How many days are shown; the command line has all of them."""


class TotalsDialog(Dialog[None]):
    """Each reply counts once, however many branches share it."""

    BINDING_GROUP_TITLE = "Totals"
    DEFAULT_CSS = """
    TotalsDialog {
        & > Vertical { width: 72; }
        VerticalScroll { height: auto; max-height: 24; }
    }
    """

    def __init__(self, here: Mapping[str, Totals], project: Statistics) -> None:
        super().__init__()
        self._here = here
        self._project = project

    def compose(self) -> ComposeResult:
        """Lay out the table."""
        with Vertical():
            yield Static(Content("Totals"), classes="title")
            with VerticalScroll():
                yield Static(Content("\n").join(self._lines()), id="totals")
            yield Static(Content("escape closes"), classes="hint")

    def _lines(self) -> Iterator[Content]:
        heading = f"{'':{_NAME_WIDTH}}{'messages':>9}{'in':>10}{'out':>10}{'cost':>11}"
        yield Content.styled(heading, "$foreground 60%")
        for name, totals in {**self._here, "project": self._project.total}.items():
            yield Content(_line(name, totals))
        days = dict(list(self._project.days.items())[-_DAYS:])
        for title, group in (("Models", self._project.models), ("Days", days)):
            if group:
                yield Content("")
                yield Content.styled(title, "bold")
            for name, totals in group.items():
                yield Content(_line(name or "(no date)", totals))


def _line(name: str, totals: Totals) -> str:
    shown = cut(visible_line(name), _NAME_WIDTH - 1)
    padding = " " * (_NAME_WIDTH - width_of(shown))
    return (
        f"{shown}{padding}{totals.messages:>9,}{totals.input_tokens:>10,}"
        f"{totals.output_tokens:>10,}{f'${totals.cost:,.4f}':>11}"
    )
