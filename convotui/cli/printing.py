"""`convotui print`: one thread to read."""

from __future__ import annotations

import gc

import click

from convotui.cli.arguments import MESSAGE_ID
from convotui.cli.context import Session
from convotui.cli.format import write
from convotui.cli.options import json_option, pass_session
from convotui.conversations.times import to_local
from convotui.export import document
from convotui.export.markdown import markdown


@click.command("print")
@click.argument("message_id", metavar="[ID]", type=MESSAGE_ID, required=False)
@json_option
@pass_session
def print_command(session: Session, message_id: str | None, as_json: bool) -> None:
    """Print the thread from its first message to ID, as Markdown.

    Without ID, the thread of the newest reply.
    """
    # A thread holds nothing in a circle, and may be long.
    gc.disable()
    with session.open_store() as store:
        found = store.newest_reply() if message_id is None else None
        if message_id is None and found is None:
            raise click.ClickException("There is no conversation to print.")
        thread = store.thread(found or store.resolve(message_id or ""))
    if as_json:
        write(document.dumps(thread))
    else:
        write(markdown(thread, local=to_local, safe=True))
