"""Asking models: a prompt is kept before anybody is asked, and a reply as it comes.

A reply belongs to the message it was asked from, wherever the reader is by then.
Several may run at once. However one ends, what arrived of it is in the store.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from convotui.conversations.models import ChosenModel, Models, NoModelError
from convotui.conversations.reply import Reply
from convotui.conversations.saving import Saver, to_the_end
from convotui.conversations.turns import turns_of
from convotui.conversations.window import Fitted, fit
from convotui.llm import ChatClient, Endpoint, ModelError, Text, Turn
from convotui.storage import (
    Block,
    ChatMessage,
    Draft,
    MessageId,
    ReplyFacts,
    ReplyState,
)

if TYPE_CHECKING:
    from convotui.storage import Store

_GO_ON = (
    "Your reply above was cut off. Go on exactly where it stops, without repeating "
    "anything and without a word about it."
)

_MOST_CHARACTERS = 10_000_000
_ENDLESS = (
    "The reply was stopped after ten million characters; it seemed to have no end."
)


class AskError(Exception):
    """Something that cannot be asked; the text says why."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A reply under way, and what was sent for it."""

    reply: Reply
    model: ChosenModel
    fitted: Fitted
    prompt_id: MessageId


class Replies:
    """All replies that this process is waiting for."""

    def __init__(
        self,
        open_store: Callable[[], Store],
        models: Models,
        client: ChatClient,
        warm_up: Callable[[Endpoint], None] = lambda _: None,
    ) -> None:
        self._open_store = open_store
        self.models = models
        self._client = client
        self._warm_up = warm_up
        self._running: dict[MessageId, tuple[Reply, asyncio.Task[None]]] = {}
        self._is_leaving = False

    @property
    def running(self) -> dict[MessageId, Reply]:
        """The replies that are still to come, by their ids."""
        return {message_id: reply for message_id, (reply, _) in self._running.items()}

    async def ask(
        self,
        parent: MessageId | None,
        blocks: Sequence[Block],
        title: str | None = None,
    ) -> Asked:
        """Save what the user says and have a model reply to it.

        Raises:
            NoModelError: If there is none; then nothing is saved.
            StorageError: If it cannot be saved; then nobody is asked.
        """

        def prepare() -> tuple[ChosenModel, Fitted, ChatMessage]:
            store = self._open_store()
            thread = store.thread(parent) if parent else []
            model = self.models.choose(thread)
            facts = ReplyFacts(model=model.endpoint.model, state="streaming")
            ids = store.save(
                [
                    Draft("user", blocks, parent=parent, title=title),
                    Draft("assistant", [], parent=0, facts=facts),
                ]
            )
            prompt, reply = store.get(ids)
            return model, fitted([*thread, prompt], model), reply

        model, sent, reply = await asyncio.to_thread(prepare)
        return self._begin(model, sent, reply)

    async def answer(self, prompt_id: MessageId) -> Asked:
        """Have a model reply to a message that is there, whatever has replied to it.

        Raises:
            NoModelError: If there is none.
            StorageError: If the reply could not be saved; then nobody is asked.
        """

        def prepare() -> tuple[ChosenModel, Fitted, ChatMessage]:
            store = self._open_store()
            thread = store.thread(prompt_id)
            model = self.models.choose(thread)
            facts = ReplyFacts(model=model.endpoint.model, state="streaming")
            ids = store.save([Draft("assistant", [], parent=prompt_id, facts=facts)])
            return model, fitted(thread, model), store.get(ids)[0]

        model, sent, reply = await asyncio.to_thread(prepare)
        return self._begin(model, sent, reply)

    async def regenerate(self, message_id: MessageId) -> Asked:
        """Have a model reply once more, beside the reply that is there.

        Raises:
            AskError: If there is nothing to reply to.
        """
        message = await asyncio.to_thread(lambda: self._open_store().get([message_id]))
        if message[0].role != "assistant":
            return await self.answer(message_id)
        if message[0].parent_id is None:
            raise AskError("This reply has no message to reply to.")
        return await self.answer(message[0].parent_id)

    async def resume(self, reply_id: MessageId) -> Asked:
        """Have a reply that was cut off go on where it stopped.

        Raises:
            AskError: If it is whole, or still running.
        """
        if reply_id in self._running:
            raise AskError("This reply is still being written; esc stops it.")

        def prepare() -> tuple[ChosenModel, Fitted, ChatMessage]:
            store = self._open_store()
            thread = store.thread(reply_id)
            reply = thread[-1]
            state = reply.facts.state if reply.facts else "complete"
            if reply.role != "assistant" or state not in ("interrupted", "failed"):
                raise AskError("Only a reply that was cut off can go on.")
            if reply.parent_id is None:
                raise AskError("This reply has no message to reply to.")
            model = self.models.choose(thread)
            facts = replace(
                reply.facts or ReplyFacts(),
                model=model.endpoint.model,
                state="streaming",
                error=None,
            )
            reply = replace(reply, facts=facts)
            store.grow(reply_id, reply.blocks, facts)
            if not reply.blocks:
                return model, fitted(thread[:-1], model), reply
            return model, fitted(thread, model, _GO_ON), reply

        model, sent, reply = await asyncio.to_thread(prepare)
        return self._begin(model, sent, reply)

    async def preview(
        self, thread: Sequence[ChatMessage]
    ) -> tuple[ChosenModel, Fitted]:
        """Return who would be asked after a thread, and what would be sent.

        Raises:
            NoModelError: If there is nobody.
        """

        def prepare() -> tuple[ChosenModel, Fitted]:
            model = self.models.choose(thread, looks_around=False)
            return model, fitted(thread, model)

        return await asyncio.to_thread(prepare)

    def warm_up(self) -> None:
        """Get ready to ask, which blocks for seconds."""
        with suppress(NoModelError, ModelError):
            self._warm_up(self.models.choose(looks_around=False).endpoint)

    def stop(self, reply_id: MessageId) -> bool:
        """Stop a reply; whether it was running. What arrived is kept."""
        running = self._running.get(reply_id)
        if running is not None:
            # One that is cancelled before its first step never gets to its end.
            asyncio.get_running_loop().call_soon(running[1].cancel)
        return running is not None

    async def stop_all(self) -> None:
        """Stop every reply and wait until what arrived is saved."""
        self._is_leaving = True
        tasks = [task for _, task in self._running.values()]
        for reply_id in self._running:
            self.stop(reply_id)
        await asyncio.gather(*tasks, return_exceptions=True)

    def _begin(self, model: ChosenModel, sent: Fitted, message: ChatMessage) -> Asked:
        reply = Reply(message, model.provider)
        task = asyncio.create_task(self._run(reply, message.id, model, sent))
        self._running[message.id] = (reply, task)
        assert message.parent_id is not None
        return Asked(reply, model, sent, message.parent_id)

    async def _run(
        self, reply: Reply, reply_id: MessageId, model: ChosenModel, sent: Fitted
    ) -> None:
        saver = Saver(reply, self._open_store, lambda: self._is_leaving)
        saving = asyncio.create_task(saver.go_on())
        state: ReplyState = "interrupted"
        error = None
        try:
            pieces = self._client.reply(model.endpoint, sent.request)
            async with aclosing(pieces):
                async for piece in pieces:
                    reply.take(piece)
                    if reply.size > _MOST_CHARACTERS:
                        raise ModelError(_ENDLESS, "other")
            state = "complete"
        except ModelError as failure:
            state, error = "failed", str(failure)
        except asyncio.CancelledError:
            state = "interrupted"
        finally:
            saving.cancel()
            with suppress(asyncio.CancelledError):
                await asyncio.wait([saving])
            reply.end(state, error)
            try:
                # A second request to stop must not keep the reply from being saved.
                with suppress(asyncio.CancelledError):
                    await to_the_end(saver.finish())
            finally:
                del self._running[reply_id]
                reply.close()


def fitted(thread: Sequence[ChatMessage], model: ChosenModel, last: str = "") -> Fitted:
    """Return what of a thread is sent to a model, and a last word from the user."""
    turns = turns_of(thread, model.provider)
    if last:
        turns.append(Turn("user", [Text(last)]))
    return fit(turns, model.system, model.window, model.endpoint.max_tokens)
