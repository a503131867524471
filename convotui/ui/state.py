"""What the screen remembers until the next start, kept outside the project."""

from __future__ import annotations

import json
import os
import zlib
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Self

from convotui.private import write_private
from convotui.storage import MessageId
from convotui.ui.unsent import UnsentFile

_MAX_FOLDS = 5_000


@dataclass(frozen=True, slots=True)
class UiState:
    """Where the reader was and how the screen looked."""

    cursor: str | None = None
    folded: tuple[str, ...] = ()
    tree_share: float = 0.4
    theme: str = "convotui-dark"
    told: tuple[str, ...] = ()
    """What the user was told about the file, and need not hear again."""

    @property
    def cursor_id(self) -> MessageId | None:
        """The message that the cursor was on."""
        return None if self.cursor is None else MessageId(self.cursor)

    @property
    def folded_ids(self) -> list[MessageId]:
        """The messages whose replies were folded away."""
        return [MessageId(message_id) for message_id in self.folded]

    @classmethod
    def of(cls, values: dict[str, Any]) -> Self:
        """Return a state from what was read, with the default for what is not right."""
        kinds = {
            "cursor": str,
            "folded": list,
            "tree_share": float,
            "theme": str,
            "told": list,
        }
        right = {
            name: values[name]
            for name, kind in kinds.items()
            if isinstance(values.get(name), kind)
        }
        state = replace(cls(), **right)
        return replace(
            state,
            folded=tuple(id_ for id_ in state.folded if isinstance(id_, str)),
            told=tuple(line for line in state.told if isinstance(line, str)),
            tree_share=min(max(state.tree_share, 0.1), 0.9),
        )


class StateFile:
    """One file for every project, and one for what all projects share."""

    def __init__(self, directory: Path, store: Path) -> None:
        number = zlib.crc32(os.fsencode(store))
        self._project = directory / f"{store.parent.name[:40]}-{number:08x}.json"
        self._shared = directory / "shared.json"
        self.unsent = UnsentFile(self._project.with_suffix(".unsent"))
        """What was written in this project and not sent."""

    def load(self) -> UiState:
        """Return what was saved last; the defaults if nothing can be read."""
        return UiState.of({**_read(self._project), **_read(self._shared)})

    def save(self, state: UiState) -> None:
        """Save a state; that this may fail is no reason to bother anybody."""
        values = asdict(replace(state, folded=state.folded[:_MAX_FOLDS]))
        shared = {"theme": values.pop("theme")}
        for path, part in ((self._project, values), (self._shared, shared)):
            with suppress(OSError):
                write_private(path, json.dumps(part))


def _read(path: Path) -> dict[str, Any]:
    try:
        values = json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    return values if isinstance(values, dict) else {}
