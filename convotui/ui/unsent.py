"""What was written and not sent, kept until the next start."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from convotui.private import write_private


@dataclass(frozen=True, slots=True)
class Unsent:
    """The text of a prompt, and what it was to be a reply to."""

    text: str = ""
    is_addressed: bool = False
    """Whether the user had chosen what it is a reply to."""
    reply_to: str | None = None
    """A message's id; `None` begins a conversation."""


class UnsentFile:
    """Keeps what one project's screen did not send."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._loaded = Unsent()

    def load(self) -> Unsent:
        """Return what was kept; nothing if that cannot be read."""
        self._loaded = self._read()
        return self._loaded

    def save(self, unsent: Unsent) -> None:
        """Keep what was not sent; that this may fail is no reason not to leave."""
        with suppress(OSError):
            if unsent.text.strip():
                write_private(self._path, json.dumps(asdict(unsent)))
            elif self._read() == self._loaded:
                # Anything else was kept by another screen in the meantime.
                self._path.unlink(missing_ok=True)

    def _read(self) -> Unsent:
        try:
            values = json.loads(self._path.read_text(encoding="utf-8"))
            text, reply_to = values["text"], values["reply_to"]
            is_addressed = values["is_addressed"]
        except (OSError, ValueError, LookupError, TypeError):
            return Unsent()
        if not isinstance(text, str) or not isinstance(reply_to, str | None):
            return Unsent()
        return Unsent(text, is_addressed is True, reply_to)
