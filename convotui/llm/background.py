"""A thread with its own event loop, for a library that would hold up the screen's.

Loading litellm and starting a reply take hundreds of milliseconds at a stretch, and it
keeps connections and tasks of its own in the loop that it first ran in.
"""

from __future__ import annotations

import asyncio
import atexit
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress
from functools import cache
from typing import TypeVar

T = TypeVar("T")

_END_SECONDS = 10.0


async def in_background(
    start: Callable[[], AsyncGenerator[T, None]],
) -> AsyncGenerator[T, None]:
    """Yield what a generator yields that runs in the background.

    Closing this one closes that one at once, without waiting for it.
    """
    here = asyncio.get_running_loop()
    arrived: asyncio.Queue[list[T]] = asyncio.Queue()

    def hand_over(items: list[T]) -> None:
        # The loop is closed when nobody listens any more.
        with suppress(RuntimeError):
            here.call_soon_threadsafe(arrived.put_nowait, items)

    async def run() -> None:
        try:
            async with aclosing(start()) as items:
                async for item in items:
                    hand_over([item])
        finally:
            hand_over([])

    running = asyncio.run_coroutine_threadsafe(run(), _loop())
    try:
        while items := await arrived.get():
            for item in items:
                yield item
        await asyncio.wrap_future(running)
    finally:
        running.cancel()


@cache
def _loop() -> asyncio.AbstractEventLoop:
    """Return the loop, running; it ends with the process."""
    loop = asyncio.new_event_loop()
    # What a library leaves unheeded in its own tasks is not to be shown to anybody.
    loop.set_exception_handler(lambda _loop, _context: None)
    thread = threading.Thread(target=loop.run_forever, name="models", daemon=True)
    thread.start()
    atexit.register(_end, loop, thread)
    return loop


def _end(loop: asyncio.AbstractEventLoop, thread: threading.Thread) -> None:
    """Let the thread come to a rest before Python ends.

    Were it stopped in the middle of an import, Python would wait for it for ever.
    """
    loop.call_soon_threadsafe(loop.stop)
    thread.join(_END_SECONDS)
