"""`convotui list`: the tree, in three formats, or one line a conversation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from functools import cache, partial
from itertools import chain
from typing import TYPE_CHECKING

import click

from convotui.cli.context import Session, notice
from convotui.cli.format import (
    json_array,
    label_mark,
    local_time,
    preview_json,
    role_mark,
    summary_json,
    summary_line,
    write,
)
from convotui.cli.options import json_option, pass_session
from convotui.conversations.listing import ListedMessage, list_tree
from convotui.conversations.summaries import summarise
from convotui.conversations.times import to_local
from convotui.text import cut, visible_line, width_of
from convotui.tree import Filter, graph

if TYPE_CHECKING:
    from convotui.storage import Store

_PLAIN = bytes(range(ord(" "), ord("~") + 1))
_INDENT = " " * 4
_MAX_INDENTS = 60
_INDENTED_TEXT = 50


@click.command("list", short_help="Print every conversation as one tree.")
@click.option("--indent", is_flag=True, help="Indent each generation by four spaces.")
@click.option("--roots", is_flag=True, help="One line a conversation, with totals.")
@click.option(
    "--filter",
    "by",
    type=click.Choice([by.value for by in Filter], case_sensitive=False),
    default=Filter.ALL.value,
    help="Leave messages out; what replies to them moves up.",
)
@click.option("--limit", type=click.IntRange(min=0), help="Only the last N lines.")
@json_option
@pass_session
def list_command(
    session: Session,
    indent: bool,
    roots: bool,
    by: str,
    limit: int | None,
    as_json: bool,
) -> None:
    """Print every conversation as one tree, most recently active last.

    A chain of replies stays in one column; only a fork opens another. A diamond begins
    a conversation.
    """
    if indent and roots:
        raise click.UsageError("--indent and --roots cannot be used together.")
    with session.open_store() as store:
        lines = _lines(session, store, indent, roots, Filter(by), limit, as_json)
        first = next(lines, None)
        if first is not None:
            write(chain([first], lines))
        elif limit != 0:
            notice("No messages found.")


def _lines(
    session: Session,
    store: Store,
    indent: bool,
    roots: bool,
    by: Filter,
    limit: int | None,
    as_json: bool,
) -> Iterator[str]:
    if roots:
        summaries = summarise(store, by, limit)
        if as_json:
            return json_array(map(summary_json, summaries))
        return (summary_line(session, summary) for summary in summaries)
    rows = list_tree(store, by, limit)
    if as_json:
        return json_array(map(_row_json, rows))
    return _indented(session, rows) if indent else _drawn(session, rows)


def _drawn(session: Session, rows: Iterable[ListedMessage]) -> Iterator[str]:
    width, colour, style = session.width, session.colour, session.style
    draw = cache(partial(graph, glyphs=session.glyphs))
    times = _LocalTimes()
    marks: dict[tuple[str, bool, str], str] = {}
    for shown, _, lane, flags, _, _ in rows:
        lanes, time = draw(lane, flags), f"({times.of(shown.created_at)})"
        kind = (shown.role, shown.tool_result_error, shown.state)
        role = marks.get(kind) or marks.setdefault(kind, role_mark(session, shown))
        label = label_mark(session, shown.title) if shown.title else ""
        message_id, text = _line(shown.id), _line(shown.text)
        if width is not None:
            plain = f"{lanes} {message_id} {time} {click.unstyle(role + label)} "
            text = cut(text, max(0, width - width_of(plain)), session.ellipsis)
        if colour:
            lanes, time = style(lanes, fg="cyan"), style(time, dim=True)
            message_id = style(message_id, fg="yellow")
        yield f"{lanes} {message_id} {time} {role} {text}{label}\n"


def _indented(session: Session, rows: Iterable[ListedMessage]) -> Iterator[str]:
    for row in rows:
        shown = row.preview
        indent = _INDENT * min(row.depth, _MAX_INDENTS)
        text = cut(visible_line(shown.text), _INDENTED_TEXT, "...")
        yield (
            f"{indent}{session.style(visible_line(shown.id), fg='yellow')} "
            f"({local_time(shown.created_at)}) {role_mark(session, shown)} {text}\n"
        )
        if row.is_leaf and row.parent_id is not None:
            yield f"{indent}------\n"


def _line(text: str) -> str:
    """Return what is on one line already with nothing in it that steers a terminal."""
    if text.isalnum() or (text.isascii() and not text.encode().translate(None, _PLAIN)):
        return text
    return visible_line(text)


class _LocalTimes(dict[int, timedelta | None]):
    """How far the user's clock is from UTC in each hour, if it is not set within it."""

    def of(self, time: datetime) -> str:
        offset = self[time.toordinal() * 24 + time.hour]
        if offset is None:
            return local_time(time)
        return (time + offset).isoformat(" ", "minutes")

    def __missing__(self, hour: int) -> timedelta | None:
        begin = datetime.fromordinal(hour // 24).replace(hour=hour % 24)
        offset = to_local(begin).utcoffset()
        end = begin.replace(minute=59, second=59, microsecond=999_999)
        self[hour] = offset if offset == to_local(end).utcoffset() else None
        return self[hour]


def _row_json(row: ListedMessage) -> dict[str, object]:
    shown = preview_json(row.preview)
    return {"id": shown.pop("id"), "parent_id": row.parent_id, **shown}
