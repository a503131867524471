"""The prompt and what becomes of it: whom it answers, what goes with it, sending."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from textual import getters, on, work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message

from convotui.storage import Block, ChatMessage, MessageId, StorageError
from convotui.ui import flows
from convotui.ui.editor import edit_text
from convotui.ui.unsent import Unsent
from convotui.ui.widgets.prompt import Prompt

if TYPE_CHECKING:
    from convotui.conversations.replies import Asked, Replies

_LONG_SECONDS = 0.3
_WAITING = "Waiting to save this; somebody else may be writing to the file."


class PromptPanel(Vertical):
    """Knows what the prompt is a reply to, and has a model answer it."""

    DEFAULT_CSS = """
    PromptPanel { height: auto; }
    """

    prompt = getters.query_one(Prompt)

    @dataclass
    class Began(Message):
        """A model has been asked."""

        asked: Asked

    @dataclass
    class Ended(Message):
        """A reply is over, one way or another."""

        message: ChatMessage

    @dataclass
    class Refused(Message):
        """Something could not be done, and this is why."""

        reason: str

    @dataclass
    class ModelMissing(Message):
        """There is nobody to ask; what was written is still there."""

        reason: str

    def __init__(self) -> None:
        super().__init__()
        self._replies: asyncio.Future[Replies] = asyncio.Future()
        """There after the first frame; whoever is faster waits."""
        self._reply_to: MessageId | None = None
        self._is_chosen = False
        """Whether the user has said what the prompt is a reply to."""
        self._is_asking = False
        self._attached: list[tuple[str, Block]] = []

    def compose(self) -> ComposeResult:
        """Lay out the prompt."""
        yield Prompt(id="prompt")

    def use(self, replies: Replies) -> None:
        """Take what models are asked with."""
        self._replies.set_result(replies)

    @property
    def unsent(self) -> Unsent:
        """What is written and not sent."""
        return Unsent(self.prompt.text, self._is_chosen, self._reply_to)

    def restore(self, unsent: Unsent) -> None:
        """Put back what was written before and not sent."""
        if unsent.text:
            self.prompt.replace_text(unsent.text)
            self._refuse("What you had not sent is back in the prompt.")
        if unsent.text and unsent.is_addressed:
            self._is_chosen = True
            to = MessageId(unsent.reply_to) if unsent.reply_to else None
            self._address(to, "reply to")

    # What the prompt is a reply to

    def follow(self, message_id: MessageId) -> None:
        """Go on from a message, unless the user has chosen another."""
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

    def let_go(self, message_id: MessageId | None) -> None:
        """Have an empty prompt follow the cursor again."""
        if not self.prompt.text:
            self._is_chosen = False
            if message_id is not None:
                self._address(message_id, "reply to")

    def _address(self, reply_to: MessageId | None, how: str) -> None:
        self._reply_to = reply_to
        self.prompt.address(f"{how} {reply_to}" if reply_to else "new conversation")

    # What goes with it

    @work(group="attach")
    async def attach(self, typed: str) -> None:
        """Send a file with the next message; without a name, send none after all."""
        from convotui.conversations.attachments import AttachError, attach

        path = Path(typed).expanduser()
        if not typed:
            self._attached.clear()
        else:
            try:
                block = await asyncio.to_thread(attach, path)
            except AttachError as error:
                self.post_message(self.Refused(str(error)))
                return
            self._attached.append((path.name, block))
        self.prompt.show_attached([name for name, _ in self._attached])

    @on(Prompt.EditorWanted)
    def open_editor(self) -> None:
        """Let the user write in their own editor."""
        text = edit_text(self.app, self.prompt.text)
        if text is None:
            self.post_message(self.Refused("Set $EDITOR to write in your own editor."))
        else:
            self.prompt.replace_text(text)

    # Asking

    @on(Prompt.Submitted)
    def submit(self) -> None:
        """Send what is written."""
        self.send()

    @on(Prompt.Unknown)
    def explain(self, event: Prompt.Unknown) -> None:
        """Say that there is no such command; nothing is sent by mistake."""
        self._refuse(f"There is no /{event.name}; a space before it sends it as text.")

    @work(group="ask")
    async def send(self) -> None:
        """Send what is written; it stays in the prompt until it is saved."""
        text = self.prompt.text.strip()
        if not text:
            return
        replies = await self._replies
        if self._reply_to in replies.running:
            self._refuse("This reply is still being written; esc stops it.")
            return
        blocks = [Block(text), *(block for _, block in self._attached)]
        if not await flows.may_send(self.app, blocks):
            return
        if await self._ask(replies.ask(self._reply_to, blocks)):
            self.prompt.remember(text)
            if self.prompt.text.strip() == text:
                self.prompt.load_text("")
            self._attached.clear()
            self.prompt.show_attached([])
            self._is_chosen = False

    @work(group="ask")
    async def regenerate(self, message_id: MessageId) -> None:
        """Have a model reply once more."""
        await self._ask((await self._replies).regenerate(message_id))

    @work(group="ask")
    async def resume(self, message_id: MessageId) -> None:
        """Have a reply that was cut off go on."""
        await self._ask((await self._replies).resume(message_id))

    async def _ask(self, asking: Awaitable[Asked]) -> bool:
        """Ask a model, one question at a time; whether it was asked."""
        from convotui.conversations.models import NoModelError
        from convotui.conversations.replies import AskError

        if self._is_asking:
            return False
        self._is_asking = True
        waiting = self.set_timer(_LONG_SECONDS, lambda: self._refuse(_WAITING))
        try:
            asked = await asking
        except NoModelError as error:
            self.post_message(self.ModelMissing(str(error)))
            return False
        except (AskError, StorageError) as error:
            self._refuse(str(error))
            return False
        finally:
            waiting.stop()
            self._is_asking = False
        self.post_message(self.Began(asked))
        self._await(asked)
        return True

    @work(group="replies")
    async def _await(self, asked: Asked) -> None:
        problem = ""
        async for _ in asked.reply.changes():
            if asked.reply.problem != problem:
                problem = asked.reply.problem
                self._refuse(problem or "The reply is saved now.")
        self.post_message(self.Ended(asked.reply.message))

    def _refuse(self, reason: str) -> None:
        self.post_message(self.Refused(reason))
