"""The browser: the tree beside the thread, and what is done to messages."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import getters, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.events import Resize

from convotui.conversations.browsing import Conversations
from convotui.storage import StorageError
from convotui.text import visible_line
from convotui.ui.keys import keys_of
from convotui.ui.opening import WELCOME, Opening
from convotui.ui.panels.conversation_panel import ConversationPanel
from convotui.ui.panels.panes import Panes
from convotui.ui.panels.prompt_panel import PromptPanel
from convotui.ui.panels.tree_panel import TreePanel
from convotui.ui.screens.bindings import BINDINGS
from convotui.ui.screens.changing import ChangingScreen
from convotui.ui.state import UiState
from convotui.ui.themes import fitting_theme
from convotui.ui.thread import ThreadView
from convotui.ui.tree import MessageTree
from convotui.ui.widgets.prompt import Prompt
from convotui.ui.widgets.status_line import StatusLine
from convotui.ui.widgets.too_small import TooSmall

if TYPE_CHECKING:
    from convotui.conversations.replies import Replies


class BrowserScreen(ChangingScreen):
    """Answers what its parts ask for; the rules are in `conversations`."""

    BINDING_GROUP_TITLE = "Messages"
    BINDINGS: ClassVar[list[BindingType]] = BINDINGS

    panes = getters.query_one(Panes)

    def __init__(
        self,
        conversations: Conversations,
        open_replies: Callable[[], Replies],
        state: UiState,
        opening: Opening,
    ) -> None:
        super().__init__(conversations, open_replies)
        self._state = state
        self._opening = opening
        self.unsent = opening.unsent
        self.failure: StorageError | None = None
        """Why there was nothing to show, if so."""

    def compose(self) -> ComposeResult:
        """Lay out the panes."""
        yield Panes(
            TreePanel(self._conversations, self._state.folded_ids),
            ConversationPanel(self._conversations),
            self._state.tree_share,
        )
        yield StatusLine()
        # What the first frame can do without comes after it, where its place is kept.
        yield Container(id="footer")

    def on_mount(self) -> None:
        """Begin to read, after the first frame."""
        opening = self._opening
        self.message_tree.ascii = self.conversation.thread.ascii = opening.ascii_only
        self.set_class(opening.ascii_only, "-ascii")
        self.status.ascii = opening.ascii_only
        self.status.incognito = opening.incognito
        self.status.file = self._conversations.path.name
        show_position = partial(setattr, self.status, "position")
        self.watch(self.message_tree, "position", show_position)
        self.message_tree.focus()
        self.conversation.prompt_panel.restore(opening.unsent)
        self.call_after_refresh(self._begin)
        if opening.begin_new:
            self.action_new()

    async def _begin(self) -> None:
        from textual.widgets import Footer

        gc.freeze()
        gc.enable()
        footer = Footer(compact=True, show_command_palette=False)
        await self.query_one("#footer").mount(footer)
        self.refresh_bindings()
        try:
            self.status.read_only = await self._conversations.open()
        except StorageError as error:
            self.failure = error
            self.app.exit()
        else:
            self.panel.begin(self._opening.start or self._state.cursor_id)
            await self.begin_to_talk()
            await self._advise()

    async def _advise(self) -> None:
        """Tell what is good to know about the file, once."""
        advice, told = await self._conversations.advice(), self._state.told
        new = [line for line in advice if line not in told]
        self._state = replace(self._state, told=(*told, *new))
        if new:
            name = self._conversations.path.name
            self.tell(f"{name} {'; it '.join(new)}.", "warning")

    @property
    def state(self) -> UiState:
        """What was remembered last, at the start or by `remember`."""
        return self._state

    def _chosen_theme(self) -> str:
        """Return the theme that is on, unless this terminal alone asks for it."""
        before = fitting_theme(self._state.theme, self.app.console.color_system)
        return self._state.theme if self.app.theme == before else self.app.theme

    def remember(self) -> None:
        """Take note of what is to come back at the next start."""
        super().remember()
        self._state = UiState(
            cursor=self.message_tree.selected_id,
            folded=tuple(self.panel.folded_ids()),
            tree_share=self.panes.share,
            theme=self._chosen_theme(),
            told=self._state.told,
        )

    @on(TreePanel.Loaded)
    def show_loaded(self, event: TreePanel.Loaded) -> None:
        """Show what everything adds up to, and a welcome where there is nothing."""
        self.status.by = event.tree.by
        self.panel.add_up()
        if not len(event.tree.outline):
            self.conversation.thread.placeholder = WELCOME
            self.conversation.thread.show([])
        else:
            self._follow_cursor()

    @on(TreePanel.Failed)
    @on(MessageTree.Refused)
    @on(ConversationPanel.Refused)
    @on(PromptPanel.Refused)
    def tell_reason(
        self,
        event: TreePanel.Failed
        | MessageTree.Refused
        | ConversationPanel.Refused
        | PromptPanel.Refused,
    ) -> None:
        """Say why something was not done."""
        self.status.notice = event.reason

    @on(MessageTree.Highlighted)
    def follow_cursor(self) -> None:
        """Show the thread that leads to the cursor."""
        self.status.notice = ""
        self._follow_cursor()

    def _follow_cursor(self) -> None:
        cursor = self.message_tree.cursor
        if cursor is not None and cursor.row is not None:
            self.conversation.follow(cursor.tree, cursor.row)

    @on(TreePanel.Searched)
    def tell_found(self, event: TreePanel.Searched) -> None:
        """Say what a search has found."""
        self.status.hits = event.summary
        self.conversation.thread.found_words = event.words

    @on(TreePanel.AddedUp)
    @on(ConversationPanel.Shown)
    def tell_totals(self, event: TreePanel.AddedUp | ConversationPanel.Shown) -> None:
        """Say what everything adds up to, or the thread on show."""
        if isinstance(event, TreePanel.AddedUp):
            self.status.project = event.totals
        else:
            self.status.thread = event.totals

    @on(ConversationPanel.RowWanted)
    def go_to_row(self, event: ConversationPanel.RowWanted) -> None:
        """Move the cursor to the thread that is wanted."""
        self.message_tree.select(event.row)

    @on(ThreadView.LinkClicked)
    def copy_link(self, event: ThreadView.LinkClicked) -> None:
        """Copy where a link goes; nothing is opened unasked."""
        self.app.copy_to_clipboard(visible_line(event.url))
        self.tell(f"Copied the link {event.url}")

    @on(Prompt.Left)
    def leave_prompt(self) -> None:
        """Stop the reply, or go back to the tree; what was written stays."""
        if not self.stop_reply():
            self.message_tree.focus()

    @on(Prompt.Commanded)
    def obey(self, event: Prompt.Commanded) -> None:
        """Do what a key would do."""
        argument = event.argument or None
        actions: dict[str, Callable[[], object]] = {
            "new": self.action_new,
            "model": partial(self.action_model, argument),
            "label": partial(self.action_label, argument),
            "export": self.action_export,
            "search": partial(self.action_search, argument),
            "attach": partial(self.conversation.prompt_panel.attach, event.argument),
            "keep": self.action_keep,
            "history": self.message_tree.focus,
            "help": self.action_help,
        }
        actions[event.name]()

    def on_resize(self, event: Resize) -> None:
        """Say so where there is no room to be of use."""
        TooSmall.fit(self, event.size)

    def action_write(self, how: str) -> None:
        """Write a reply to the message under the cursor."""
        if (selected := self.selected()) is not None:
            self.conversation.prompt_panel.write_to(selected, how)

    def action_new(self) -> None:
        """Begin a conversation."""
        self.conversation.prompt_panel.write_to(None, "")

    def action_search(self, text: str | None = None) -> None:
        """Search everything."""
        self.panel.open_search(text)

    def action_hit(self, step: int) -> None:
        """Go to another hit."""
        if not self.panel.go_to_hit(step):
            self.status.notice = "There are no hits; / searches."

    def action_filter(self) -> None:
        """Show the tree through the next filter."""
        self.panel.next_filter()

    def action_switch(self) -> None:
        """Go to the other pane."""
        order = (self.message_tree, self.conversation.thread, self.conversation.prompt)
        at = next((i for i, pane in enumerate(order) if pane.has_focus), -1)
        order[(at + 1) % len(order)].focus()

    def action_resize(self, step: float) -> None:
        """Give the tree more room, or less."""
        self.panes.set_share(self.panes.share + step)

    def action_help(self) -> None:
        """Show the keys that work here."""
        from convotui.ui.screens.help import HelpDialog

        self.app.push_screen(HelpDialog(keys_of(self)))
