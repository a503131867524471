"""A reply on its way to the disk."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from convotui.conversations.reply import Reply
from convotui.storage import MessageNotFoundError, ReplyFacts, StorageError

if TYPE_CHECKING:
    from convotui.storage import Store

_SAVE_SECONDS = 1.0
_BEAT_SECONDS = 5.0


class Saver:
    """Saves one reply, while it arrives and at its end."""

    def __init__(
        self,
        reply: Reply,
        open_store: Callable[[], Store],
        is_leaving: Callable[[], bool],
    ) -> None:
        self._reply = reply
        self._open_store = open_store
        self._is_leaving = is_leaving

    async def go_on(self) -> None:
        """Save what is new about once a second, and show that the reply is alive."""
        saved, silent = 0, 0.0
        while True:
            await asyncio.sleep(_SAVE_SECONDS)
            version, silent = self._reply.version, silent + _SAVE_SECONDS
            with suppress(MessageNotFoundError):
                try:
                    if version != saved:
                        # Not interrupted half-way: the last save comes after this one.
                        await to_the_end(self._save())
                        saved, silent = version, 0.0
                    elif silent >= _BEAT_SECONDS:
                        await asyncio.to_thread(self._beat)
                        silent = 0.0
                    self._reply.tell_problem("")
                except StorageError as error:
                    self._reply.tell_problem(str(error))

    async def finish(self) -> None:
        """Save the end of a reply, however long it takes the disk to let it.

        Only when the program is left, one more attempt is enough.
        """
        while True:
            try:
                await self._save()
            except MessageNotFoundError:
                # Somebody has destroyed it for good while it was written.
                return
            except StorageError as error:
                self._reply.tell_problem(str(error))
                if self._is_leaving():
                    return
                await asyncio.sleep(_SAVE_SECONDS)
            else:
                self._reply.tell_problem("")
                return

    async def _save(self) -> None:
        message = self._reply.message
        facts = message.facts or ReplyFacts()
        store = self._open_store()
        await asyncio.to_thread(store.grow, message.id, message.blocks, facts)

    def _beat(self) -> None:
        self._open_store().beat([self._reply.message.id])


async def to_the_end(work: Coroutine[Any, Any, None]) -> None:
    """Wait until something is done, also when asked to stop, and only then stop."""
    task = asyncio.ensure_future(work)
    is_cancelled = False
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError:
            is_cancelled = True
    failure = task.exception()
    if is_cancelled:
        raise asyncio.CancelledError
    if failure is not None:
        raise failure
