"""The widget that shows a thread, from its first message to the selected one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.actions import SkipAction
from textual.binding import BindingType
from textual.content import Content
from textual.message import Message
from textual.selection import Selection
from textual.strip import Strip

from convotui.storage.records import ChatMessage, MessageId
from convotui.ui.thread import selection as selecting
from convotui.ui.thread.bindings import BINDINGS
from convotui.ui.thread.header import STEP
from convotui.ui.thread.inline import LINK, is_openable
from convotui.ui.thread.layout import Place
from convotui.ui.thread.palette import CSS
from convotui.ui.thread.render import FOLD
from convotui.ui.thread.scroller import Scroller
from convotui.ui.thread.strips import MARGIN, runs_of


class ThreadView(Scroller, can_focus=True):
    """A thread of messages.

    It is handed messages and says what the user wants; it opens no link and loads
    nothing. One message is highlighted: the keys that act on a message act on it.
    """

    BINDING_GROUP_TITLE = "Thread"
    BINDINGS: ClassVar[list[BindingType]] = BINDINGS
    DEFAULT_CSS = CSS
    ALLOW_SELECT = True

    @dataclass
    class Request(Message):
        """Base of what the thread has to say."""

        thread_view: ThreadView

        @property
        def control(self) -> ThreadView:
            """The thread it is about, for `@on(..., selector)`."""
            return self.thread_view

    @dataclass
    class LinkClicked(Request):
        """A link to the web or to a mail address was clicked."""

        url: str

    @dataclass
    class SiblingWanted(Request):
        """The user wants to see a message's sibling in its place."""

        message_id: MessageId
        step: int
        """1 for the next one, -1 for the one before."""

    @dataclass
    class MessageHighlighted(Request):
        """The user has moved the highlight to a message."""

        message_id: MessageId

    def __init__(
        self,
        *,
        placeholder: Content | None = None,
        name: str | None = None,
        id: str | None = None,  # noqa: A002
        classes: str | None = None,
    ) -> None:
        """Create a view of no messages.

        Args:
            placeholder: What is shown while there are none.
            name: The name of the widget.
            id: The id of the widget in the DOM.
            classes: The CSS classes of the widget.
        """
        super().__init__(name=name, id=id, classes=classes)
        self.placeholder = placeholder
        self._highlighted = 0
        self._replies_below = 0

    @property
    def highlighted_id(self) -> MessageId | None:
        """The highlighted message, or `None` if there is none."""
        entries = self._lines.entries
        return entries[self._highlighted].message.id if entries else None

    @property
    def selected_text(self) -> str | None:
        """The text that is selected with the mouse, or `None`."""
        if self.text_selection is None:
            return None
        return selecting.extract(self._lines, self.text_selection, MARGIN)

    def show(
        self,
        messages: Sequence[ChatMessage],
        siblings: Mapping[MessageId, tuple[int, int]] | None = None,
        replies_below: int = 0,
        at: MessageId | None = None,
    ) -> None:
        """Show a thread.

        Its last message comes on screen and is highlighted. If it is the thread that is
        shown already, nothing moves, whatever has changed in it.

        Args:
            messages: The thread from its first message on.
            siblings: For messages at a fork, which of how many they are.
            replies_below: How many replies the last message has.
            at: A message to highlight in place of the last, with as little movement as
                can be: for a sibling that takes the place of another.
        """
        before = len(self._lines.entries)
        kept = self._lines.show(messages, siblings or {})
        is_same = kept == before == len(messages)
        self._replies_below = replies_below
        self._lines.footer = 2 if replies_below and messages else 0
        if not is_same:
            self._drop_selection()
            self._rows = [
                place for place in self._rows[:1] if at and place.entry < kept
            ]
            self._at_end = False
            self._opening = not self._rows
            self._highlighted = max(0, len(messages) - 1)
        self._settle_down()
        if at is not None:
            self.highlight(at)

    def note(self, notes: Mapping[MessageId, str]) -> None:
        """Say where messages came from."""
        self._lines.note(notes)
        self.refresh()

    def highlight(self, message_id: MessageId) -> None:
        """Move the highlight to a message, and bring that on screen if it is not."""
        for entry in self._lines.entries:
            if entry.message.id == message_id:
                self._highlighted = entry.position
                self._settle_down()
                if self._rows and self._header_of(entry.position) not in self._rows:
                    self._bring(entry.position)
                return

    def set_tail(self, message: ChatMessage) -> None:
        """Show what the last message has become, or a new one below it.

        The end stays on screen if it was; if not, nothing moves.
        """
        entries = self._lines.entries
        if entries and entries[-1].message.id == message.id:
            self._lines.replace_last(message)
        else:
            if self._highlighted == len(entries) - 1:
                self._highlighted += 1
            self._highlighted = min(self._highlighted, len(entries))
            self._lines.append(message)
            self._replies_below = self._lines.footer = 0
        self._settle_down()

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """Return the text of a selection, and what separates it from what follows."""
        return selecting.extract(self._lines, selection, MARGIN), "\n"

    def render_line(self, y: int) -> Strip:
        """Draw a line of the screen."""
        self._sync()
        base = self.visual_style.rich_style
        width = self.size.width
        if not self._lines.entries:
            return self._placeholder_line(y).extend_cell_length(width, base)
        if y < len(self._rows):
            return self._strip(self._rows[y], width)
        if self._lines.footer and y == len(self._rows) + 1:
            hint = Segment(f"{' ' * MARGIN}{self._hint()}", base + self.palette["hint"])
            return Strip([hint]).extend_cell_length(width, base)
        return Strip.blank(width, base)

    def action_scroll_rows(self, rows: int) -> None:
        """Scroll by lines."""
        self._scroll_by(rows)

    def action_scroll_pages(self, pages: float) -> None:
        """Scroll by pages, of which one line stays on screen."""
        self._scroll_by(round(pages * max(1, self.size.height - 1)))

    def action_scroll_home(self) -> None:
        """Scroll to the first line."""
        if self._rows:
            self._go(Place(0, 0, 0), 0)

    def action_scroll_end(self) -> None:
        """Scroll to the last line."""
        if self._rows:
            self._go_end()

    def action_highlight(self, step: int) -> None:
        """Move the highlight to another message and bring that on screen."""
        if not self._rows:
            return
        shown = {place.entry for place in self._rows}
        position = self._highlighted + step
        if self._highlighted not in shown:
            position = min(shown) if step > 0 else max(shown)
        position = max(0, min(position, len(self._lines.entries) - 1))
        self._highlight(position)
        self._bring(position)

    def action_sibling(self, step: int) -> None:
        """Ask for a sibling of the highlighted message, or of one above it."""
        for entry in reversed(self._lines.entries[: self._highlighted + 1]):
            if entry.siblings is not None and entry.siblings[1] > 1:
                self.post_message(self.SiblingWanted(self, entry.message.id, step))
                return
        raise SkipAction

    def action_fold(self) -> None:
        """Open what is folded in the highlighted message, or fold all of it."""
        entries = self._lines.entries
        if not self._rows or not entries[self._highlighted].foldable:
            raise SkipAction
        entry = entries[self._highlighted]
        self._toggle(self._header_of(self._highlighted), entry.foldable)

    def on_click(self, event: events.Click) -> None:
        """Act on what was clicked."""
        # Whatever stands in a message, its style carries no action to run.
        event.prevent_default()
        offset = event.get_content_offset(self)
        if offset is None or offset.y >= len(self._rows):
            return
        place = self._rows[offset.y]
        if event.chain == 2:
            self.screen.selections = {self: selecting.of_message(place.entry)}
            return
        if self.text_selection is not None:
            return
        self._highlight(place.entry)
        meta = event.style.meta
        if FOLD in meta:
            self._toggle(place, {meta[FOLD]})
        elif STEP in meta:
            message = self._lines.entries[place.entry].message
            self.post_message(self.SiblingWanted(self, message.id, meta[STEP]))
        elif LINK in meta and is_openable(meta[LINK]):
            self.post_message(self.LinkClicked(self, meta[LINK]))

    def _strip(self, place: Place, width: int) -> Strip:
        base = self.visual_style.rich_style
        room = self.scrollable_content_region.width
        highlighted = self._highlighted if self.has_focus else -1
        runs = runs_of(self._lines, place, self.palette, room, highlighted)
        runs = selecting.found(runs, self.found_words, self.palette["found"])
        number = selecting.number_of(place)
        if self.text_selection is not None:
            span = self.text_selection.get_span(number)
            if span is not None:
                runs = selecting.marked(runs, span, self.selection_style)
        strip = Strip([Segment(text, base + style) for text, style in runs])
        return strip.adjust_cell_length(width, base).apply_offsets(0, number)

    def _hint(self) -> str:
        count = self._replies_below
        return f"{count:,} {'reply' if count == 1 else 'replies'} below"

    def _highlight(self, position: int) -> None:
        if position != self._highlighted:
            self._highlighted = position
            self.refresh()
            message = self._lines.entries[position].message
            self.post_message(self.MessageHighlighted(self, message.id))

    def _toggle(self, place: Place, blocks: set[int]) -> None:
        self._drop_selection()
        entry = self._lines.entries[place.entry]
        row = self._rows.index(place) if place in self._rows else 0
        kept = place if place in self._rows else self._rows[0]
        self._go(self._lines.toggle(entry, blocks, kept), row)
