"""The screen, as the command line opens it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from convotui.cli.context import CommandError, Session
from convotui.conversations.browsing import Conversations
from convotui.ui.opening import Opening

if TYPE_CHECKING:
    from convotui.conversations.replies import Replies
    from convotui.storage import Store


class ScreenError(CommandError):
    """A place where no screen can be; the text says what to do instead."""

    exit_code = 2


def open_screen(
    session: Session,
    *,
    start: str | None = None,
    begin_new: bool = False,
    incognito: bool = False,
    model: str = "",
) -> None:
    """Run convotui on the whole terminal until the user leaves it."""
    _refuse_where_it_cannot_work()
    with ExitStack() as stack:

        @cache
        def open_project() -> Store:
            return stack.enter_context(session.open_store())

        @cache
        def open_memory() -> Store:
            from convotui.storage import Store

            return stack.enter_context(Store(None))

        open_store = open_memory if incognito else open_project

        opening = Opening(
            start=open_store().resolve(start) if start else None,
            begin_new=begin_new,
            ascii_only=session.is_ascii,
            incognito=incognito,
        )
        kept = Conversations(
            Path("in memory") if incognito else session.store_path,
            open_store,
            open_project if incognito else None,
        )

        def open_replies() -> Replies:
            from convotui.cli.talking import models_of, replies_of

            return replies_of(open_store, models_of(session, model))

        code = _run(session, kept, open_replies, opening)
    if code:
        sys.exit(code)


def _refuse_where_it_cannot_work() -> None:
    if not (sys.stdin.isatty() and sys.stdout.isatty() and sys.stderr.isatty()):
        raise ScreenError(
            "The screen needs a terminal; 'convotui list' works without one."
        )
    if os.environ.get("TERM", "") in ("", "dumb"):
        raise ScreenError(
            "This terminal cannot show a screen; 'convotui list' needs less."
        )


def _run(
    session: Session,
    conversations: Conversations,
    open_replies: Callable[[], Replies],
    opening: Opening,
) -> int:
    from platformdirs import user_state_path

    from convotui.ui.app import ConvotuiApp
    from convotui.ui.screens.browser import BrowserScreen
    from convotui.ui.state import StateFile

    states = StateFile(user_state_path("convotui"), session.store_path)
    browser = BrowserScreen(conversations, open_replies, states.load(), opening)
    app = ConvotuiApp(browser, session.settings.keymap)
    app.run()
    if browser.failure is not None:
        raise browser.failure
    if not opening.incognito:
        states.save(browser.state)
    return app.return_code or 0
