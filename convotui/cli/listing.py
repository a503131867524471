"""`convotui list`: the tree, in three formats, or one line a conversation."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator
from functools import cache, partial
from itertools import chain
from typing import TYPE_CHECKING

import click

from convotui.cli.context import Session, notice
from convotui.cli.format import (
    json_array,
    label_mark,
    preview_json,
    role_mark,
    summary_json,
    summary_line,
    write,
)
from convotui.cli.local_times import LocalTimes
from convotui.cli.options import json_option, pass_session
from convotui.conversations.listing import (
    DrawnMessage,
    ListedMessage,
    draw_tree,
    list_tree,
)
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
    # Rows hold nothing in a circle, and there are many.
    gc.disable()
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
        from convotui.conversations.summaries import summarise

        summaries = summarise(store, by, limit)
        if as_json:
            return json_array(map(summary_json, summaries))
        return (summary_line(session, summary) for summary in summaries)
    if as_json:
        return json_array(map(_row_json, list_tree(store, by, limit)))
    if indent:
        return _indented(session, list_tree(store, by, limit))
    return _drawn(session, draw_tree(store, by, limit))


def _drawn(session: Session, batches: Iterable[list[DrawnMessage]]) -> Iterator[str]:
    draw = cache(partial(graph, glyphs=session.glyphs))
    is_plain = session.width is None and not session.colour
    local = LocalTimes().of
    marks: dict[tuple[str, bool, str], str] = {}
    for batch in batches:
        lines: list[str] = []
        for shown, lane, flags in batch:
            id_, role, created_at, words, title, failed, _, _, state = shown
            kind = role, failed, state
            mark = marks.get(kind) or marks.setdefault(kind, role_mark(session, shown))
            label = label_mark(session, title) if title else ""
            lanes, time = draw(lane, flags), f"({local(created_at)})"
            message_id, text = _line(id_), _line(words)
            if not is_plain:
                lanes, message_id, time, text = _fitted(
                    session, lanes, message_id, time, text, mark + label
                )
            lines.append(f"{lanes} {message_id} {time} {mark} {text}{label}\n")
        yield "".join(lines)


def _fitted(
    session: Session, lanes: str, message_id: str, time: str, text: str, marks: str
) -> tuple[str, str, str, str]:
    """Return the parts of a line in colour, with the text cut so that the line fits."""
    style = session.style
    if session.width is not None:
        plain = f"{lanes} {message_id} {time} {click.unstyle(marks)} "
        text = cut(text, max(0, session.width - width_of(plain)), session.ellipsis)
    return (
        style(lanes, fg="cyan"),
        style(message_id, fg="yellow"),
        style(time, dim=True),
        text,
    )


def _indented(session: Session, rows: Iterable[ListedMessage]) -> Iterator[str]:
    local = LocalTimes().of
    for row in rows:
        shown = row.preview
        indent = _INDENT * min(row.depth, _MAX_INDENTS)
        text = cut(visible_line(shown.text), _INDENTED_TEXT, "...")
        yield (
            f"{indent}{session.style(visible_line(shown.id), fg='yellow')} "
            f"({local(shown.created_at)}) {role_mark(session, shown)} {text}\n"
        )
        if row.is_leaf and row.parent_id is not None:
            yield f"{indent}------\n"


def _line(text: str) -> str:
    """Return what is on one line already with nothing in it that steers a terminal."""
    # Nearly all ids and texts are so plain, and a listing has many of them.
    is_plain = text.isascii() and (
        text.isalnum() or not text.encode().translate(None, _PLAIN)
    )
    return text if is_plain else visible_line(text)


def _row_json(row: ListedMessage) -> dict[str, object]:
    shown = preview_json(row.preview)
    return {"id": shown.pop("id"), "parent_id": row.parent_id, **shown}
