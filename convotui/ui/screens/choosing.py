"""One out of a list, which typing makes shorter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from convotui.text import visible_line
from convotui.ui.screens.modal import Dialog


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing to choose, by its key."""

    key: str
    text: str
    hint: str = ""


class ChoiceDialog(Dialog[str]):
    """Shows choices and answers with the key of one of them."""

    BINDING_GROUP_TITLE = "Choose"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "move(1)", "Down", show=False, id="choose.down"),
        Binding("up", "move(-1)", "Up", show=False, id="choose.up"),
    ]
    DEFAULT_CSS = """
    ChoiceDialog OptionList { height: auto; max-height: 16; border: none; }
    """

    def __init__(self, title: str, choices: Sequence[Choice]) -> None:
        super().__init__()
        self._title = title
        self._choices = choices

    def compose(self) -> ComposeResult:
        """Lay out the list under a line to type in."""
        with Vertical():
            yield Static(Content(self._title), classes="title")
            yield Input(placeholder="type to narrow down")
            yield OptionList(*self._options(""), compact=True)

    def on_mount(self) -> None:
        """Begin on the first choice."""
        self.query_one(OptionList).highlighted = 0
        self.query_one(Input).focus()

    @on(Input.Changed)
    def narrow(self, event: Input.Changed) -> None:
        """Leave only what holds what was typed."""
        choices = self.query_one(OptionList)
        choices.set_options(self._options(event.value))
        choices.highlighted = 0 if choices.option_count else None

    @on(Input.Submitted)
    def choose_highlighted(self) -> None:
        """Answer with the choice that is highlighted."""
        option = self.query_one(OptionList).highlighted_option
        if option is not None:
            self.dismiss(option.id)

    @on(OptionList.OptionSelected)
    def choose(self, event: OptionList.OptionSelected) -> None:
        """Answer with the choice that was clicked."""
        self.dismiss(event.option_id)

    def action_move(self, step: int) -> None:
        """Highlight another choice."""
        choices = self.query_one(OptionList)
        if step > 0:
            choices.action_cursor_down()
        else:
            choices.action_cursor_up()

    def _options(self, typed: str) -> list[Option]:
        words = typed.lower().split()
        return [
            Option(
                Content.assemble(
                    visible_line(choice.text),
                    (f"  {visible_line(choice.hint)}", "$foreground 50%"),
                ),
                id=choice.key,
            )
            for choice in self._choices
            if all(w in f"{choice.text} {choice.hint}".lower() for w in words)
        ]
