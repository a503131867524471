"""`convotui export`: a thread, a subtree or everything, for people and programs."""

from __future__ import annotations

from pathlib import Path

import click

from convotui.cli.arguments import MESSAGE_ID
from convotui.cli.context import Session, notice
from convotui.cli.format import write
from convotui.cli.options import pass_session
from convotui.conversations.exporting import (
    EXPORT_KINDS,
    TEXT_KINDS,
    THREAD_KINDS,
    Export,
    ExportKind,
    kind_of,
)
from convotui.conversations.files import ExportError, write_file
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
    """Export the thread from its first message to ID. Without ID, everything.

    json and jsonl lose nothing; jsonl is for git. openai, bedrock (Converse) and q
    (for /load of Amazon Q) hold one thread, and tell what they have no place for.
    """
    kind = kind or (kind_of(output) if output else "md")
    if kind in THREAD_KINDS and (subtree or message_id is None):
        raise click.UsageError(
            f"--format {kind} holds one thread: name the ID of its last message"
            f"{', without --subtree' if subtree else ''}."
        )
    if subtree and message_id is None:
        raise click.UsageError("--subtree needs the ID of the message it begins with.")
    with session.open_store() as store:
        export = Export(
            store,
            kind,
            title=f"Conversations of {session.store_path.parent.name}",
            message_id=None if message_id is None else store.resolve(message_id),
            whole_subtree=subtree,
        )
        pieces = export.pieces()
        if output is None:
            # A terminal, which may also be behind a pipe, would obey what messages
            # hold. JSON has words of its own for such characters.
            write(map(visible, pieces) if kind in TEXT_KINDS else pieces)
        else:
            _refuse_store(output, session.store_path)
            write_file(output, pieces, overwrite=force)
            notice(f"Wrote {output}.")
    if export.left_out:
        notice(str(export.left_out))


def _refuse_store(output: Path, store: Path) -> None:
    for ending in ("", "-wal", "-shm", "-journal"):
        if output.resolve() == store.with_name(store.name + ending):
            raise ExportError(f"{output} holds the conversations; name another file.")
