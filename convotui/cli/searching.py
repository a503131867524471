"""`convotui search`: every message that holds some words."""

from __future__ import annotations

from collections.abc import Iterator

import click

from convotui.cli.context import Session, notice
from convotui.cli.format import (
    json_array,
    label_mark,
    local_time,
    role_colour,
    role_name,
    utc_time,
    write,
)
from convotui.cli.options import json_option, pass_session
from convotui.storage import Hit
from convotui.text import cut, visible_line, width_of


@click.command("search")
@click.argument("words", metavar="TEXT...", nargs=-1, required=True)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=50,
    show_default=True,
    help="At most this many hits.",
)
@json_option
@pass_session
def search_command(
    session: Session, words: tuple[str, ...], limit: int, as_json: bool
) -> None:
    """Print the messages that hold all words of TEXT, newest first.

    Everything is literal; upper and lower case, and accents, do not matter. A word is
    found where it begins one. "Quotes" keep words together.
    """
    typed = " ".join(words)
    with session.open_store() as store:
        hits = store.search(typed, limit=limit)
    if as_json:
        write(json_array(map(_hit_json, hits)))
    elif hits:
        write(_lines(session, hits))
    else:
        notice(f"No message holds {visible_line(typed)!r}.")


def _lines(session: Session, hits: list[Hit]) -> Iterator[str]:
    style = session.style
    for hit in hits:
        message_id, time = visible_line(hit.id), local_time(hit.created_at)
        role, label = f"[{role_name(hit.role)}]", label_mark(session, hit.title)
        before, match, after = _snippet(hit)
        if session.width is not None:
            # The match is what was looked for, so the words before it give way first.
            fixed = f"{message_id} ({time}) {role} {click.unstyle(label)}"
            room = max(0, session.width - width_of(fixed))
            match = cut(match, room, session.ellipsis)
            before = _cut_left(before, (room - width_of(match)) // 2, session.ellipsis)
            room -= width_of(before) + width_of(match)
            after = cut(after, room, session.ellipsis)
        yield (
            f"{style(message_id, fg='yellow')} {style(f'({time})', dim=True)} "
            f"{style(role, fg=role_colour(hit.role), bold=True)} "
            f"{before}{style(match, fg='red', bold=True)}{after}{label}\n"
        )


def _snippet(hit: Hit) -> tuple[str, str, str]:
    """Return the words before, of and after a match; spaces at its edges stay."""
    before, after = visible_line(f"{hit.before}|"), visible_line(f"|{hit.after}")
    return before[:-1], visible_line(hit.match), after[1:]


def _cut_left(text: str, cells: int, ellipsis: str) -> str:
    """Return the end of a text no wider than `cells`."""
    return cut(text[::-1], cells, ellipsis[::-1])[::-1]


def _hit_json(hit: Hit) -> dict[str, object]:
    return {
        "id": hit.id,
        "role": hit.role,
        "created_at": utc_time(hit.created_at),
        "label": hit.title,
        "snippet": hit.before + hit.match + hit.after,
        "match": hit.match,
    }
