"""Where the user writes: many lines, an editor, what was written before, commands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.strip import Strip
from textual.widgets import TextArea

from convotui.text import visible_line

COMMANDS = {
    "new": "begin a conversation",
    "model": "choose the model",
    "label": "label this message",
    "export": "export this thread",
    "search": "search everything",
    "attach": "attach a file",
    "keep": "keep this incognito thread",
    "history": "go to the tree",
    "clear": "empty the prompt",
    "help": "show the keys",
}
"""What can be written after a slash."""


class Prompt(TextArea):
    """A message in the making. It sends nothing; it says that it is to be sent."""

    BINDING_GROUP_TITLE = "Prompt"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "enter",
            "submit",
            "Send",
            key_display="enter",
            priority=True,
            id="prompt.send",
        ),
        Binding(
            "ctrl+j,shift+enter",
            "newline",
            "New line",
            priority=True,
            id="prompt.newline",
        ),
        Binding("ctrl+o", "edit", "Editor", priority=True, id="prompt.editor"),
        Binding("escape", "leave", "To the tree", priority=True, id="prompt.leave"),
        Binding(
            "up", "recall(-1)", "Recall", show=False, priority=True, id="prompt.recall"
        ),
        Binding(
            "down",
            "recall(1)",
            "Recall later",
            show=False,
            priority=True,
            id="prompt.recall_later",
        ),
    ]
    DEFAULT_CSS = """
    Prompt {
        height: auto;
        min-height: 3;
        max-height: 12;
        border: round $foreground 30%;
        border-title-color: $foreground 60%;
        background: $surface;
        padding: 0 1;
        &:focus { border: round $primary; border-title-color: $primary; }
    }
    """

    @dataclass
    class Submitted(Message):
        """The user wants this sent."""

        prompt: Prompt
        text: str

        @property
        def control(self) -> Prompt:
            """The prompt it was written in."""
            return self.prompt

    @dataclass
    class Commanded(Message):
        """The user wrote a command."""

        prompt: Prompt
        name: str
        argument: str

        @property
        def control(self) -> Prompt:
            """The prompt it was written in."""
            return self.prompt

    @dataclass
    class Unknown(Message):
        """The user wrote a command that there is none of."""

        prompt: Prompt
        name: str

        @property
        def control(self) -> Prompt:
            """The prompt it was written in."""
            return self.prompt

    class Left(Message):
        """The user wants to go back to the tree."""

    class EditorWanted(Message):
        """The user wants to write in their editor."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(
            id=id,
            soft_wrap=True,
            show_line_numbers=False,
            tab_behavior="focus",
            highlight_cursor_line=False,
            placeholder="Write a message, or / for commands",
        )
        self._attached = Content("")
        self._sent: list[str] = []
        self._recalled = 0

    def address(self, where: str) -> None:
        """Say what the message will be a reply to."""
        self.border_title = Content(where)

    def show_attached(self, names: Sequence[str]) -> None:
        """Say which files go with the message."""
        files = f"with {', '.join(visible_line(name) for name in names)}"
        self._attached = Content(files if names else "")
        self._hint()

    def remember(self, text: str) -> None:
        """Keep what was sent, to be recalled."""
        self._sent.append(text)
        self._recalled = len(self._sent)

    def replace_text(self, text: str) -> None:
        """Put other text in, the cursor at its end."""
        self.load_text(text)
        self.move_cursor(self.document.end)

    def check_consume_key(self, key: str, character: str | None = None) -> bool:
        """Claim every key that writes something; the footer leaves it out."""
        # Textual does not know which character this key is.
        return key == "slash" or super().check_consume_key(key, character)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Let the arrow keys move in a text, and recall where there is none."""
        if action == "recall":
            return bool(self._sent) and (not self.text or self.text in self._sent)
        return True

    @on(TextArea.Changed)
    def _hint(self) -> None:
        """Say which commands begin like what is written, or what goes with it."""
        begun = self.text.removeprefix("/")
        is_command = self.text.startswith("/") and (begun.isalpha() or not begun)
        names = [name for name in COMMANDS if is_command and name.startswith(begun)]
        hint = Content(" ".join(f"/{name}" for name in names))
        self.border_subtitle = hint if names else self._attached

    def render_line(self, y: int) -> Strip:
        """Draw a line, if there is room for one."""
        # Textual breaks the placeholder into lines of no width at all, and crashes.
        if not self.content_size.width:
            return Strip.blank(0)
        return super().render_line(y)

    def action_submit(self) -> None:
        """Send the text, or run the command, once all that was typed is there."""
        # This key is heard first; letters typed before it may still be on their way.
        self.call_later(self._submit)

    def _submit(self) -> None:
        text = self.text.strip()
        if not text:
            return
        name, _, argument = self.text.removeprefix("/").partition(" ")
        name = name.strip()
        if not self.text.startswith("/") or not name.isalpha():
            self.post_message(self.Submitted(self, text))
        elif name in COMMANDS:
            self.load_text("")
            if name != "clear":
                self.post_message(self.Commanded(self, name, argument.strip()))
        else:
            self.post_message(self.Unknown(self, name))

    def action_newline(self) -> None:
        """Begin a new line."""
        self.insert("\n")

    def action_leave(self) -> None:
        """Say that the user has had enough; the text stays."""
        self.post_message(self.Left())

    def action_edit(self) -> None:
        """Say that the user wants their editor."""
        self.post_message(self.EditorWanted())

    def action_recall(self, step: int) -> None:
        """Put in what was sent before."""
        self._recalled = max(0, min(self._recalled + step, len(self._sent)))
        recalled = self._sent[self._recalled :][:1]
        self.replace_text(recalled[0] if recalled else "")
