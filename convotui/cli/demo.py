"""`convotui demo`: a sample project to try everything on."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from convotui.cli.context import Session
from convotui.cli.options import pass_session
from convotui.cli.screen import refuse_where_it_cannot_work, run_screen

if TYPE_CHECKING:
    from convotui.conversations.replies import Replies


@click.command("demo", short_help="Try convotui on a sample project.")
@click.option("-m", "--model", default="", help="The model to ask.")
@pass_session
def demo_command(session: Session, model: str) -> None:
    """Open the screen on a sample project, with a tour of its keys.

    Fork, delete, ask: everything is in memory, and gone when you leave. The built-in
    model answers, if it is there; if there is none at all, you are offered it.
    """
    refuse_where_it_cannot_work()
    from convotui.conversations.browsing import Conversations
    from convotui.demo import fill
    from convotui.storage import Store, utc_now
    from convotui.ui.opening import Opening
    from convotui.ui.screens.touring import TourScreen

    with Store(None) as store:
        fill(store, utc_now())

        def open_replies() -> Replies:
            from convotui.cli.talking import models_of, replies_of

            return replies_of(lambda: store, models_of(session, model or _built_in()))

        code = run_screen(
            session,
            Conversations(Path("sample"), lambda: store, _refuse_to_keep),
            open_replies,
            Opening(ascii_only=session.is_ascii, incognito=True),
            TourScreen,
        )
    sys.exit(code)


def _built_in() -> str:
    """Return the name of the built-in model if it is ready."""
    from convotui.cli.talking import weights_path
    from convotui.llm import weights
    from convotui.llm.local import BUILT_IN, can_run

    return BUILT_IN if can_run() and weights.installed(weights_path()) else ""


def _refuse_to_keep() -> NoReturn:
    from convotui.conversations.keeping import KeepError

    raise KeepError("This is a demo, of which nothing is kept.")
