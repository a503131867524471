"""A browser on a store of its own, driven by keys and read line by line."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

from textual.pilot import Pilot
from textual.widgets import Footer
from textual.worker import Worker, WorkerCancelled

from convotui.conversations.browsing import Conversations
from convotui.conversations.models import Models
from convotui.conversations.replies import Replies
from convotui.llm.routing import AnyClient
from convotui.settings import Settings
from convotui.storage import Block, Draft, MessageId, ReplyFacts, Store, utc_now
from convotui.ui.app import ConvotuiApp
from convotui.ui.opening import Opening
from convotui.ui.screens.browser import BrowserScreen
from convotui.ui.state import UiState
from convotui.ui.thread import ThreadView
from convotui.ui.tree import MessageTree
from convotui.ui.widgets.prompt import Prompt
from convotui.ui.widgets.status_line import StatusLine

__all__ = ["Browser", "browse", "plant"]

PATIENCE = 20
"""How many seconds anything may take."""

FORKED = (
    ("root01", None, "user", "How do we store branches?"),
    ("reply1", "root01", "assistant", "With a parent column."),
    ("ask001", "reply1", "user", "Why not JSON?"),
    ("json01", "ask001", "assistant", "It is copied on every write."),
    ("ask002", "reply1", "user", "And deletes?"),
    ("del001", "ask002", "assistant", "In one transaction."),
    ("other1", None, "user", "Write a haiku"),
    ("haiku1", "other1", "assistant", "Frames upon frames rest"),
)
"""Two conversations, the first of which forks below its reply."""


def plant(store: Store, messages: tuple[tuple[str, str | None, Any, str], ...]) -> None:
    """Save messages under the ids they are given, a minute apart."""
    start = utc_now() - timedelta(days=3)
    store.save(
        [
            Draft(
                role,
                [Block(text)],
                parent=None if parent is None else MessageId(parent),
                id=MessageId(message_id),
                created_at=start + timedelta(minutes=number),
                facts=ReplyFacts(model="test/model", cost=0.01, input_tokens=10)
                if role == "assistant"
                else None,
            )
            for number, (message_id, parent, role, text) in enumerate(messages)
        ]
    )


class Browser:
    """What a user does with the screen and sees on it."""

    def __init__(self, pilot: Pilot[None], screen: BrowserScreen) -> None:
        self.pilot = pilot
        self.screen = screen
        self.app = pilot.app

    @property
    def tree(self) -> MessageTree:
        return self.screen.query_one(MessageTree)

    @property
    def thread(self) -> ThreadView:
        return self.screen.query_one(ThreadView)

    @property
    def prompt(self) -> Prompt:
        return self.screen.query_one(Prompt)

    @property
    def status(self) -> StatusLine:
        return self.screen.query_one(StatusLine)

    @property
    def selected(self) -> str | None:
        return self.tree.selected_id

    @property
    def footer(self) -> Footer:
        return self.screen.query_one(Footer)

    async def press(self, *keys: str) -> None:
        """Press keys one after the other, and wait for what each of them does."""
        for key in keys:
            await self.pilot.press(key)
            await self.settle()

    async def type(self, text: str) -> None:
        """Type a text into what has the focus."""
        await self.pilot.press(*(_KEYS.get(character, character) for character in text))
        await self.settle()

    async def settle(self) -> None:
        """Wait until nothing is under way but the watch over the file."""
        await self.pilot.pause()
        async with asyncio.timeout(PATIENCE):
            while busy := self._busy():
                with suppress(WorkerCancelled):
                    await self.app.workers.wait_for_complete(busy)
                await self.pilot.pause()
        await self.pilot.pause()

    def _busy(self) -> list[Worker[object]]:
        return [w for w in self.app.workers if w.group not in _ENDLESS]

    async def until_done(self) -> None:
        """Wait for what a key began, also where a question was answered."""
        async with asyncio.timeout(PATIENCE):
            while busy := [
                w for w in self.app.workers if w.group not in _ENDLESS - {"act", "ask"}
            ]:
                with suppress(WorkerCancelled):
                    await self.app.workers.wait_for_complete(busy)
                await self.pilot.pause()

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until something holds."""
        async with asyncio.timeout(PATIENCE):
            while not holds():
                await self.pilot.pause(0.02)

    def tree_lines(self) -> list[str]:
        """Return the lines of the tree that hold anything."""
        lines = [self.tree.render_line(y).text for y in range(self.tree.size.height)]
        return [line.rstrip() for line in lines if line.strip()]

    def thread_lines(self) -> list[str]:
        """Return the lines of the thread that hold anything."""
        view = self.thread
        lines = [view.render_line(y).text for y in range(view.size.height)]
        return [line.rstrip() for line in lines if line.strip()]

    def rows(self) -> list[str]:
        """Return the ids on show in the tree, from the top."""
        cursor = self.tree.cursor
        assert cursor is not None
        return [cursor.id_at(index) for index in range(cursor.count)]


_ENDLESS = {"watch", "act", "ask", "replies", "stream", "weigh", "leave"}
"""The workers that wait: for the file, an answer, a model, or a reader who stays."""

_KEYS = {" ": "space", "/": "slash", ".": "full_stop", "-": "minus", "_": "underscore"}


def replies_of(store: Store, settings: Settings) -> Replies:
    """Return replies by the models that the settings name, and no others."""
    nowhere = Path("/dev/null/nowhere")
    models = Models(settings, {"OLLAMA_HOST": "127.0.0.1:9"}, nowhere)
    return Replies(lambda: store, models, AnyClient(nowhere))


@asynccontextmanager
async def browse(
    store: Store,
    size: tuple[int, int] = (120, 40),
    state: UiState | None = None,
    keymap: Mapping[str, str] | None = None,
    settings: Settings | None = None,
    project: Store | None = None,
    **options: Any,
) -> AsyncIterator[Browser]:
    """Open the screen on a store and wait until the tree is there."""
    screen = BrowserScreen(
        Conversations(
            store.path, lambda: store, None if project is None else lambda: project
        ),
        lambda: replies_of(store, settings or Settings()),
        state or UiState(),
        Opening(**options),
    )
    app = ConvotuiApp(screen, keymap or {})
    async with app.run_test(size=size, notifications=True) as pilot:
        browser = Browser(pilot, screen)
        await browser.settle()
        yield browser
        if app.return_code is None:
            # What is still being read is let go as when a user leaves.
            app.exit()
