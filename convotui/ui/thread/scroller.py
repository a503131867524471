"""Scrolling over lines that are not counted yet, without moving what is being read."""

from __future__ import annotations

from itertools import islice
from typing import Any

from textual import events
from textual.content import Content
from textual.geometry import Size
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from convotui.ui.colours import Colours
from convotui.ui.thread.entry import Entry
from convotui.ui.thread.layout import Layout, Place
from convotui.ui.thread.lines import Line
from convotui.ui.thread.palette import ANSI, ASCII, STYLES, UNICODE, Palette
from convotui.ui.thread.render import Painter
from convotui.ui.thread.strips import MARGIN

_RIGHT_MARGIN = 1
_NARROWEST = 16
_FAR = 10**9


class Scroller(ScrollView):
    """A window on a layout.

    Whatever is measured, opened or added, the line at the top stays, unless the end was
    on screen: then the end stays.
    """

    ascii: reactive[bool] = reactive(False, init=False)
    """Whether everything is drawn with ASCII signs, but for the text itself."""

    found_words: reactive[tuple[str, ...]] = reactive(())
    """What a search looks for, in lower case; marked wherever it stands."""

    placeholder: Content | None = None
    """What is shown while there are no messages."""

    def __init__(
        self,
        *,
        name: str | None = None,
        id: str | None = None,  # noqa: A002
        classes: str | None = None,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._lines = Layout(self._draw)
        self._rows: list[Place] = []
        """What is on screen."""
        self._at_end = True
        self._opening = False
        """Whether the last message is still to be brought on screen."""
        self._painter: Painter | None = None
        self._looks: tuple[str, bool, bool] | None = None
        """The theme that everything is drawn in, and with which signs."""
        self._is_stale = True
        self._is_settling = False
        self._known_size = Size(0, 0)

    @property
    def palette(self) -> Palette:
        """What is drawn with."""
        assert self._painter is not None
        return self._painter.palette

    def notify_style_update(self) -> None:
        """Read the colours again before the next drawing."""
        super().notify_style_update()
        self._is_stale = True
        self.refresh()

    def watch_ascii(self) -> None:
        """Draw everything with other signs."""
        self._is_stale = True
        self.refresh()

    def scroll_to(
        self, x: float | None = None, y: float | None = None, **options: Any
    ) -> None:
        """Scroll at once: a movement would not notice that lines are counted anew."""
        super().scroll_to(x, y, **{**options, "animate": False})

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Keep what was on screen where the scrolling has brought it."""
        super().watch_scroll_y(old_value, new_value)
        rows = round(new_value) - round(old_value)
        if self._is_settling or not rows or not self._rows:
            return
        if abs(rows) <= 2 * self.size.height:
            self._go(self._rows[0], -rows)
        else:
            self._go(self._lines.place_at(round(new_value)), 0)

    def _settle_down(self) -> None:
        """Show what has changed, once there is a screen to show it on."""
        if self.is_attached and self.size.height:
            self._sync()
            self._stay()

    def _on_resize(self, event: events.Resize) -> None:
        self._sync()

    def _scroll_by(self, rows: int) -> None:
        if self._rows:
            self._go(self._rows[0], -rows)

    def _go(self, place: Place, row: int) -> None:
        """Scroll so that a place is on a row, as far as there are lines."""
        height = self.size.height
        top = self._lines.settle(place, row, height)
        self._at_end = top + height >= self._lines.total
        places = (
            Place(first.entry, first.unit, line)
            for first in self._lines.visible(top, height)
            for line in range(
                first.line, self._lines.entries[first.entry].heights[first.unit]
            )
        )
        self._rows = list(islice(places, height))
        self._is_settling = True
        self.virtual_size = Size(self.size.width, self._lines.total)
        self.scroll_y = top
        self.scroll_target_y = top
        self._is_settling = False
        self.refresh()

    def _go_end(self) -> None:
        unit = len(self._lines.last.divide()) - 1
        last = Place(len(self._lines.entries) - 1, unit, _FAR)
        self._go(last, self.size.height - 1 - self._lines.footer)

    def _stay(self) -> None:
        """Draw again what has changed, with the top or the end where it was."""
        if not self._lines.entries or not self.size.height:
            self._rows = []
            self.virtual_size = Size(0, 0)
            self.refresh()
        elif self._opening:
            self._open()
        elif self._at_end:
            self._go_end()
        elif self._rows:
            self._go(self._rows[0], 0)
        else:
            self._go(Place(0, 0, 0), 0)

    def _open(self) -> None:
        """Bring the last message on screen: its end, or its beginning if it is long."""
        self._opening = False
        position = len(self._lines.entries) - 1
        entry = self._lines.last
        height = 0
        for unit in range(len(entry.divide())):
            self._lines.measure(position, unit)
            height += entry.heights[unit]
            if height > self.size.height + bool(position) - self._lines.footer:
                self._go(self._header_of(position), 0)
                return
        self._go_end()

    def _bring(self, position: int) -> None:
        """Bring a message on screen, from its header on."""
        header = self._header_of(position)
        end = self._lines.start_of(position + 1)
        top = self.scroll_offset.y
        if header not in self._rows or self._rows.index(header) > self.size.height // 2:
            self._go(header, 0)
        elif end > top + self.size.height:
            room = self.size.height - (end - self._lines.line_of(header))
            self._go(header, max(0, room))

    def _header_of(self, position: int) -> Place:
        return Place(position, 0, min(1, position))

    def _drop_selection(self) -> None:
        if self.is_attached and self.text_selection is not None:
            self.screen.clear_selection()

    def _sync(self) -> None:
        """Follow a new size or new colours."""
        size = self.scrollable_content_region.size
        if not self._is_stale and size == self._known_size:
            return
        self._is_stale = False
        self._known_size = size
        before = self._painter
        looks = (self.app.theme, self.app.native_ansi_color, self.ascii)
        palette = self._choose_palette() if looks != self._looks else self.palette
        width = max(_NARROWEST, size.width - MARGIN - _RIGHT_MARGIN)
        self._painter = Painter(palette, width)
        if before is None or before.width != width:
            self._rewrap(width)
        elif looks != self._looks:
            self._lines.redraw()
        self._looks = looks
        self._stay()

    def _placeholder_line(self, y: int) -> Strip:
        if self.placeholder is None:
            return Strip([])
        lines = self.placeholder.wrap(max(1, self.scrollable_content_region.width))
        shown = lines[y : y + 1]
        segments = [
            s for line in shown for s in line.render_segments(self.visual_style)
        ]
        return Strip(segments)

    def _choose_palette(self) -> Palette:
        signs = ASCII if self.ascii else UNICODE
        return Palette(Colours(self, STYLES, ANSI), signs)

    def _rewrap(self, width: int) -> None:
        """Take another width; the top stays at the same words, as near as can be."""
        if not self._rows:
            self._lines.resize(width)
            return
        top = self._rows[0]
        entry = self._lines.entries[top.entry]
        before = entry.heights[top.unit]
        self._lines.resize(width)
        self._lines.measure(top.entry, top.unit)
        line = top.line * entry.heights[top.unit] // max(1, before)
        self._rows[0] = top._replace(line=line)

    def _draw(self, entry: Entry, unit: int) -> list[Line]:
        assert self._painter is not None
        return self._painter.draw(entry, unit)
