"""The thread that leads to the cursor, over the prompt that goes on from it."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import getters, on, work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message

from convotui.conversations.browsing import Conversations
from convotui.conversations.summaries import Totals, total_of
from convotui.conversations.trees import Tree
from convotui.storage import ChatMessage, MessageId, StorageError
from convotui.tree import moves
from convotui.ui.panels.prompt_panel import PromptPanel
from convotui.ui.thread import ThreadView
from convotui.ui.widgets.prompt import Prompt

if TYPE_CHECKING:
    from convotui.conversations.models import ChosenModel
    from convotui.conversations.replies import Replies
    from convotui.conversations.reply import Reply
    from convotui.conversations.window import Fitted

_TAIL = 200
"""How many messages are read before anybody is known to stay."""
_STAY_SECONDS = 0.3
_FRAME_SECONDS = 1 / 30


class ConversationPanel(Vertical):
    """Shows one thread at a time, and the reply to it as it arrives."""

    DEFAULT_CSS = """
    ConversationPanel { width: 1fr; height: 1fr; }
    """

    thread = getters.query_one(ThreadView)
    prompt = getters.query_one(Prompt)
    prompt_panel = getters.query_one(PromptPanel)

    @dataclass
    class Shown(Message):
        """A thread is on show, and this is what it adds up to."""

        totals: Totals

    @dataclass
    class Weighed(Message):
        """Who would be asked next, and what would be sent."""

        model: ChosenModel | None
        fitted: Fitted | None

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
        self._replies: Replies | None = None
        self._tree: Tree | None = None
        self._row = 0
        self._shown: list[ChatMessage] = []

    def compose(self) -> ComposeResult:
        """Lay out the thread over the prompt."""
        yield ThreadView(id="thread")
        yield PromptPanel()

    def use(self, replies: Replies) -> None:
        """Take what models are asked with."""
        self._replies = replies
        self.prompt_panel.use(replies)

    def follow(self, tree: Tree, row: int) -> None:
        """Show the thread of a row, which the prompt goes on from unless it is used.

        If it is on show already it is read again, and nothing moves.
        """
        self._tree, self._row = tree, row
        message_id = tree.id_at(row)
        is_shown = bool(self._shown) and self._shown[-1].id == message_id
        # What is written here is further than what was saved of it.
        if not is_shown or self.running_id is None:
            self._show(message_id, None if is_shown else _TAIL)
        self.prompt_panel.follow(message_id)

    def watch_reply(self, reply: Reply) -> None:
        """Show a reply as it goes on, if it is the one on show."""
        if self._shown and self._shown[-1].id == reply.message.id:
            self._stream(reply)

    def look_again(self) -> None:
        """Read the thread again if its end is being written by somebody else."""
        if self._tree is None or not self._shown:
            return
        last = self._shown[-1]
        running = self._replies.running if self._replies else {}
        if last.facts and last.facts.state == "streaming" and last.id not in running:
            self._show(last.id, None)

    def weigh(self) -> None:
        """Find out who would be asked next, and with what, for whoever stays."""
        self._weigh(self._shown)

    @property
    def running_id(self) -> MessageId | None:
        """The reply on show, if it is being written here."""
        if self._replies is None or not self._shown:
            return None
        last = self._shown[-1].id
        return last if last in self._replies.running else None

    @work(exclusive=True, group="thread")
    async def _show(self, message_id: MessageId, limit: int | None) -> None:
        """Show the end of a thread at once, and all of it to whoever stays there."""
        self.workers.cancel_group(self, "stream")
        shown = await self._show_last(message_id, limit)
        if shown == limit:
            await asyncio.sleep(_STAY_SECONDS)
            await self._show_last(message_id, None)
        self.weigh()
        if self._replies and (reply := self._replies.running.get(message_id)):
            self._stream(reply)

    @work(exclusive=True, group="stream")
    async def _stream(self, reply: Reply) -> None:
        """Show a reply as it arrives, no more often than anybody could see."""
        async for _ in reply.changes():
            self.thread.set_tail(reply.message)
            await asyncio.sleep(_FRAME_SECONDS)
        self._show(reply.message.id, None)

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
        self._shown = messages
        self.thread.show(messages, siblings, tree.forest.sizes[row] - 1)
        self.post_message(self.Shown(total_of(messages)))
        return len(messages)

    @work(exclusive=True, group="weigh")
    async def _weigh(self, thread: list[ChatMessage]) -> None:
        from convotui.conversations.models import NoModelError

        await asyncio.sleep(_STAY_SECONDS)
        with suppress(StorageError):
            self.thread.note(await self._conversations.notes(thread))
        if self._replies is None:
            return
        try:
            model, fitted = await self._replies.preview(thread)
        except NoModelError:
            self.post_message(self.Weighed(None, None))
        else:
            self.post_message(self.Weighed(model, fitted))

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
        tree = self._tree
        self.prompt_panel.let_go(None if tree is None else tree.id_at(self._row))
