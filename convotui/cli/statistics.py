"""`convotui stats`: what was said, with which models, on which days, at what cost."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict

import click

from convotui.cli.context import Session, json_option, notice, pass_session
from convotui.cli.format import fit, money, write
from convotui.conversations.summaries import Statistics, Totals, add_up
from convotui.text import cut, visible_line, width_of

_NAME_WIDTH = 30


@click.command("stats", short_help="Print messages, tokens and cost.")
@json_option
@pass_session
def stats_command(session: Session, as_json: bool) -> None:
    """Print messages, tokens and cost of the project, each model and each day.

    Every reply counts once, however many branches share it.
    """
    with session.open_store() as store:
        statistics = add_up(store.usage())
    if as_json:
        write([json.dumps(asdict(statistics), indent=2) + "\n"])
    elif statistics.total.messages:
        write(_lines(session, statistics))
    else:
        notice("No messages found.")


def _lines(session: Session, statistics: Statistics) -> Iterator[str]:
    heading = f"{'':{_NAME_WIDTH}} {'messages':>9} {'in':>12} {'out':>12} {'cost':>10}"
    yield session.style(fit(session, heading), dim=True) + "\n"
    yield _line(session, "Everything", statistics.total)
    for title, group in (("Models", statistics.models), ("Days", statistics.days)):
        if group:
            yield f"\n{session.style(title, bold=True)}\n"
        for name, totals in group.items():
            yield _line(session, visible_line(name) or "(no date)", totals)


def _line(session: Session, name: str, totals: Totals) -> str:
    shown = cut(name, _NAME_WIDTH, session.ellipsis)
    padding = " " * (_NAME_WIDTH - width_of(shown))
    figures = (
        f"{totals.messages:>9,} {totals.input_tokens:>12,} "
        f"{totals.output_tokens:>12,} {money(totals.cost):>10}"
    )
    return fit(session, f"{shown}{padding} {figures}") + "\n"
