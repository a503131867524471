"""How the screen opens."""

from __future__ import annotations

from dataclasses import dataclass

from textual.content import Content

from convotui.storage import MessageId

WELCOME = Content.assemble(
    "\n  ",
    ("convotui", "bold $primary"),
    " keeps every conversation held in this project as one tree.\n",
    "  There are none yet.\n\n",
    ("    o", "bold $accent"),
    "  begins one\n",
    ("    ?", "bold $accent"),
    "  shows the keys\n",
    ("    q", "bold $accent"),
    "  leaves\n",
)
"""What shows where there are no conversations yet."""


@dataclass(frozen=True, slots=True)
class Opening:
    """How the screen was asked to open."""

    start: MessageId | None = None
    """Where to begin; else where the reader was last."""
    begin_new: bool = False
    ascii_only: bool = False
    incognito: bool = False
