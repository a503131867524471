"""What can go wrong with the store, each in one line that says what to do."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

_SHOWN_CANDIDATES = 8


class StorageError(Exception):
    """Base of every error of the store; its text is fit to be shown."""


class MessageNotFoundError(StorageError):
    """There is no message with this id."""

    def __init__(self, message_id: str) -> None:
        super().__init__(f"No message {message_id!r}; 'convotui list' shows the ids.")
        self.message_id = message_id


class AmbiguousIdError(StorageError):
    """Several ids begin like this."""

    def __init__(self, prefix: str, candidates: Sequence[str]) -> None:
        shown = ", ".join(candidates[:_SHOWN_CANDIDATES])
        more = ", …" if len(candidates) > _SHOWN_CANDIDATES else ""
        super().__init__(f"{prefix!r} could be {shown}{more}: type more of the id.")
        self.candidates = tuple(candidates)


class HasRepliesError(StorageError):
    """A message with replies was to be deleted without them."""

    def __init__(self, message_id: str) -> None:
        super().__init__(
            f"Message {message_id} has replies; --cascade deletes it with all of them."
        )
        self.message_id = message_id


class IdTakenError(StorageError):
    """An id that was to be kept belongs to another message, or none was free."""


class NothingToUndoError(StorageError):
    """There is no change to undo, redo or restore, or it no longer can be."""


class InvalidTextError(StorageError):
    """Text that cannot be stored, or not there."""


class FileError(StorageError):
    """Base of the errors about the file as a whole."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path


class NotAStoreError(FileError):
    """The file is something else than a store of conversations."""


class ReadOnlyError(FileError):
    """The file can be read but must not, or cannot, be written."""


class BusyError(FileError):
    """Another program kept the file locked for longer than we wait."""


class FileReplacedError(FileError):
    """The file that was opened is no longer the one at its path."""


class DamagedError(FileError):
    """SQLite finds the file broken."""


class DiskError(FileError):
    """The disk is full, or the file cannot be opened, read or written."""
