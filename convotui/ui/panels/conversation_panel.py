"""The thread that leads to the cursor, over the prompt that goes on from it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from textual import getters, on, work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message

from convotui.conversations.browsing import Conversations, Tree
from convotui.conversations.summaries import Totals, total_of
from convotui.storage import ChatMessage, MessageId, StorageError
from convotui.tree import moves
from convotui.ui.editor import edit_text
from convotui.ui.thread import ThreadView
from convotui.ui.widgets.prompt import Prompt

_TAIL = 200
"""How many messages are read before anybody is known to stay."""
_STAY_SECONDS = 0.3


class ConversationPanel(Vertical):
    """Shows one thread at a time, and knows what the prompt is a reply to."""

    DEFAULT_CSS = """
    ConversationPanel { width: 1fr; height: 1fr; }
    """

    thread = getters.query_one(ThreadView)
    prompt = getters.query_one(Prompt)

    @dataclass
    class Shown(Message):
        """A thread is on show, and this is what it adds up to."""

        totals: Totals

    @dataclass
    class Refused(Message):
        """Something could not be done, and this is why."""

        reason: str

    @dataclass
    class RowWanted(Message):
        """The user wants to see the thread of another row."""

        row: int

    def __init__(self, conversations: Conversations) -> None:
        super().__init__(id="conversation")
        self._conversations = conversations
        self._tree: Tree | None = None
        self._row = 0
        self._reply_to: MessageId | None = None
        self._is_chosen = False
        """Whether the user has said what the prompt is a reply to."""

    def compose(self) -> ComposeResult:
        """Lay out the thread over the prompt."""
        yield ThreadView(id="thread")
        yield Prompt(id="prompt")

    def follow(self, tree: Tree, row: int) -> None:
        """Show the thread of a row, which the prompt goes on from unless it is used."""
        self._tree, self._row = tree, row
        message_id = tree.id_at(row)
        self._show(message_id)
        if not self._is_chosen:
            self._address(message_id, "reply to")

    def write_to(self, reply_to: MessageId | None, how: str) -> None:
        """Let the user write a reply to a message, or begin a conversation."""
        self._is_chosen = True
        self._address(reply_to, how)
        self.prompt.focus()

    def write_instead_of(self, message: ChatMessage) -> None:
        """Put the text of a message into the prompt, to be sent beside it."""
        self.prompt.replace_text(message.text)
        self.write_to(message.parent_id, "another reply to")

    @work(exclusive=True, group="thread")
    async def _show(self, message_id: MessageId) -> None:
        """Show the end of a thread at once, and all of it to whoever stays there."""
        shown = await self._show_last(message_id, _TAIL)
        if shown == _TAIL:
            await asyncio.sleep(_STAY_SECONDS)
            await self._show_last(message_id, None)

    async def _show_last(self, message_id: MessageId, limit: int | None) -> int:
        """Show the last messages of a thread, or all of them; how many."""
        assert self._tree is not None
        tree, row = self._tree, self._row
        try:
            messages = await self._conversations.thread(message_id, limit)
        except StorageError as error:
            self.post_message(self.Refused(str(error)))
            return 0
        siblings = await self._conversations.siblings(tree, row, len(messages))
        self.thread.show(messages, siblings, tree.forest.sizes[row] - 1)
        self.post_message(self.Shown(total_of(messages)))
        return len(messages)

    @on(ThreadView.SiblingWanted)
    def flip(self, event: ThreadView.SiblingWanted) -> None:
        """Ask for the thread of another reply to the same message."""
        if self._tree is None:
            return
        forest = self._tree.forest
        row = next(
            (
                row
                for row in reversed(moves.path(forest, self._row))
                if self._tree.id_at(row) == event.message_id
            ),
            None,
        )
        move = moves.next_sibling if event.step > 0 else moves.previous_sibling
        target = None if row is None else move(forest, row)
        if target is None:
            self.post_message(self.Refused("There is no other reply on that side."))
        else:
            # The end of that branch, so that as much follows as before.
            self.post_message(self.RowWanted(target + forest.sizes[target] - 1))

    @on(Prompt.Left)
    def let_go(self) -> None:
        """Have an empty prompt follow the cursor again."""
        if not self.prompt.text:
            self._is_chosen = False
            if self._tree is not None:
                self._address(self._tree.id_at(self._row), "reply to")

    @on(Prompt.EditorWanted)
    def open_editor(self) -> None:
        """Let the user write in their own editor."""
        text = edit_text(self.app, self.prompt.text)
        if text is None:
            self.post_message(self.Refused("Set $EDITOR to write in your own editor."))
        else:
            self.prompt.replace_text(text)

    def _address(self, reply_to: MessageId | None, how: str) -> None:
        self._reply_to = reply_to
        self.prompt.address(f"{how} {reply_to}" if reply_to else "new conversation")
