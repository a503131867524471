"""How messages look in output. Nothing here lets a message steer a terminal."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any

from convotui.cli.context import Session, end_quietly
from convotui.conversations.times import to_local
from convotui.storage import UNKNOWN_TIME, Change, Preview, is_subagent
from convotui.text import cut, visible_line, width_of

if TYPE_CHECKING:
    from convotui.conversations.summaries import ConversationSummary

_LABEL_SHARE = 5
"""A label takes at most this part of a line."""

_SHORTEST_TITLE = 12

_ROLE_COLOURS = {"user": "blue", "assistant": "green", "tool_result": "yellow"}


def local_time(time: datetime) -> str:
    """Return a stored time as the user's clock shows it, to the minute."""
    if time == UNKNOWN_TIME:
        return "????-??-?? ??:??"
    return to_local(time).isoformat(" ", "minutes")[:16]


def utc_time(time: datetime) -> str | None:
    """Return a stored time for a program to read."""
    return None if time == UNKNOWN_TIME else time.isoformat() + "Z"


def role_name(role: str) -> str:
    """Return a role as it stands in a listing."""
    return visible_line(role.replace("_", " ").upper())


def role_mark(session: Session, row: Preview) -> str:
    """Return the role in brackets, with what went wrong if something did."""
    name = role_name(row.role)
    trouble = "error" if row.tool_result_error else row.state
    if trouble not in ("complete", "streaming"):
        name += f" {visible_line(trouble)}"
    return session.style(f"[{name}]", fg=role_colour(row.role), bold=True)


def role_colour(role: str) -> str | None:
    """Return the colour of a role."""
    return _ROLE_COLOURS.get(role)


def label_mark(session: Session, title: str | None) -> str:
    """Return a label in brackets with a space before it, or nothing."""
    if not title:
        return ""
    text = visible_line(title)
    if session.width is not None:
        text = cut(text, session.width // _LABEL_SHARE, session.ellipsis)
    colour = None if is_subagent(title) else "magenta"
    return "  " + session.style(f"[{text}]", fg=colour, dim=colour is None)


def fit(session: Session, line: str) -> str:
    """Return a line without colours no wider than the terminal."""
    return line if session.width is None else cut(line, session.width, session.ellipsis)


def money(cost: float) -> str:
    """Return a cost in dollars, with enough digits to tell it from nothing."""
    return f"${cost:.2f}" if cost >= 1 or cost == 0 else f"${cost:.4f}"


def messages(count: int) -> str:
    """Return a number of messages in words."""
    return f"{count:,} message{'' if count == 1 else 's'}"


def told_deleted(change: Change) -> str:
    """Say what was deleted and how it comes back."""
    if change.message_count == 1:
        return f"Deleted {change.message_ids[0]}; 'convotui undo' brings it back."
    count = messages(change.message_count)
    return f"Deleted {count}; 'convotui undo' brings them back."


def preview_json(row: Preview) -> dict[str, Any]:
    """Return a row for a program to read."""
    return {
        "id": row.id,
        "role": row.role,
        "created_at": utc_time(row.created_at),
        "label": row.title,
        "text": row.text,
        "model": row.model,
        "cost": row.cost,
        "state": row.state,
        "tool_result_error": row.tool_result_error,
    }


def summary_line(session: Session, summary: ConversationSummary) -> str:
    """Return a conversation on one line."""
    tokens = summary.input_tokens + summary.output_tokens
    style = session.style
    facts = [
        messages(summary.messages),
        visible_line(summary.model) if summary.model else "",
        f"{tokens:,} tokens" if tokens else "",
        money(summary.cost) if summary.cost else "",
    ]
    dot = " - " if session.is_ascii else " · "
    ending = dot.join(fact for fact in facts if fact)
    message_id, time = visible_line(summary.id), local_time(summary.last_activity)
    title = visible_line(summary.title)
    if session.width is not None:
        room = session.width - width_of(f"{message_id} ({time}) {dot}")
        ending = cut(ending, max(0, room - _SHORTEST_TITLE), session.ellipsis)
        title = cut(title, max(0, room - width_of(ending)), session.ellipsis)
    return (
        f"{style(message_id, fg='yellow')} {style(f'({time})', dim=True)} "
        f"{style(title, bold=summary.is_labelled)}{dot}{style(ending, dim=True)}\n"
    )


def summary_json(summary: ConversationSummary) -> dict[str, object]:
    """Return a conversation for a program to read."""
    return {
        "id": summary.id,
        "title": summary.title,
        "model": summary.model,
        "messages": summary.messages,
        "input_tokens": summary.input_tokens,
        "output_tokens": summary.output_tokens,
        "cost": summary.cost,
        "last_activity": utc_time(summary.last_activity),
    }


def json_array(items: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Yield a JSON array piece by piece, one item a line."""
    opening = "["
    for item in items:
        yield f"{opening}\n{json.dumps(item)}"
        opening = ","
    yield "[]\n" if opening == "[" else "\n]\n"


def write(pieces: Iterable[str]) -> None:
    """Write output piece by piece, as far as somebody reads it."""
    try:
        sys.stdout.writelines(pieces)
    except BrokenPipeError:
        end_quietly()
