"""`convotui export`: a thread, a subtree or everything, for people and programs."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from convotui.cli.arguments import MESSAGE_ID
from convotui.cli.context import Session, notice
from convotui.cli.format import write
from convotui.cli.options import pass_session
from convotui.conversations.exporting import (
    EXPORT_KINDS,
    ExportKind,
    every_message,
    export_pieces,
)
from convotui.conversations.files import ExportError, write_file
from convotui.storage import ChatMessage
from convotui.text import visible


@click.command("export")
@click.argument("message_id", metavar="[ID]", type=MESSAGE_ID, required=False)
@click.option(
    "--format",
    "kind",
    type=click.Choice(EXPORT_KINDS),
    help="Default: by the name of the file, else md.",
)
@click.option("--subtree", is_flag=True, help="ID and all below, not the way to it.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="The file to write. Default: standard output.",
)
@click.option("--force", is_flag=True, help="Overwrite the file if it exists.")
@pass_session
def export_command(
    session: Session,
    message_id: str | None,
    kind: ExportKind | None,
    subtree: bool,
    output: Path | None,
    force: bool,
) -> None:
    """Export the thread from its first message to ID. Without ID, everything."""
    if subtree and message_id is None:
        raise click.UsageError("--subtree needs the ID of the message it begins with.")
    with session.open_store() as store:
        messages: Iterable[ChatMessage] = every_message(store)
        if message_id is not None:
            found = store.resolve(message_id)
            messages = store.subtree(found) if subtree else store.thread(found)
        title = f"Conversations of {session.store_path.parent.name}"
        kind = kind or _kind_of(output)
        pieces = export_pieces(messages, kind, title)
        if output is None:
            # A terminal, which may also be behind a pipe, would obey what messages
            # hold. JSON has words of its own for such characters.
            write(pieces if kind == "json" else map(visible, pieces))
        else:
            _refuse_store(output, session.store_path)
            write_file(output, pieces, overwrite=force)
            notice(f"Wrote {output}.")


def _refuse_store(output: Path, store: Path) -> None:
    for ending in ("", "-wal", "-shm", "-journal"):
        if output.resolve() == store.with_name(store.name + ending):
            raise ExportError(f"{output} holds the conversations; name another file.")


def _kind_of(output: Path | None) -> ExportKind:
    endings: dict[str, ExportKind] = {".html": "html", ".htm": "html", ".json": "json"}
    return endings.get(output.suffix.lower(), "md") if output else "md"
