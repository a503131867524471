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
    from convotui.ui.screens.browser import BrowserScreen


class ScreenError(CommandError):
    """A place where no screen can be; the text says what to do instead."""

    exit_code = 2


class CrashError(CommandError):
    """The screen has crashed."""

    def __init__(self, report: Path | None, *, has_unsent: bool) -> None:
        written = f"the report {report} holds nothing that you wrote" if report else ""
        kept = (
            "what you had not sent comes back at the next start" if has_unsent else ""
        )
        parts = "; ".join(filter(None, ("This is a bug in convotui", written, kept)))
        super().__init__(f"{parts}.")


def open_screen(
    session: Session,
    *,
    start: str | None = None,
    begin_new: bool = False,
    incognito: bool = False,
    model: str = "",
) -> None:
    """Run convotui on the whole terminal until the user leaves it."""
    refuse_where_it_cannot_work()
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

        code = run_screen(session, kept, open_replies, opening)
    if code:
        sys.exit(code)


def refuse_where_it_cannot_work() -> None:
    """Refuse to open a screen where there is no terminal that could show it.

    Raises:
        ScreenError: If so.
    """
    # One that was closed before we began is none.
    streams = (sys.stdin, sys.stdout, sys.stderr)
    if not all(stream is not None and stream.isatty() for stream in streams):
        raise ScreenError(
            "The screen needs a terminal; 'convotui list' works without one."
        )
    if os.environ.get("TERM", "") in ("", "dumb"):
        raise ScreenError(
            "This terminal cannot show a screen; 'convotui list' needs less."
        )


def run_screen(
    session: Session,
    conversations: Conversations,
    open_replies: Callable[[], Replies],
    opening: Opening,
    kind: type[BrowserScreen] | None = None,
) -> int:
    """Show a browser, or one of another kind; the exit code that the user asked for.

    Raises:
        StorageError: If there was nothing to show.
        CrashError: If it has crashed.
    """
    from platformdirs import user_state_path

    from convotui.ui.app import ConvotuiApp
    from convotui.ui.screens.browser import BrowserScreen
    from convotui.ui.state import StateFile

    directory = user_state_path("convotui")
    states = StateFile(directory, conversations.path)
    if not opening.incognito:
        opening = opening.with_unsent(states.unsent.load())
    screen = kind or BrowserScreen
    browser = screen(conversations, open_replies, states.load(), opening)
    app = ConvotuiApp(browser, session.settings.keymap)
    try:
        app.run()
    except Exception as error:  # noqa: BLE001 - told below, as every crash is
        app.crash = app.crash or error
    if browser.failure is not None:
        raise browser.failure
    if not opening.incognito:
        states.save(browser.state)
        states.unsent.save(browser.unsent)
    if app.crash is not None:
        from convotui.crashes import write_report

        report = write_report(app.crash, directory / "crashes")
        has_unsent = bool(browser.unsent.text) and not opening.incognito
        raise CrashError(report, has_unsent=has_unsent)
    return app.return_code or 0
