"""How the screen opens."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from textual.content import Content

from convotui.storage import MessageId
from convotui.ui.unsent import Unsent

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
    unsent: Unsent = field(default_factory=Unsent)
    """What was written the last time and not sent."""

    def with_unsent(self, unsent: Unsent) -> Opening:
        """Return the same with what was not sent; where it goes may be said anew."""
        is_told = self.begin_new or self.start is not None
        if is_told:
            unsent = replace(unsent, is_addressed=False)
        return replace(self, unsent=unsent)
