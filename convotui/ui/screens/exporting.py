"""What to export, as what, and where to."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, RadioButton, RadioSet, Static

from convotui.conversations.exporting import (
    ENDINGS,
    EXPORT_KINDS,
    THREAD_KINDS,
    ExportKind,
    kind_of,
)
from convotui.ui.screens.completing import PathSuggester
from convotui.ui.screens.modal import Dialog

_NAMES: dict[ExportKind, str] = {
    "md": "Markdown",
    "html": "HTML",
    "json": "JSON",
    "jsonl": "JSON lines",
    "openai": "OpenAI",
    "bedrock": "Bedrock",
    "q": "Amazon Q",
}


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """What the user wants exported."""

    path: Path
    kind: ExportKind
    whole_subtree: bool
    overwrite: bool


class ExportDialog(Dialog[ExportRequest]):
    """Asks for all of it, and once more before a file is overwritten."""

    BINDING_GROUP_TITLE = "Export"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "export", "Export", id="export.write"),
    ]
    DEFAULT_CSS = """
    ExportDialog > Vertical { overflow-y: auto; }
    ExportDialog RadioSet {
        layout: horizontal;
        width: 1fr;
        &, &:focus { border: none; }
    }
    ExportDialog #kind { layout: grid; grid-size: 3; grid-rows: 1; height: auto; }
    """

    def __init__(self, file_name: str, below: int) -> None:
        super().__init__()
        self._file_name = file_name
        self._below = below
        self._agreed: Path | None = None

    def compose(self) -> ComposeResult:
        """Lay out the questions."""
        with Vertical():
            yield Static(Content("Export"), classes="title")
            with RadioSet(id="what"):
                yield RadioButton("this thread", value=True)
                yield RadioButton(f"all below ({self._below:,})")
            with RadioSet(id="kind"):
                for kind in EXPORT_KINDS:
                    yield RadioButton(_NAMES[kind], value=kind == "md")
            yield Input(
                f"{self._file_name}.md", placeholder="file", suggester=PathSuggester()
            )
            yield Static(Content(""), classes="error")
            yield Static(
                Content("enter in the name writes · → completes it · escape leaves"),
                classes="hint",
            )

    def on_mount(self) -> None:
        """Begin in the name."""
        self.query_one(Input).focus()

    @on(RadioSet.Changed, "#kind")
    def rename(self, event: RadioSet.Changed) -> None:
        """Give the file the ending of its kind."""
        name = self.query_one(Input)
        path = Path(name.value or "export")
        name.value = str(path.with_suffix(ENDINGS[EXPORT_KINDS[event.index]]))

    @on(Input.Submitted)
    def action_export(self) -> None:
        """Answer, unless the file is there and the user has not been told."""
        value = self.query_one(Input).value.strip()
        path = Path(value).expanduser()
        kind = kind_of(path, self._chosen)
        whole_subtree = self.query_one("#what", RadioSet).pressed_index == 1
        problem = ""
        if not value:
            problem = "Name a file."
        elif path.is_dir():
            problem = "That is a directory; name a file in it."
        elif whole_subtree and kind in THREAD_KINDS:
            problem = f"{_NAMES[kind]} has no place for branches; choose this thread."
        elif path.exists() and self._agreed != path:
            self._agreed = path
            problem = f"{path.name} exists; enter again overwrites it."
        if problem:
            self.query_one(".error", Static).update(Content(problem))
            return
        self.dismiss(
            ExportRequest(
                path=path,
                kind=kind,
                whole_subtree=whole_subtree,
                overwrite=self._agreed == path,
            )
        )

    @property
    def _chosen(self) -> ExportKind:
        return EXPORT_KINDS[max(0, self.query_one("#kind", RadioSet).pressed_index)]
