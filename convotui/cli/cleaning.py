"""`convotui clean`: old conversations out of the way."""

from __future__ import annotations

from datetime import timedelta

import click

from convotui.cli.arguments import DURATION, before
from convotui.cli.context import Session, notice
from convotui.cli.format import (
    json_array,
    summary_json,
    summary_line,
    told_deleted,
    write,
)
from convotui.cli.options import json_option, pass_session
from convotui.conversations.cleaning import clean, find_old


@click.command("clean")
@click.option(
    "--older-than",
    type=DURATION,
    default=timedelta(days=30),
    help="In which nothing was said for this long: 12h, 30d, 2w. Default: 30d.",
)
@click.option("--dry-run", is_flag=True, help="Only print which ones.")
@json_option
@pass_session
def clean_command(
    session: Session, older_than: timedelta, dry_run: bool, as_json: bool
) -> None:
    """Move old conversations to the trash, and print them."""
    with session.open_store() as store:
        old = find_old(store, before(older_than))
        if as_json:
            write(json_array(map(summary_json, old)))
        else:
            write(summary_line(session, summary) for summary in old)
        change = None if dry_run else clean(store, old)
    if change is not None:
        notice(told_deleted(change))
    elif not old:
        notice("There is nothing that old.")
