"""What runs in the background: its order, its errors, and what it leaves behind."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import AsyncGenerator

import pytest

from convotui.llm.background import in_background


async def test_what_is_yielded_there_arrives_here_in_order() -> None:
    async def counting() -> AsyncGenerator[tuple[int, str], None]:
        for number in range(100):
            yield number, threading.current_thread().name

    arrived = [item async for item in in_background(counting)]

    assert [number for number, _ in arrived] == list(range(100))
    assert threading.current_thread().name not in {name for _, name in arrived}


async def test_an_error_there_comes_after_what_was_yielded() -> None:
    async def failing() -> AsyncGenerator[int, None]:
        yield 1
        raise LookupError("gone")

    items = in_background(failing)

    assert await anext(items) == 1
    with pytest.raises(LookupError, match="gone"):
        await anext(items)


async def test_closing_here_closes_there() -> None:
    closed = threading.Event()

    async def waiting() -> AsyncGenerator[int, None]:
        try:
            yield 1
            await asyncio.Event().wait()
        finally:
            closed.set()

    items = in_background(waiting)
    await anext(items)
    await items.aclose()

    assert await asyncio.to_thread(closed.wait, 30)


async def test_a_task_that_fails_unheeded_there_is_not_told_here(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def careless() -> AsyncGenerator[int, None]:
        async def fail() -> None:
            raise LookupError("unheeded")

        task = asyncio.create_task(fail())
        await asyncio.wait([task])
        del task
        gc.collect()
        yield 1

    assert [item async for item in in_background(careless)] == [1]
    assert "unheeded" not in caplog.text
