"""`convotui trash`: what was deleted and can be brought back."""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import timedelta

import click

from convotui.cli.arguments import DURATION, before
from convotui.cli.context import Session, notice
from convotui.cli.format import (
    fit,
    json_array,
    local_time,
    messages,
    utc_time,
    write,
)
from convotui.cli.options import json_option, pass_session
from convotui.storage import Change, Store, TrashEntry
from convotui.text import visible_line


@click.group("trash")
def trash_command() -> None:
    """List, restore or destroy what was deleted."""


@trash_command.command("list")
@json_option
@pass_session
def list_command(session: Session, as_json: bool) -> None:
    """Print the entries of the trash, newest first."""
    with session.open_store() as store:
        entries = store.trash()
    if as_json:
        write(json_array(map(_entry_json, entries)))
    elif not entries:
        notice("The trash is empty.")
    for entry in () if as_json else entries:
        change, number = entry.change, f"{entry.change.id:>4}"
        text = visible_line(f"{', '.join(change.message_ids[:3])} {entry.text}")
        when, count = local_time(change.created_at), messages(change.message_count)
        line = fit(session, f"{number} ({when}) {count}: {text}")
        write([session.style(number, fg="yellow"), line.removeprefix(number), "\n"])


@trash_command.command("restore")
@click.argument("entry", required=False)
@pass_session
def restore_command(session: Session, entry: str | None) -> None:
    """Bring back ENTRY, its number or a message it named; by default the newest."""
    with session.open_store() as store:
        change = store.restore(_chosen(store, entry).id)
    notice(f"Restored {messages(change.message_count)}.")


@trash_command.command("empty")
@click.option("--older-than", type=DURATION, help="Only what was deleted before then.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@pass_session
def empty_command(session: Session, older_than: timedelta | None, yes: bool) -> None:
    """Destroy what is in the trash, for good."""
    older = None if older_than is None else before(older_than)
    with session.open_store() as store:
        doomed = [
            entry.change
            for entry in store.trash()
            if older is None or entry.change.created_at < older
        ]
        if not doomed:
            notice("There is nothing to destroy.")
            return
        count = messages(sum(change.message_count for change in doomed))
        if not yes:
            if not sys.stdin.isatty():
                raise click.UsageError(f"--yes is needed to destroy {count} for good.")
            if not click.confirm(f"Destroy {count} for good?", err=True):
                raise click.ClickException("Nothing was destroyed.")
        store.empty_trash(before=older)
    notice(f"Destroyed {count}.")


def _chosen(store: Store, named: str | None) -> Change:
    changes = [entry.change for entry in store.trash()]
    if named is None and changes:
        return changes[0]
    for change in changes:
        if str(change.id) == named:
            return change
    found = [c for c in changes if named and any(map(_begins(named), c.message_ids))]
    if len(found) > 1:
        entries = ", ".join(str(change.id) for change in found)
        raise click.ClickException(f"{named!r} is in the entries {entries}: name one.")
    if found:
        return found[0]
    raise click.ClickException(
        "The trash is empty."
        if named is None
        else f"There is no entry {named!r}; 'convotui trash list' shows them all."
    )


def _begins(prefix: str) -> Callable[[str], bool]:
    return lambda message_id: message_id.startswith(prefix)


def _entry_json(entry: TrashEntry) -> dict[str, object]:
    return {
        "entry": entry.change.id,
        "deleted_at": utc_time(entry.change.created_at),
        "messages": entry.change.message_count,
        "ids": entry.change.message_ids,
        "text": entry.text,
    }
