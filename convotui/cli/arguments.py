"""Kinds of arguments: ids that complete with their text, and lengths of time."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from convotui.cli.context import Session
from convotui.storage import StorageError, utc_now
from convotui.text import cut, visible_line

_COMPLETIONS = 200
_COMPLETION_WIDTH = 60
_UNITS = {"h": "hours", "d": "days", "w": "weeks"}


class MessageIdType(click.ParamType[str]):
    """A message's id or the beginning of it."""

    name = "id"

    def convert(
        self, value: str, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        """Refuse what was not typed as text."""
        try:
            value.encode()
        except UnicodeEncodeError:
            self.fail("An id is text in UTF-8.", param, ctx)
        return value

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Offer the newest messages whose ids begin so, each with its text."""
        db = ctx.find_root().params.get("db")
        try:
            with Session(Path(db) if db else None).open_store() as store:
                rows = store.list_rows(id_prefix=incomplete, limit=_COMPLETIONS)
        except StorageError:
            return []
        return [
            CompletionItem(row.id, help=cut(visible_line(row.text), _COMPLETION_WIDTH))
            for row in rows
            # What a shell could take for anything but a word is not offered.
            if re.fullmatch(r"[\w-]+", row.id, re.ASCII)
        ]


class DurationType(click.ParamType[timedelta]):
    """A length of time such as 12h, 30d or 2w."""

    name = "duration"

    def convert(
        self,
        value: str | timedelta,
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> timedelta:
        """Read a number and a unit."""
        if isinstance(value, timedelta):
            return value
        match = re.fullmatch(r"(\d{1,6})([hdw])", value.strip())
        if match is None:
            self.fail(f"{value!r} is no length of time such as 12h, 30d or 2w.")
        return timedelta(**{_UNITS[match[2]]: int(match[1])})


def before(age: timedelta) -> datetime:
    """Return the time that was so long ago, or the beginning of all time."""
    try:
        return utc_now() - age
    except OverflowError:
        return datetime.min


MESSAGE_ID = MessageIdType()
DURATION = DurationType()
