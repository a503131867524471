"""`convotui list`: the tree, in three formats, or one line a conversation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

import click

from convotui.cli.context import Session, json_option, notice, pass_session
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
from convotui.conversations.listing import ListedMessage, list_tree
from convotui.conversations.summaries import summarise
from convotui.storage import Store
from convotui.text import cut, visible_line, width_of
from convotui.tree import Filter, graph

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
    glyphs, width, style = session.glyphs, session.width, session.style
    for row in rows:
        shown = row.preview
        lanes = graph(row.lane, row.flags, glyphs)
        time = local_time(shown.created_at)
        role = role_mark(session, shown)
        label = label_mark(session, shown.title)
        text = visible_line(shown.text)
        if width is not None:
            plain = f"{lanes} {shown.id} ({time}) {click.unstyle(role + label)} "
            text = cut(text, max(0, width - width_of(plain)), session.ellipsis)
        yield (
            f"{style(lanes, fg='cyan')} {style(visible_line(shown.id), fg='yellow')} "
            f"{style(f'({time})', dim=True)} {role} {text}{label}\n"
        )


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


def _row_json(row: ListedMessage) -> dict[str, object]:
    shown = preview_json(row.preview)
    return {"id": shown.pop("id"), "parent_id": row.parent_id, **shown}
