"""How the screen opens."""

from __future__ import annotations

from dataclasses import dataclass

from textual.content import Content

from convotui.storage import MessageId

WELCOME = Content("""\
Every conversation held in this project will be here.

  o  begins one
  ?  shows the keys
  q  leaves""")
"""What shows where there are no conversations yet."""


@dataclass(frozen=True, slots=True)
class Opening:
    """How the screen was asked to open."""

    start: MessageId | None = None
    """Where to begin; else where the reader was last."""
    begin_new: bool = False
    ascii_only: bool = False
    incognito: bool = False
