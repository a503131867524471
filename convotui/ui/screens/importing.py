"""Conversations of other programs: what there is, what is new, and bringing it in."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Input, ProgressBar, Static

from convotui.conversations.browsing import Conversations
from convotui.conversations.importing import FileReport, ImportReport, Progress
from convotui.conversations.times import to_local
from convotui.storage import StorageError
from convotui.text import visible_line
from convotui.ui.screens.completing import PathSuggester
from convotui.ui.screens.modal import Dialog
from convotui.ui.words import count

_ASK = "enter looks what is there · escape leaves"
_TOLD = 8
"""How many of the things that were skipped are named."""


class ImportDialog(Dialog[ImportReport]):
    """Shows what would come in before anything is written; enter again brings it in."""

    BINDING_GROUP_TITLE = "Import"
    BINDINGS: ClassVar[list[BindingType]] = []
    DEFAULT_CSS = """
    ImportDialog {
        & > Vertical { width: 90; }
        VerticalScroll { height: auto; max-height: 12; }
        ProgressBar { width: 100%; display: none; &.-shown { display: block; } }
        Bar { width: 1fr; }
    }
    """

    def __init__(self, conversations: Conversations) -> None:
        super().__init__()
        self._conversations = conversations
        self._looked_at: str | None = None
        """What the preview on show is of."""

    def compose(self) -> ComposeResult:
        """Lay out a line for the path over what is there."""
        with Vertical():
            yield Static(Content("Import conversations"), classes="title")
            yield Input(
                placeholder="a file, directory or zip; or nothing, to look around",
                suggester=PathSuggester(),
            )
            with VerticalScroll(can_focus=False):
                yield Static(Content(""), id="report")
            yield ProgressBar(total=1, show_eta=False)
            yield Static(Content(_ASK), classes="hint")

    def on_mount(self) -> None:
        """Begin in the path."""
        self.query_one(Input).focus()

    @on(Input.Changed)
    def forget(self) -> None:
        """Forget the preview of another path."""
        self._looked_at = None
        self._say(_ASK)

    @on(Input.Submitted)
    def go_on(self, event: Input.Submitted) -> None:
        """Look what is there, or bring in what has been looked at."""
        self.run_import(event.value.strip(), is_dry_run=self._looked_at is None)

    @work(exclusive=True, group="import")
    async def run_import(self, typed: str, is_dry_run: bool) -> None:
        """Look what is there, or bring it in."""
        loop = asyncio.get_running_loop()

        def progress(now: Progress) -> None:
            loop.call_soon_threadsafe(self._show_progress, now)

        paths = [Path(typed).expanduser()] if typed else []
        self._say("escape stops it")
        self.query_one(ProgressBar).add_class("-shown")
        try:
            report = await self._conversations.bring_in(
                paths, is_dry_run=is_dry_run, on_progress=progress
            )
        except StorageError as error:
            self._say(str(error))
            return
        finally:
            if self.is_attached:
                self.query_one(ProgressBar).remove_class("-shown")
        if is_dry_run:
            self._preview(typed, report)
        else:
            self.dismiss(report)

    def _preview(self, typed: str, report: ImportReport) -> None:
        self.query_one("#report", Static).update(_listing(report))
        intake = report.intake
        if intake.new or intake.grown:
            self._looked_at = typed
            what = count(intake.new + intake.grown, "message")
            self._say(f"enter brings in {what} · escape leaves")
        else:
            self._say("nothing here is new · escape leaves")

    def _show_progress(self, now: Progress) -> None:
        if self.is_attached:
            self.query_one(ProgressBar).update(progress=now.share)
            self._say(f"{count(now.messages, 'message')} · escape stops it")

    def _say(self, hint: str) -> None:
        self.query_one(".hint", Static).update(Content(visible_line(hint)))


def _listing(report: ImportReport) -> Content:
    lines = [_line(file) for file in report.files]
    problems: Sequence[object] = report.problems[:_TOLD]
    lines += [Content(visible_line(f"skipped: {problem}")) for problem in problems]
    if (more := report.skipped - len(problems)) > 0:
        lines.append(Content(f"and {more:,} more skipped"))
    return Content("\n").join(lines)


def _line(file: FileReport) -> Content:
    facts = [
        count(file.messages, "message"),
        count(file.conversations, "conversation"),
        count(file.branches, "branch", "branches") if file.branches else "",
        _days(file),
        file.format,
        Path(file.name).name,
    ]
    return Content.assemble(
        (f"{file.intake.new:,} new", "bold $text-success"),
        *(f" · {visible_line(fact)}" for fact in facts if fact),
    )


def _days(file: FileReport) -> str:
    if file.first is None or file.last is None:
        return ""
    first, last = (f"{to_local(time):%Y-%m-%d}" for time in (file.first, file.last))
    return first if first == last else f"{first} to {last}"
