"""The store of conversations: one SQLite file in a project, shared with CPE.

Messages form a forest by their parents; a message's content is a row of blocks. Both
are CPE's tables to the letter. What convotui knows beyond them lives in tables of its
own beside them, so that either program can read and write the file at any time.

What holds:

- Looking changes no byte of a file and makes none. The first save makes it.
- A write is all or nothing, is on the disk when it returns, and never deletes what the
  trash has not taken.
- Everything is ordered by `created_at` and, where that is equal, by the order of
  saving. A parent that does not exist makes a message a root; rings end where they
  begin. Nothing here recurses or runs a query for each message.
- A file that may not be ours, or holds anything that could run, is only read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from convotui.storage.errors import (
    AmbiguousIdError,
    BusyError,
    DamagedError,
    DiskError,
    FileError,
    FileReplacedError,
    HasRepliesError,
    IdTakenError,
    InvalidTextError,
    MessageNotFoundError,
    NotAStoreError,
    NothingToUndoError,
    ReadOnlyError,
    StorageError,
)
from convotui.storage.protocols import (
    MessagesDeleter,
    MessagesGetter,
    MessagesLister,
    MessagesSaver,
)
from convotui.storage.records import (
    BEAT_LIFETIME,
    ROLES,
    SUBAGENT_PREFIX,
    UNKNOWN_TIME,
    Block,
    ChatMessage,
    Draft,
    MessageId,
    Modality,
    Outline,
    Preview,
    ReplyFacts,
    ReplyState,
    Role,
    is_subagent,
    utc_now,
)

if TYPE_CHECKING:
    from convotui.storage.arrivals import Arrival, Intake, Origin, Provenance
    from convotui.storage.ids import new_id
    from convotui.storage.results import (
        Change,
        Hit,
        ReplyTotals,
        TrashEntry,
        Usage,
        Weight,
    )
    from convotui.storage.shapes import Shape
    from convotui.storage.store import Store
    from convotui.storage.upkeep import Health

__all__ = [
    "BEAT_LIFETIME",
    "ROLES",
    "SUBAGENT_PREFIX",
    "UNKNOWN_TIME",
    "AmbiguousIdError",
    "Arrival",
    "Block",
    "BusyError",
    "Change",
    "ChatMessage",
    "DamagedError",
    "DiskError",
    "Draft",
    "FileError",
    "FileReplacedError",
    "HasRepliesError",
    "Health",
    "Hit",
    "IdTakenError",
    "Intake",
    "InvalidTextError",
    "MessageId",
    "MessageNotFoundError",
    "MessagesDeleter",
    "MessagesGetter",
    "MessagesLister",
    "MessagesSaver",
    "Modality",
    "NotAStoreError",
    "NothingToUndoError",
    "Origin",
    "Outline",
    "Preview",
    "Provenance",
    "ReadOnlyError",
    "ReplyFacts",
    "ReplyState",
    "ReplyTotals",
    "Role",
    "Shape",
    "StorageError",
    "Store",
    "TrashEntry",
    "Usage",
    "Weight",
    "is_subagent",
    "new_id",
    "utc_now",
]

# The first frame needs the records and not the database, which takes a while to load.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        from importlib import import_module

        homes = {
            **dict.fromkeys(("Arrival", "Intake", "Origin", "Provenance"), "arrivals"),
            **dict.fromkeys(("Change", "Hit", "ReplyTotals"), "results"),
            **dict.fromkeys(("TrashEntry", "Usage", "Weight"), "results"),
            "Store": "store",
            "Shape": "shapes",
            "Health": "upkeep",
            "new_id": "ids",
        }
        if name not in homes:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(f"{__name__}.{homes[name]}"), name)
        globals()[name] = value
        return value
