"""The application: themes, keys and the first screen, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar, cast

from textual.app import SystemCommand
from textual.binding import Binding, BindingType
from textual.screen import Screen

from convotui.ui.guarded import GuardedApp
from convotui.ui.keys import commands_of
from convotui.ui.screens.browser import BrowserScreen
from convotui.ui.themes import DARK, LIGHT, fitting_theme


class ConvotuiApp(GuardedApp):
    """convotui on the whole screen of a terminal."""

    TITLE = "convotui"
    CSS_PATH = "convotui.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q", "quit", "Quit", id="app.quit"),
        Binding("ctrl+q", "quit", "Quit", show=False, id="app.quit_anywhere"),
        Binding("ctrl+z", "suspend_process", "Suspend", False, id="app.suspend"),
    ]

    def __init__(self, browser: BrowserScreen, keymap: Mapping[str, str]) -> None:
        super().__init__()
        self._browser = browser
        self._keys = dict(keymap)
        for own in (DARK, LIGHT):
            self.register_theme(own)
        theme = fitting_theme(browser.state.theme, self.console.color_system)
        self.theme = theme if theme in self.available_themes else DARK.name

    def get_default_screen(self) -> Screen[object]:
        """Open with the browser."""
        return cast(Screen[object], self._browser)

    def on_mount(self) -> None:
        """Take the user's keys."""
        self.set_keymap(self._keys)
        # What was drawn before a stop by ctrl+z is no longer there.
        self.app_resume_signal.subscribe(self, lambda _: self.refresh(layout=True))
        if self._keys:
            self.call_after_refresh(self._tell_problems)

    def _tell_problems(self) -> None:
        from convotui.ui.keymap import problems

        for problem in problems(self._keys, self.BINDINGS):
            self.notify(problem, severity="warning", markup=False)

    async def action_quit(self) -> None:
        """Leave, if that is what the user wants."""
        self._browser.leave()

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """Offer every key's action in the command palette."""
        yield from commands_of(screen)
        yield from super().get_system_commands(screen)

    def leave_now(self, code: int) -> None:
        """Leave without a question; what has arrived is saved."""
        self.run_worker(self._browser.end(code))

    def save_what_is_left(self) -> None:
        """Take note of what was not sent."""
        self._browser.remember()
