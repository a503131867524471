"""`convotui label`: name a branch."""

from __future__ import annotations

import click

from convotui.cli.arguments import MESSAGE_ID
from convotui.cli.context import Session, notice
from convotui.cli.options import pass_session
from convotui.conversations.labels import label_message
from convotui.text import visible_line


@click.command("label", short_help="Set, remove or print the label of a message.")
@click.argument("message_id", metavar="ID", type=MESSAGE_ID)
@click.argument("text", required=False)
@click.option("--force", is_flag=True, help="Also replace a subagent's label.")
@pass_session
def label_command(
    session: Session, message_id: str, text: str | None, force: bool
) -> None:
    """Label message ID with TEXT, remove its label with "", or print it."""
    with session.open_store() as store:
        found = store.resolve(message_id)
        if text is None:
            [message] = store.get([found])
            if message.title is None:
                notice(f"{found} has no label.")
            else:
                click.echo(visible_line(message.title))
            return
        change = label_message(store, found, text, force=force)
    if change is None:
        notice("Nothing changed.")
    elif change.after is None:
        notice(f"{found} has no label any more; 'convotui undo' brings it back.")
    else:
        notice(f"{found} is now {visible_line(change.after)!r}.")
