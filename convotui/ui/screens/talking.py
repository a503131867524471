"""The part of the browser that talks to models."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from textual import getters, on, work

from convotui.conversations.browsing import Conversations
from convotui.storage import MessageId
from convotui.ui import flows
from convotui.ui.panels.conversation_panel import ConversationPanel
from convotui.ui.panels.prompt_panel import PromptPanel
from convotui.ui.panels.tree_panel import TreePanel
from convotui.ui.screens.acting import ActingScreen
from convotui.ui.tree import MessageTree
from convotui.ui.unsent import Unsent
from convotui.ui.words import context_of

if TYPE_CHECKING:
    from convotui.conversations.replies import Replies


class TalkingScreen(ActingScreen):
    """Asks models about the message under the cursor and shows how it goes."""

    panel = getters.query_one(TreePanel)
    conversation = getters.query_one(ConversationPanel)
    message_tree = getters.query_one(MessageTree)

    def __init__(
        self, conversations: Conversations, open_replies: Callable[[], Replies]
    ) -> None:
        super().__init__()
        self._conversations = conversations
        self._open_replies = open_replies
        self._replies: Replies | None = None
        self.unsent = Unsent()
        """What was in the prompt at the start, or when `remember` was called."""

    async def begin_to_talk(self) -> None:
        """Load what models are asked with, which the first frame does not need."""
        self._replies = await asyncio.to_thread(self._open_replies)
        self.conversation.use(self._replies)
        self.conversation.weigh()
        # The first reply comes sooner if the libraries are there by then.
        threading.Thread(target=self._replies.warm_up, daemon=True).start()

    def selected(self) -> MessageId | None:
        """Return the message under the cursor, or say that there is none."""
        if (selected := self.message_tree.selected_id) is None:
            self.status.notice = "There are no messages yet; o begins a conversation."
        return selected

    @on(PromptPanel.Began)
    def show_reply(self, event: PromptPanel.Began) -> None:
        """Go to a reply that has begun."""
        self.status.notice = ""
        self.conversation.watch_reply(event.asked.reply)
        self.panel.load(event.asked.reply.message.id)

    @on(PromptPanel.Ended)
    def show_end(self, event: PromptPanel.Ended) -> None:
        """Show how a reply has ended."""
        self.message_tree.read_again()
        self.panel.add_up()
        facts = event.message.facts
        if facts is not None and facts.error:
            self.tell(facts.error, "error")

    @on(TreePanel.Changed)
    def look_again(self) -> None:
        """Show what somebody else is writing."""
        self.conversation.look_again()

    @on(ConversationPanel.Weighed)
    def show_context(self, event: ConversationPanel.Weighed) -> None:
        """Say who would be asked, and with how much."""
        self.status.context = context_of(event.model, event.fitted)

    @on(PromptPanel.ModelMissing)
    @work(exclusive=True, group="act")
    async def offer_model(self) -> None:
        """Offer a model to somebody who has none, and ask it."""
        self.status.notice = ""
        if self._replies is None:
            return
        if await flows.offer_model(self.app, self._replies.models):
            self.conversation.weigh()
            self.conversation.prompt_panel.send()

    def action_regenerate(self) -> None:
        """Have a model reply once more."""
        if (selected := self.selected()) is not None:
            self.conversation.prompt_panel.regenerate(selected)

    def action_resume(self) -> None:
        """Have a reply that was cut off go on."""
        if (selected := self.selected()) is not None:
            self.conversation.prompt_panel.resume(selected)

    def action_stop(self) -> None:
        """Stop the reply on show."""
        if not self.stop_reply():
            self.status.notice = ""

    def stop_reply(self) -> bool:
        """Stop the reply on show; whether one was being written."""
        running = self.conversation.running_id
        return (
            self._replies is not None
            and running is not None
            and self._replies.stop(running)
        )

    @work(exclusive=True, group="act")
    async def action_model(self, name: str | None = None) -> None:
        """Choose the model that is asked from now on."""
        if self._replies is None:
            return
        models = self._replies.models
        if name is None:
            name = await flows.choose_model(self.app, models)
        if name is not None:
            models.wanted = name
            self.conversation.weigh()

    def action_keep(self) -> None:
        """Save a thread of an incognito session into the project."""
        if (selected := self.selected()) is not None:
            self.do(self._keep(selected))

    async def _keep(self, message_id: MessageId) -> str:
        path = await self._conversations.keep(message_id)
        return f"Kept this thread in {path}."

    @work(exclusive=True, group="leave")
    async def leave(self) -> None:
        """Leave, after a question if replies are still being written."""
        running = self._replies.running if self._replies else {}
        if await flows.may_leave(self.app, len(running)):
            await self.end(0)

    async def end(self, code: int) -> None:
        """Leave without a question; what has arrived is saved."""
        if self._replies is not None:
            await self._replies.stop_all()
        if self.is_mounted:
            self.remember()
        self.app.exit(return_code=code)

    def remember(self) -> None:
        """Take note of what is to come back at the next start."""
        self.unsent = self.conversation.prompt_panel.unsent
