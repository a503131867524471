"""A reply as a shell sees it: printed as it comes, kept however it ends."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
import threading
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any

from convotui.conversations.replies import Asked, Replies
from convotui.storage.records import storable
from convotui.text import visible

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_HALF = re.compile("[\r\ud800-\udbff]")
"""What may be the first half of something, of which the other half is to come."""


@dataclass(frozen=True, slots=True)
class Received:
    """A reply that is over, and what happened beside it."""

    asked: Asked
    signal: int | None
    """Which signal stopped it, if one did."""
    output_error: OSError | None
    """Why it could not be printed, if it could not."""


class Printer:
    """Prints a reply that grows; whoever reads it slowly holds up nobody.

    A terminal is shown what could steer it, anything else gets the text as it is. When
    nobody reads any more, nothing more is printed, and that is no error.
    """

    def __init__(self, descriptor: int, encoding: str) -> None:
        self._descriptor = descriptor
        self._encoding = encoding
        self._is_terminal = os.isatty(descriptor)
        self._printed = 0
        self._last = "\n"
        self._waiting: SimpleQueue[bytes] = SimpleQueue()
        self._done = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self.error: OSError | None = None
        # It must not keep the program from ending while somebody does not read.
        threading.Thread(target=self._write_all, daemon=True).start()

    @property
    def is_read(self) -> bool:
        """Whether somebody still takes what is printed."""
        return not isinstance(self.error, BrokenPipeError)

    def show(self, text: str) -> None:
        """Print what is new in a text that only grows at its end."""
        end = len(text) - bool(_HALF.match(text[-1:]))
        self._print(text[self._printed : end])
        self._printed = max(self._printed, end)

    async def finish(self, text: str) -> None:
        """Print the rest of a text and end its line; return when that is done."""
        self._print(text[self._printed :])
        if self._last != "\n":
            self._print("\n")
        self._waiting.put(b"")
        await self._done.wait()

    def _print(self, text: str) -> None:
        if text:
            text = storable(text)
            if self._is_terminal:
                text = visible(text)
            self._last = text[-1]
            self._waiting.put(text.encode(self._encoding, errors="replace"))

    def _write_all(self) -> None:
        try:
            while data := self._waiting.get():
                while data:
                    data = data[os.write(self._descriptor, data) :]
        except OSError as error:
            self.error = error
        # The loop is closed when the program was stopped and nobody waits any more.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._done.set)


def receive(
    replies: Replies, begin: Coroutine[Any, Any, Asked], *, show: bool, is_kept: bool
) -> Received:
    """Wait for a reply to its end and print it meanwhile, if it is to be shown.

    A signal stops it, and what arrived is kept. A reply that is kept comes whole also
    when nobody reads on.
    """
    return asyncio.run(_receive(replies, begin, show, is_kept))


async def _receive(
    replies: Replies, begin: Coroutine[Any, Any, Asked], show: bool, is_kept: bool
) -> Received:
    stopped = _first_signal()
    asked = await begin
    printer = Printer(sys.stdout.fileno(), sys.stdout.encoding) if show else None
    watching = asyncio.create_task(_watch(replies, asked, printer, is_kept))
    await _either(watching, stopped)
    if stopped.done():
        await replies.stop_all()
    await watching
    if printer is not None:
        # Whoever stopped it does not want to wait for a reader either.
        finishing = asyncio.create_task(printer.finish(asked.reply.text))
        await _either(finishing, stopped)
    return Received(
        asked,
        stopped.result() if stopped.done() else None,
        printer.error if printer is not None else None,
    )


async def _watch(
    replies: Replies, asked: Asked, printer: Printer | None, is_kept: bool
) -> None:
    reply = asked.reply
    async for _ in reply.changes():
        if printer is not None:
            printer.show(reply.text)
            if not printer.is_read and not is_kept:
                replies.stop(reply.message.id)
        facts = reply.message.facts if reply.problem else None
        if facts is not None and facts.state != "streaming":
            # Nobody would see that saving it is tried again and again.
            await replies.stop_all()


async def _either(*futures: asyncio.Future[Any]) -> None:
    await asyncio.wait(futures, return_when=asyncio.FIRST_COMPLETED)


def _first_signal() -> asyncio.Future[int]:
    """Return what will be the first signal; those that are ignored stay ignored."""
    loop = asyncio.get_running_loop()
    first: asyncio.Future[int] = loop.create_future()

    def note(number: int) -> None:
        if not first.done():
            first.set_result(number)

    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            loop.add_signal_handler(number, note, number)
    return first
