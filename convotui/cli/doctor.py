"""`convotui doctor`: what file this is, and whether it is sound."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import click

from convotui.cli.context import Session, end, notice
from convotui.cli.format import write
from convotui.cli.options import json_option, pass_session
from convotui.storage import DamagedError, Health, Shape, Store
from convotui.text import visible_line


@click.command("doctor", short_help="Check the file, and mend what is safe.")
@click.option("--repair", is_flag=True, help="Mend what is safe, after a backup.")
@json_option
@pass_session
def doctor_command(session: Session, repair: bool, as_json: bool) -> None:
    """Check the file of conversations; exit 1 if something is wrong with it."""
    with session.open_store() as store:
        if not store.exists():
            _tell_missing(store.path, as_json)
            return
        health = store.health()
        if repair:
            health = _repair(store, health)
        shape = _shape(store)
    if as_json:
        facts = {"path": str(store.path), "exists": True, "kind": shape.name}
        facts |= {"read_only_because": shape.foreign_because, **asdict(health)}
        facts["sound"] = health.is_sound
        write([json.dumps(facts, indent=2) + "\n"])
    else:
        write(_lines(store.path, shape, health))
    if not health.is_sound:
        end(1)


def _shape(store: Store) -> Shape:
    try:
        return store.shape()
    except DamagedError:
        return Shape.of_nothing()


def _tell_missing(path: Path, as_json: bool) -> None:
    if as_json:
        write([json.dumps({"path": str(path), "exists": False}, indent=2) + "\n"])
    else:
        notice(f"{path} does not exist yet; the first message makes it.")


def _repair(store: Store, health: Health) -> Health:
    """Mend what is safe, after a backup, and return what there is then."""
    if health.damage:
        notice("The damage cannot be mended here; keep the file, and a copy of it.")
        return health
    if health.is_sound and not health.stray_facts:
        notice("There is nothing to repair.")
        return health
    backup = store.repair()
    notice(f"Repaired. What was before is in {backup}.")
    return store.health()


def _lines(path: Path, shape: Shape, health: Health) -> Iterator[str]:
    facts = {
        "file": str(path),
        "kind": shape.name,
        "version": shape.own_version if shape.own_version is not None else "-",
        "SQLite": health.sqlite_version,
        "journal": health.journal_mode,
        "size": f"{health.size:,} bytes",
        "messages": f"{health.messages:,}",
        "blocks": f"{health.blocks:,}",
        "in the trash": f"{health.trashed_messages:,}",
        "not indexed": f"{health.unindexed:,}",
    }
    for name, value in facts.items():
        yield f"{name:<13} {visible_line(str(value))}\n"
    if shape.foreign_because is not None:
        yield f"read-only: it {visible_line(shape.foreign_because)}.\n"
    for advice in health.advice:
        yield f"note: it {visible_line(advice)}.\n"
    for problem in health.damage:
        yield f"damaged: {visible_line(problem)}\n"
    problems = {
        "blocks that belong to no message": health.orphan_blocks,
        "messages whose parent does not exist": health.missing_parents,
        "rings of messages below one another": health.cycles,
        "facts about messages that are gone": health.stray_facts,
    }
    for problem, count in problems.items():
        if count:
            yield f"{problem}: {count:,}\n"
    yield "sound\n" if health.is_sound else "not sound: try --repair\n"
