"""The built-in model on its way to this machine."""

from __future__ import annotations

import asyncio
import threading

from textual import work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import ProgressBar, Static

from convotui.conversations.models import InstallError, Models
from convotui.ui.screens.modal import Dialog


class FetchDialog(Dialog[str]):
    """Shows how far it has come; answers with what went wrong, or with nothing said."""

    DEFAULT_CSS = """
    FetchDialog ProgressBar { width: 100%; }
    FetchDialog Bar { width: 1fr; }
    """

    def __init__(self, models: Models) -> None:
        super().__init__()
        self._models = models
        self._cancelled = threading.Event()

    def compose(self) -> ComposeResult:
        """Lay out the bar."""
        with Vertical():
            yield Static(Content("Fetching the built-in model"), classes="title")
            yield ProgressBar(show_eta=False)
            yield Static(Content("escape stops it"), classes="hint")

    def on_mount(self) -> None:
        """Begin."""
        self.fetch()

    @work
    async def fetch(self) -> None:
        """Fetch the model, and close when it is there or will not come."""
        loop = asyncio.get_running_loop()

        def progress(done: int, total: int | None) -> None:
            loop.call_soon_threadsafe(self._show, done, total)

        try:
            await asyncio.to_thread(
                self._models.install, progress, self._cancelled.is_set
            )
        except InstallError as error:
            self.dismiss(str(error))
        else:
            self.dismiss("")

    def on_unmount(self) -> None:
        """Stop what nobody waits for any more."""
        self._cancelled.set()

    def _show(self, done: int, total: int | None) -> None:
        if self.is_attached:
            self.query_one(ProgressBar).update(total=total, progress=done)
