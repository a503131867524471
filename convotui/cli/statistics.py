"""`convotui stats`: what was said, with which models, on which days, at what cost."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict

import click

from convotui.cli.arguments import MESSAGE_ID
from convotui.cli.context import Session, notice
from convotui.cli.format import fit, money, write
from convotui.cli.options import json_option, pass_session
from convotui.conversations.summaries import Statistics, Totals, add_up
from convotui.text import cut, visible_line, width_of

_NAME_WIDTH = 30


@click.command("stats", short_help="Print messages, tokens and cost.")
@click.argument("message_id", metavar="[ID]", type=MESSAGE_ID, required=False)
@json_option
@pass_session
def stats_command(session: Session, message_id: str | None, as_json: bool) -> None:
    """Print messages, tokens and cost of the project, each model and each day.

    With ID, those of the thread from its first message to ID, and of ID and all below
    it. Every reply counts once, however many branches share it.
    """
    with session.open_store() as store:
        if message_id is None:
            parts = {"Everything": add_up(store.usage())}
        else:
            found = store.resolve(message_id)
            parts = {
                f"Thread to {found}": add_up(store.thread_usage(found)),
                f"{found} and below": add_up(store.subtree_usage(found)),
            }
    if as_json:
        write([json.dumps(_json(list(parts.values())), indent=2) + "\n"])
    elif any(statistics.total.messages for statistics in parts.values()):
        write(_lines(session, parts))
    else:
        notice("No messages found.")


def _json(parts: list[Statistics]) -> dict[str, object]:
    if len(parts) == 1:
        return asdict(parts[0])
    thread, subtree = parts
    return {"thread": asdict(thread), "subtree": asdict(subtree)}


def _lines(session: Session, parts: dict[str, Statistics]) -> Iterator[str]:
    heading = f"{'':{_NAME_WIDTH}} {'messages':>9} {'in':>12} {'out':>12} {'cost':>10}"
    yield session.style(fit(session, heading), dim=True) + "\n"
    for name, statistics in parts.items():
        yield _line(session, visible_line(name), statistics.total)
    for name, statistics in parts.items():
        of = f", {visible_line(name)}" if len(parts) > 1 else ""
        for title, group in (("Models", statistics.models), ("Days", statistics.days)):
            if group:
                yield f"\n{session.style(fit(session, title + of), bold=True)}\n"
            for key, totals in group.items():
                yield _line(session, visible_line(key) or "(no date)", totals)


def _line(session: Session, name: str, totals: Totals) -> str:
    shown = cut(name, _NAME_WIDTH, session.ellipsis)
    padding = " " * (_NAME_WIDTH - width_of(shown))
    figures = (
        f"{totals.messages:>9,} {totals.input_tokens:>12,} "
        f"{totals.output_tokens:>12,} {money(totals.cost):>10}"
    )
    return fit(session, f"{shown}{padding} {figures}") + "\n"
