"""Make the pictures of the README from the real program: `python -m screenshots`."""

from __future__ import annotations

import asyncio
import tempfile
from dataclasses import dataclass
from pathlib import Path

from convotui.conversations.browsing import Conversations
from convotui.conversations.models import Models
from convotui.conversations.replies import Replies
from convotui.llm.routing import AnyClient
from convotui.settings import Settings
from convotui.storage import Store, utc_now
from convotui.ui.app import ConvotuiApp
from convotui.ui.opening import Opening
from convotui.ui.screens.browser import BrowserScreen
from convotui.ui.state import UiState
from screenshots.sample import SONNET, fill

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Picture:
    """A file, the terminal's size and theme, and the keys pressed before."""

    name: str
    keys: tuple[str, ...]
    size: tuple[int, int] = (120, 34)
    theme: str = "convotui-dark"


PICTURES = (
    Picture("browser", ("g", *"jjjjjjj")),
    Picture("light", ("g", "j", "j"), theme="convotui-light"),
    Picture("narrow", ("k", "k"), size=(80, 24)),
    Picture("search", ("slash", *"recursive")),
    Picture("delete", ("g", "j", "d")),
    Picture("help", ("question_mark",)),
)


async def take(picture: Picture) -> None:
    """Run the program on the sample and save what it shows."""
    with (
        tempfile.TemporaryDirectory() as directory,
        Store(Path(directory) / ".cpeconvo") as store,
    ):
        fill(store, utc_now())
        state = UiState(theme=picture.theme)
        models = Models(Settings(model=SONNET), {}, Path(directory))
        replies = Replies(lambda: store, models, AnyClient(Path(directory)))
        conversations = Conversations(store.path, lambda: store)
        browser = BrowserScreen(conversations, lambda: replies, state, Opening())
        app = ConvotuiApp(browser, {})
        async with app.run_test(size=picture.size) as pilot:
            await pilot.pause(0.5)
            for key in picture.keys:
                await pilot.press(key)
                await pilot.pause(0.15)
            await pilot.pause(0.5)
            svg = app.export_screenshot(title="convotui")
    (HERE / f"{picture.name}.svg").write_text(svg)


async def main() -> None:
    """Take every picture."""
    for picture in PICTURES:
        await take(picture)


if __name__ == "__main__":
    asyncio.run(main())
