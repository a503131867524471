"""The line at the bottom: where one is, and what it has cost."""

from __future__ import annotations

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from convotui.conversations.summaries import Totals
from convotui.text import visible_line
from convotui.tree import Filter
from convotui.ui.words import short


class StatusLine(Widget):
    """File, filter and position on the left; totals on the right."""

    DEFAULT_CSS = """
    StatusLine {
        height: 1;
        padding: 0 1;
        background: $panel;
        color: $foreground 80%;
        text-wrap: nowrap;
        text-overflow: ellipsis;
    }
    """

    file: reactive[str] = reactive("")
    """The file of conversations, as short as it can be named."""
    ascii: reactive[bool] = reactive(False)
    """Whether nothing but ASCII is drawn."""
    incognito: reactive[bool] = reactive(False)
    """Whether nothing is kept."""
    read_only: reactive[bool] = reactive(False)
    """Whether the file can only be looked at."""
    by: reactive[Filter] = reactive(Filter.ALL)
    """Which filter is on."""
    position: reactive[tuple[int, int]] = reactive((0, 0))
    """The row of the cursor, and how many there are."""
    hits: reactive[str] = reactive("")
    """What a search has found."""
    context: reactive[str] = reactive("")
    """Who would be asked next, and with how much."""
    thread: reactive[Totals] = reactive(Totals())
    """What the thread on show adds up to."""
    project: reactive[Totals] = reactive(Totals())
    """What the whole file adds up to."""
    notice: reactive[str] = reactive("")
    """Why the last key did nothing; gone with the next one."""

    def render(self) -> Content:
        """Lay the parts out over the width there is."""
        badges = {"INCOGNITO": self.incognito, "READ-ONLY": self.read_only}
        left = Content.assemble(
            *(
                (f" {badge} ", "bold $text-warning on $warning-muted")
                for badge, shown in badges.items()
                if shown
            ),
            " " if any(badges.values()) else "",
            (visible_line(self.file), "bold"),
            f"  {self.position[0]:,}/{self.position[1]:,}",
            (f"  {self.by.value}", "$accent") if self.by is not Filter.ALL else "",
            (f"  {self.hits}", "$warning") if self.hits else "",
            (f"  {self.notice}", "$warning") if self.notice else "",
        )
        parts = self._parts()
        # What matters least goes first where there is no room for all.
        for count in range(len(parts), 0, -1):
            right = Content((" - " if self.ascii else " · ").join(parts[:count]))
            gap = self.size.width - left.cell_length - right.cell_length
            if gap >= 2:
                return left + Content(" " * gap) + right.stylize("$foreground 60%")
        return left

    def _parts(self) -> list[str]:
        context = self.context.replace("≈", "~") if self.ascii else self.context
        parts = [context] if context else []
        for name, totals in (("thread", self.thread), ("project", self.project)):
            tokens = totals.input_tokens + totals.output_tokens
            if tokens or totals.cost:
                parts.append(f"{name} {short(tokens)} tok ${totals.cost:.2f}")
        return parts
