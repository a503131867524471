"""The real program on the sample, ready to be photographed."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from textual.pilot import Pilot

from convotui.conversations.browsing import Conversations
from convotui.conversations.models import Models
from convotui.conversations.replies import Replies
from convotui.demo import SONNET, fill
from convotui.llm import ChatClient
from convotui.llm.routing import AnyClient
from convotui.settings import Settings
from convotui.storage import Store, utc_now
from convotui.ui.app import ConvotuiApp
from convotui.ui.opening import Opening
from convotui.ui.screens.browser import BrowserScreen
from convotui.ui.state import UiState


@asynccontextmanager
async def scene(
    size: tuple[int, int], theme: str, client: ChatClient | None = None
) -> AsyncIterator[tuple[Pilot[None], Replies]]:
    """Run the program on the sample, with a client that answers if there is one."""
    with (
        tempfile.TemporaryDirectory() as directory,
        Store(Path(directory) / ".cpeconvo") as store,
    ):
        fill(store, utc_now())
        models = Models(Settings(model=SONNET), {}, Path(directory))
        replies = Replies(lambda: store, models, client or AnyClient(Path(directory)))
        conversations = Conversations(store.path, lambda: store)
        state = UiState(theme=theme)
        browser = BrowserScreen(conversations, lambda: replies, state, Opening())
        async with ConvotuiApp(browser, {}).run_test(size=size) as pilot:
            await pilot.pause(0.5)
            yield pilot, replies
