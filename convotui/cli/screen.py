"""The screen, as the command line opens it."""

from __future__ import annotations

import os
import sys

import click

from convotui.cli.context import Session
from convotui.storage import Store
from convotui.ui.opening import Opening


def open_screen(
    session: Session, *, start: str | None, begin_new: bool, incognito: bool
) -> None:
    """Run convotui on the whole terminal until the user leaves it."""
    _refuse_where_it_cannot_work()
    with Store(None) if incognito else session.open_store() as store:
        # A file that cannot be used is told in a line, before there is a screen.
        opening = Opening(
            start=store.resolve(start) if start else None,
            begin_new=begin_new,
            ascii_only=session.is_ascii,
            incognito=incognito,
            read_only=store.shape().foreign_because is not None,
        )
        code = _run(session, store, opening)
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


def _run(session: Session, store: Store, opening: Opening) -> int:
    from platformdirs import user_state_path

    from convotui.conversations.browsing import Conversations
    from convotui.ui.app import ConvotuiApp
    from convotui.ui.screens.browser import BrowserScreen
    from convotui.ui.state import StateFile

    states = StateFile(user_state_path("convotui"), session.store_path)
    browser = BrowserScreen(
        Conversations(store),
        states.load(),
        opening,
    )
    app = ConvotuiApp(browser, session.settings.keymap)
    app.run()
    if not opening.incognito:
        states.save(browser.state)
    return app.return_code or 0
