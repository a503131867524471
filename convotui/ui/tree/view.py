"""The widget that shows the tree and moves a cursor through it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import ClassVar

from rich.style import Style
from textual import events
from textual.binding import BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive, var
from textual.scroll_view import ScrollView
from textual.strip import Strip

from convotui.conversations.trees import ShownRow, Tree
from convotui.storage import MessageId
from convotui.tree import ASCII, UNICODE
from convotui.ui.colours import Colours
from convotui.ui.tree import lanes
from convotui.ui.tree.bindings import BINDINGS
from convotui.ui.tree.cursor import Cursor
from convotui.ui.tree.rows import Row, RowPainter
from convotui.ui.tree.styles import ANSI, CSS, STYLES

_MARGIN = 40
"""How many rows beyond the edges are fetched ahead."""
_NEIGHBOURS = 2
"""How many rows above and below the cursor are kept in view."""
_KEPT = 4_000
"""How many fetched rows are kept."""


class MessageTree(ScrollView, can_focus=True, inherit_bindings=False):
    """Every message on a line of its own.

    It is handed a tree and the contents of rows, and says which message the cursor is
    on and which contents it needs. Whatever is folded or changed, the cursor stays on
    its message, or on the nearest one above it that is still shown.
    """

    BINDING_GROUP_TITLE = "Tree"
    BINDINGS: ClassVar[list[BindingType]] = BINDINGS
    DEFAULT_CSS = CSS

    ascii: reactive[bool] = reactive(False)
    """Whether the graph is drawn with ASCII only."""

    position: var[tuple[int, int]] = var((0, 0))
    """Which of the rows on show the cursor is on, from 1, and how many there are."""

    @dataclass
    class Highlighted(Message):
        """The cursor has come to another message, or there is none any more."""

        message_tree: MessageTree
        message_id: MessageId | None

        @property
        def control(self) -> MessageTree:
            """The tree it is in."""
            return self.message_tree

    @dataclass
    class RowsWanted(Message):
        """Rows have come into view whose contents are not known."""

        message_tree: MessageTree
        message_ids: list[MessageId]

        @property
        def control(self) -> MessageTree:
            """The tree that needs them."""
            return self.message_tree

    @dataclass
    class Refused(Message):
        """A key could not do anything, and this is why."""

        message_tree: MessageTree
        reason: str

        @property
        def control(self) -> MessageTree:
            """The tree that had the key."""
            return self.message_tree

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._cursor: Cursor | None = None
        self._shown: dict[MessageId, ShownRow] = {}
        self._asked: set[MessageId] = set()
        self._hits: set[int] = set()
        self._new: set[MessageId] = set()
        self._painter: RowPainter | None = None
        self._colours = Colours(self, STYLES, ANSI)

    @property
    def cursor(self) -> Cursor | None:
        """Where the cursor is, or `None` before there is a tree."""
        return self._cursor

    @property
    def selected_id(self) -> MessageId | None:
        """The message under the cursor, or `None` if there is none."""
        return self._cursor.message_id if self._cursor else None

    def show(
        self,
        tree: Tree,
        row: int | None = None,
        folded: Iterable[int] = (),
        new: Collection[MessageId] = (),
    ) -> None:
        """Show a tree, the cursor on a row of it, without moving what is on screen."""
        line = (self._cursor.index if self._cursor else 0) - self.scroll_offset.y
        before = self.selected_id
        self._cursor = Cursor(tree, row, folded)
        self._hits = set()
        self._new |= set(new)
        self._asked.clear()
        self._settle()
        self.scroll_to(y=self._cursor.index - line, animate=False, force=True)
        self._after_move(before if len(tree.forest) else MessageId(""))

    def provide(self, rows: Iterable[ShownRow]) -> None:
        """Take the contents of rows that were wanted."""
        if len(self._shown) > _KEPT:
            self._shown.clear()
            self._asked.clear()
        self._shown.update((row.preview.id, row) for row in rows)
        self._asked.update(self._shown)
        self._ask()
        self.refresh()

    @property
    def shows_growth(self) -> bool:
        """Whether a reply in view was being written when it was last read."""
        if (cursor := self._cursor) is None:
            return False
        top = self.scroll_offset.y
        in_view = range(top, min(cursor.count, top + self.size.height))
        shown = (self._shown.get(cursor.id_at(index)) for index in in_view)
        return any(row and row.preview.state == "streaming" for row in shown)

    def read_again(self) -> None:
        """Ask for the contents of the rows in view, which may have changed."""
        self._asked.clear()
        self._ask()

    def mark_hits(self, rows: Iterable[int]) -> None:
        """Mark what a search found, in place of what was marked."""
        self._hits = set(rows)
        self.refresh()

    def select(self, row: int) -> None:
        """Move the cursor to a row, and open what hides it."""
        if self._cursor is not None:
            before = self._cursor.message_id
            self._cursor.select(row)
            self._settle()
            self._after_move(before)

    def action_step(self, name: str) -> None:
        """Take one of the cursor's steps."""
        if self._cursor is None:
            return
        before = self._cursor.message_id
        count = self._cursor.count
        reason = self._cursor.step(name)
        if reason is not None:
            self.post_message(self.Refused(self, reason))
        if self._cursor.count != count:
            self._settle()
        self._after_move(before)

    def action_page(self, pages: float) -> None:
        """Move by pages."""
        if self._cursor is not None:
            before = self._cursor.message_id
            rows = int(pages * max(2, self.size.height - 1))
            self._cursor.move_to(self._cursor.index + rows)
            self._after_move(before)

    def render_line(self, y: int) -> Strip:
        """Draw one line."""
        index = self.scroll_offset.y + y
        cursor = self._cursor
        if cursor is None or cursor.row is None or index >= cursor.count:
            return Strip.blank(self.scrollable_content_region.width, self.rich_style)
        glyphs = ASCII if self.ascii else UNICODE
        # A scroll bar that comes or goes changes the width without a resize.
        width = self.scrollable_content_region.width
        if self._painter is None or self._painter.width != width:
            self._painter = RowPainter(self._style, width, glyphs)
        row = cursor.folds.row_at(index)
        message_id = cursor.tree.id_at(row)
        strip = self._painter.paint(
            Row(
                graph=lanes.draw(cursor.tree.forest, row, cursor.row, glyphs),
                message_id=message_id,
                shown=self._shown.get(message_id),
                hidden=cursor.folds.hidden_below(row),
                is_hit=row in self._hits,
                is_new=message_id in self._new,
            )
        )
        if row == cursor.row:
            strip = strip.apply_style(self._style("cursor"))
        return strip.apply_style(self.rich_style)

    def notify_style_update(self) -> None:
        """Forget styles that a new theme has changed."""
        self._painter = None
        self._colours.forget()
        super().notify_style_update()

    def watch_ascii(self) -> None:
        """Draw anew."""
        self._painter = None
        self.refresh()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Ask for what has come into view."""
        super().watch_scroll_y(old_value, new_value)
        self._ask()

    def on_focus(self) -> None:
        """Draw the cursor brighter."""
        self.refresh()

    def on_blur(self) -> None:
        """Draw the cursor quieter."""
        self.refresh()

    def on_resize(self) -> None:
        """Draw at the new width, the cursor still in view."""
        self._painter = None
        self._scroll_to_cursor()
        self._ask()

    def on_click(self, event: events.Click) -> None:
        """Move to the row that was clicked; fold it on a second click."""
        index = event.y + self.scroll_offset.y
        if self._cursor is not None and index < self._cursor.count:
            before = self._cursor.message_id
            self._cursor.move_to(index)
            self._after_move(before)
            if event.chain == 2:
                self.action_step("fold")

    def _style(self, name: str) -> Style:
        if name == "cursor" and self.has_focus:
            name = "cursor-focused"
        return self._colours[name]

    def _after_move(self, before: MessageId | None) -> None:
        self.position = self._cursor.position if self._cursor else (0, 0)
        self._scroll_to_cursor()
        self.refresh()
        message_id = self.selected_id
        if message_id != before:
            if message_id is not None:
                self._new.discard(message_id)
            self.post_message(self.Highlighted(self, message_id))

    def _settle(self) -> None:
        """Take note of how many rows there are now."""
        self.virtual_size = Size(0, self._cursor.count if self._cursor else 0)
        self._ask()

    def _scroll_to_cursor(self) -> None:
        if self._cursor is not None:
            # What is next to the cursor stays in view, too.
            margin = min(_NEIGHBOURS, (self.size.height - 1) // 2)
            top = max(0, self._cursor.index - margin)
            end = min(self._cursor.count, self._cursor.index + margin + 1)
            region = Region(0, top, max(1, self.size.width), max(1, end - top))
            self.scroll_to_region(region, animate=False, force=True)

    def _ask(self) -> None:
        """Ask for the contents of rows in view, and some beyond, that are unknown."""
        if (cursor := self._cursor) is None:
            return
        top = max(0, self.scroll_offset.y - _MARGIN)
        end = min(cursor.count, self.scroll_offset.y + self.size.height + _MARGIN)
        ids = (cursor.id_at(index) for index in range(top, end))
        wanted = [message_id for message_id in ids if message_id not in self._asked]
        if wanted:
            self._asked.update(wanted)
            self.post_message(self.RowsWanted(self, wanted))
