"""A screen that does things and says what came of them."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TypeVar

from textual import getters, work
from textual.notifications import SeverityLevel
from textual.screen import Screen

from convotui.conversations.files import ExportError
from convotui.storage import FileError, StorageError
from convotui.text import visible_line
from convotui.ui.widgets.status_line import StatusLine

T = TypeVar("T")


class ActingScreen(Screen[None]):
    """Runs one act at a time and tells its result or why there is none."""

    status = getters.query_one(StatusLine)

    async def attempt(self, flow: Awaitable[T]) -> T | None:
        """Await something, and say so if it fails."""
        try:
            return await flow
        except (FileError, ExportError) as error:
            self.tell(str(error), "error")
        except StorageError as error:
            self.status.notice = str(error)
        return None

    @work(exclusive=True, group="act")
    async def do(self, flow: Awaitable[str | None]) -> None:
        """Await a flow and say what came of it."""
        if (told := await self.attempt(flow)) is not None:
            self.tell(told)

    def tell(self, message: str, severity: SeverityLevel = "information") -> None:
        """Say something that goes away by itself."""
        if severity == "information":
            # Whoever goes on has read what was said before.
            self.app.clear_notifications()
        self.notify(visible_line(message), severity=severity, markup=False)
