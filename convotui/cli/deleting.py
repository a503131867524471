"""`convotui delete`, `undo` and `redo`."""

from __future__ import annotations

import click

from convotui.cli.arguments import MESSAGE_ID
from convotui.cli.context import Session, notice
from convotui.cli.format import messages, told_deleted
from convotui.cli.options import pass_session
from convotui.storage import Change, MessageId, MessageNotFoundError, Store
from convotui.text import visible_line


@click.command("delete")
@click.argument("ids", metavar="ID...", nargs=-1, required=True, type=MESSAGE_ID)
@click.option("--cascade", is_flag=True, help="Also delete everything below.")
@pass_session
def delete_command(session: Session, ids: tuple[str, ...], cascade: bool) -> None:
    """Move messages to the trash, all or none.

    Without --cascade a message that has replies is not deleted.
    """
    with session.open_store() as store:
        known = _known(store, ids)
        change = store.delete(known, recursive=cascade) if known else None
    if change is not None:
        notice(told_deleted(change))


@click.command("undo")
@pass_session
def undo_command(session: Session) -> None:
    """Undo the last delete or label, also one of another day."""
    with session.open_store() as store:
        change = store.undo()
    notice(f"Undone: {_told(change)}.")


@click.command("redo")
@pass_session
def redo_command(session: Session) -> None:
    """Do again what was undone last."""
    with session.open_store() as store:
        change = store.redo()
    notice(f"Done again: {_told(change)}.")


def _known(store: Store, ids: tuple[str, ...]) -> list[MessageId]:
    """Return the ids that exist; the others need no deleting and are only named."""
    known = []
    for message_id in ids:
        try:
            known.append(store.resolve(message_id))
        except MessageNotFoundError:
            notice(f"There is no message {visible_line(message_id)!r}.")
    return known


def _told(change: Change) -> str:
    if change.kind == "delete":
        return f"the delete of {messages(change.message_count)}"
    if change.after is None:
        return f"the removal of the label {change.before!r} of {change.message_ids[0]}"
    return f"the label {change.after!r} of {change.message_ids[0]}"
