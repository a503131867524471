"""The screen, as the command line opens it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import click

from convotui.cli.context import Session
from convotui.ui.opening import Opening

if TYPE_CHECKING:
    from convotui.storage import Store


def open_screen(
    session: Session, *, start: str | None, begin_new: bool, incognito: bool
) -> None:
    """Run convotui on the whole terminal until the user leaves it."""
    _refuse_where_it_cannot_work()
    with ExitStack() as stack:

        @cache
        def open_store() -> Store:
            from convotui.storage import Store

            opened = Store(None) if incognito else session.open_store()
            return stack.enter_context(opened)

        opening = Opening(
            start=open_store().resolve(start) if start else None,
            begin_new=begin_new,
            ascii_only=session.is_ascii,
            incognito=incognito,
        )
        code = _run(session, open_store, opening)
    if code:
        sys.exit(code)


def _refuse_where_it_cannot_work() -> None:
    if not (sys.stdin.isatty() and sys.stdout.isatty() and sys.stderr.isatty()):
        raise click.UsageError(
            "The screen needs a terminal; 'convotui list' works without one."
        )
    if os.environ.get("TERM", "") in ("", "dumb"):
        raise click.UsageError(
            "This terminal cannot show a screen; 'convotui list' needs less."
        )


def _run(session: Session, open_store: Callable[[], Store], opening: Opening) -> int:
    from platformdirs import user_state_path

    from convotui.conversations.browsing import Conversations
    from convotui.ui.app import ConvotuiApp
    from convotui.ui.screens.browser import BrowserScreen
    from convotui.ui.state import StateFile

    states = StateFile(user_state_path("convotui"), session.store_path)
    path = Path(":memory:") if opening.incognito else session.store_path
    conversations = Conversations(path, open_store)
    browser = BrowserScreen(conversations, states.load(), opening)
    app = ConvotuiApp(browser, session.settings.keymap)
    app.run()
    if browser.failure is not None:
        raise browser.failure
    if not opening.incognito:
        states.save(browser.state)
    return app.return_code or 0
