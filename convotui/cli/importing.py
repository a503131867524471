"""`convotui import`: conversations of other programs into the project's tree."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from itertools import count, groupby
from operator import attrgetter
from pathlib import Path
from typing import Any

import click

from convotui.cli.context import Session, notice
from convotui.cli.format import fit, local_time, messages, utc_time, write
from convotui.cli.options import json_option, pass_session
from convotui.conversations.importing import (
    FileReport,
    Importer,
    ImportOptions,
    ImportReport,
    Progress,
)
from convotui.importers import Problem, format_named, formats
from convotui.importers.places import find_places
from convotui.location import find_store
from convotui.storage import Store
from convotui.text import cut, visible_line

_PROGRAMS = {format_.name: format_.program for format_ in formats()}
_SECONDS = 0.1
"""How often progress is shown."""
_NAME_WIDTH = 40
_TOLD = 20
"""How many of the things that were skipped are named."""


@click.command("import", short_help="Import other programs' conversations.")
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--from",
    "format_name",
    type=click.Choice(list(_PROGRAMS)),
    help="The format of all files. Default: told by what is in each.",
)
@click.option("--dry-run", is_flag=True, help="Only print what would be imported.")
@click.option("--yes", is_flag=True, help="Do not ask, when no PATH is named.")
@json_option
@pass_session
def import_command(
    session: Session,
    paths: tuple[Path, ...],
    format_name: str | None,
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Import what is new at each PATH: files, directories, zip archives.

    Nothing is changed there, and nothing comes in twice. Without PATH, what other
    programs have kept of this project is looked for where they keep it.
    """
    with session.open_store() as store:
        if paths:
            options = _options(format_name, dry_run)
            report = _run(store, list(paths), options)
        else:
            report = _import_found(store, format_name, dry_run, yes)
    if as_json:
        write([json.dumps(_report_json(report, dry_run), indent=2) + "\n"])
    else:
        write(_line(session, file, dry_run) for file in report.files)
    if report.skipped:
        what = "thing was" if report.skipped == 1 else "things were"
        more = "; --json names more of them" if report.skipped > _TOLD else ""
        raise click.ClickException(f"{report.skipped:,} {what} skipped{more}.")


def _options(
    format_name: str | None, dry_run: bool, directory: Path | None = None
) -> ImportOptions:
    format_ = None if format_name is None else format_named(format_name)
    return ImportOptions(format_, dry_run, directory)


def _run(store: Store, paths: list[Path], options: ImportOptions) -> ImportReport:
    told = count(1)

    def tell(problem: Problem) -> None:
        if next(told) <= _TOLD:
            notice(f"Skipped: {problem}")

    with _shown_progress() as show:
        importer = Importer(store, options, on_progress=show, on_problem=tell)
        return importer.run(paths)


def _import_found(
    store: Store, format_name: str | None, dry_run: bool, yes: bool
) -> ImportReport:
    """Look for what there is of this project, say so, and ask."""
    project = find_store(Path.cwd()).parent
    places = [
        path
        for format_, path in find_places(project)
        if format_name in (None, format_.name)
    ]
    found = _run(store, places, _options(format_name, True, project))
    for name, files in groupby(found.files, attrgetter("format")):
        notice(_told_found(_PROGRAMS[name], list(files)))
    here = [file for file in found.files if file.intake.new or file.intake.grown]
    if not here:
        notice("There is nothing of this project that is new.")
    if not here or dry_run:
        return replace(found, files=tuple(here))
    new = messages(sum(file.intake.new + file.intake.grown for file in here))
    if not yes:
        if not sys.stdin.isatty():
            raise click.UsageError(f"--yes is needed to import {new}.")
        if not click.confirm(f"Import {new}?", err=True):
            raise click.ClickException("Nothing was imported.")
    files_here = [Path(file.name) for file in here]
    return _run(store, files_here, _options(format_name, False, project))


def _told_found(program: str, files: list[FileReport]) -> str:
    """Tell what there is of one program, in however many files."""
    held = sum(file.conversations for file in files)
    elsewhere = sum(file.elsewhere for file in files)
    is_one = len(files) == 1
    place = f"at {files[0].name}" if is_one else f"in {len(files):,} files"
    if not held:
        rest = "that path to import all of it" if is_one else "those to be imported"
        return (
            f"Found {program} {place}, with nothing that says it is of this project;"
            f" name {rest}."
        )
    others = f", and {elsewhere:,} of others" if elsewhere else ""
    return f"Found {program} {place}: {_conversations(held)} of this project{others}."


def _line(session: Session, file: FileReport, dry_run: bool) -> str:
    """Tell what came of a file, what matters most first."""
    new = f"{file.intake.new:,} {'would be ' if dry_run else ''}new"
    if file.intake.grown:
        new += f", {file.intake.grown:,} grown"
    facts = [
        new,
        messages(file.messages),
        _conversations(file.conversations),
        _branches(file.branches),
        _days(file),
        _PROGRAMS[file.format],
        visible_line(file.name),
    ]
    dot = " - " if session.is_ascii else " · "
    line = fit(session, dot.join(fact for fact in facts if fact))
    return session.style(new, bold=True) + line.removeprefix(new) + "\n"


def _branches(count: int) -> str:
    return f"{count:,} branch{'' if count == 1 else 'es'}" if count else ""


def _conversations(count: int) -> str:
    return f"{count:,} conversation{'' if count == 1 else 's'}"


def _days(file: FileReport) -> str:
    if file.first is None or file.last is None:
        return ""
    first, last = local_time(file.first)[:10], local_time(file.last)[:10]
    return first if first == last else f"{first} to {last}"


def _report_json(report: ImportReport, dry_run: bool) -> dict[str, Any]:
    return {
        "dry_run": dry_run,
        "files": [
            {
                "file": file.name,
                "format": file.format,
                "conversations": file.conversations,
                "new_conversations": file.new_conversations,
                "messages": file.messages,
                "branches": file.branches,
                "first": None if file.first is None else utc_time(file.first),
                "last": None if file.last is None else utc_time(file.last),
                **asdict(file.intake),
            }
            for file in report.files
        ],
        "skipped": report.skipped,
        "problems": [asdict(problem) for problem in report.problems],
    }


@contextmanager
def _shown_progress() -> Iterator[Callable[[Progress], None] | None]:
    """Give a function that shows progress on a terminal, and clear it in the end."""
    is_plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    if is_plain or not sys.stderr.isatty():
        yield None
        return
    last = 0.0

    def show(progress: Progress) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last < _SECONDS:
            return
        last = now
        name = cut(visible_line(Path(progress.file).name), _NAME_WIDTH)
        said = f"{name} {progress.share:.0%}, {messages(progress.messages)}"
        click.echo(f"\r{said}\x1b[K", err=True, nl=False)

    try:
        yield show
    finally:
        if last:
            click.echo("\r\x1b[K", err=True, nl=False)
