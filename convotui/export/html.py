"""A tree of messages as one page that needs nothing but a browser.

It fetches nothing and runs nothing: all that came from outside is escaped text, links
to the web, or an image inside the page, and the page forbids everything else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from convotui.export.forks import (
    NOWHERE,
    Branch,
    BranchEnd,
    parent_positions,
    walk,
)
from convotui.export.html_blocks import line_html, message_html, note, peek
from convotui.export.html_style import STYLE
from convotui.export.words import Local, call_parts, marks, role_name, shown_time
from convotui.storage.records import ROLES, UNKNOWN_TIME, ChatMessage
from convotui.text import visible_line

MAX_NESTING = 40
"""How many branches lie inside each other before they are shown one after another."""

_HEAD = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="\
default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
<main>
<header class="page">
<h1 dir="auto">{title}</h1>
<p>{facts}</p>
</header>
"""
_FOOT = "</main>\n</body>\n</html>\n"


def html(messages: Sequence[ChatMessage], title: str, *, local: Local) -> Iterator[str]:
    """Yield a page of `messages`, which list parents before children.

    `local` takes a stored time to the one that is shown.
    """
    facts = escape(" · ".join(_facts(messages, local)))
    yield _HEAD.format(title=line_html(title), style=STYLE, facts=facts)
    parents = parent_positions(messages)
    tools = _tools(messages, parents)
    for step in walk(parents, MAX_NESTING):
        match step:
            case int():
                yield _message(messages[step], tools[step], local)
            case Branch():
                yield _branch(step, messages)
            case BranchEnd():
                yield "</details>\n"
    yield _FOOT


def _facts(messages: Sequence[ChatMessage], local: Local) -> Iterator[str]:
    yield _counted(len(messages))
    times = [m.created_at for m in messages if m.created_at != UNKNOWN_TIME]
    if times:
        first, last = shown_time(min(times), local), shown_time(max(times), local)
        yield first if first == last else f"{first} – {last}"


def _counted(messages: int) -> str:
    return "1 message" if messages == 1 else f"{messages:,} messages"


def _tools(
    messages: Sequence[ChatMessage], parents: Sequence[int]
) -> list[Mapping[str, str]]:
    """The tools that each message's results can come from, by the id of the call.

    Ids begin anew with every reply, so only the nearest reply above counts.
    """
    found: list[Mapping[str, str]] = []
    for message, parent in zip(messages, parents, strict=True):
        if message.role == "tool_result":
            found.append(found[parent] if parent != NOWHERE else {})
            continue
        calls = (b for b in message.blocks if b.type == "tool_call" and b.id)
        found.append({block.id or "": call_parts(block)[0] for block in calls})
    return found


def _message(message: ChatMessage, tools: Mapping[str, str], local: Local) -> str:
    role = message.role if message.role in ROLES else "other"
    anchor = escape("m-" + "-".join(visible_line(message.id).split()))
    parts = [
        f"<b>{line_html(role_name(message.role))}</b>",
        f"<time>{escape(shown_time(message.created_at, local))}</time>",
    ]
    if message.facts is not None and message.facts.model:
        parts.append(f"<span>{line_html(message.facts.model)}</span>")
    parts += [f"<mark>{line_html(mark)}</mark>" for mark in marks(message)]
    parts.append(f'<a href="#{anchor}">{line_html(message.id)}</a>')
    label = (
        f'<p class="label" dir="auto">{line_html(message.title)}</p>\n'
        if message.title
        else ""
    )
    return (
        f'<article class="{role}" id="{anchor}">\n<header>{" ".join(parts)}</header>\n'
        f"{label}{message_html(message, tools)}</article>\n"
    )


def _branch(branch: Branch, messages: Sequence[ChatMessage]) -> str:
    first = messages[branch.first]
    kind = "Conversation" if branch.parent == NOWHERE else "Branch"
    place = f"{kind} {branch.number} of {branch.of}"
    begins = peek(first.title or first.text)
    if branch.nested:
        return (
            f'<details class="branch" open><summary><b>{place}</b>'
            f" <span>{_counted(branch.size)}</span>"
            f' <span class="peek">{escape(begins)}</span></summary>\n'
        )
    below = "" if branch.parent == NOWHERE else f", below {messages[branch.parent].id}"
    facts = (f"{place}{below}", _counted(branch.size), begins)
    return note(" · ".join(fact for fact in facts if fact))
