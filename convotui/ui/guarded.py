"""An app that leaves nothing behind: no sequence, no secret, no broken terminal."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Sequence
from contextlib import suppress

from rich.console import RenderableType
from textual.app import App
from textual.events import Resize
from textual.filter import LineFilter
from textual.geometry import Size, clamp

from convotui.text import visible
from convotui.ui.guard import TextGuard
from convotui.ui.terminal import TerminalDriver

_GUARD = TextGuard()
_COLUMNS = (20, 1_600)
_ROWS = (5, 600)
"""Between which sizes anything is laid out; Textual cannot do with next to nothing."""
_SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT)


class GuardedApp(App[None]):
    """What holds for every screen, whatever is on it and however it ends."""

    def __init__(self) -> None:
        super().__init__(driver_class=TerminalDriver)
        self.crash: BaseException | None = None
        """What went wrong without anybody having thought of it."""

    def on_load(self) -> None:
        """Leave cleanly when told to end, from before anything is drawn."""
        for number in _SIGNALS:
            asyncio.get_running_loop().add_signal_handler(
                number, self.leave_now, 128 + number
            )

    def on_resize(self, event: Resize) -> None:
        """Take any size; of what is too small for its terminal a part is seen."""
        width, height = event.size
        event.size = Size(clamp(width, *_COLUMNS), clamp(height, *_ROWS))

    def leave_now(self, code: int) -> None:
        """Leave without a question."""
        self.exit(return_code=code)

    def save_what_is_left(self) -> None:
        """Take note of what is to outlive a crash."""

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Let nothing reach the terminal that could steer it."""
        return [*super().get_line_filters(), _GUARD]

    def copy_to_clipboard(self, text: str) -> None:
        """Copy what can be seen of a text; whoever pastes it gets no more."""
        super().copy_to_clipboard(visible(text))

    def panic(self, *renderables: RenderableType) -> None:
        """Crash without showing what would be shown, which may be anything."""
        self._handle_exception(RuntimeError("the screen panicked"))

    # Textual shows the local variables of a crash, which may be keys and messages, and
    # has no public way not to.

    def _handle_exception(self, error: Exception) -> None:
        if self._exit and self.crash is None:
            # All is saved; what is still being put up does not find the rest any more.
            self._close_messages_no_wait()
            return
        if self.crash is None:
            self.crash = error
            # Nobody knows what still works.
            with suppress(Exception):
                self.save_what_is_left()
        self._return_code = 1
        if self._exception is None:
            self._exception = error
            self._exception_event.set()
        self._close_messages_no_wait()
