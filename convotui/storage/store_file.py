"""The file behind a store: examined, copied, repaired, and let go of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

from convotui.storage import upkeep
from convotui.storage.access import Access
from convotui.storage.advice import advice_on, advice_on_log
from convotui.storage.errors import DamagedError, StorageError
from convotui.storage.files import free_name, look_at
from convotui.storage.shapes import Shape
from convotui.storage.upkeep import Health


class StoreFile:
    """What can be asked of and done to a store's file, whatever it holds."""

    def __init__(
        self, path: Path | None, on_made: Callable[[Path], None] | None = None
    ) -> None:
        self._access = Access(path, on_made)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Wait for writes under way and let go of the file."""
        self._access.close()

    @property
    def path(self) -> Path:
        """Where the file is, or will be after the first save."""
        return self._access.path

    def version(self) -> int:
        """Return a number that changes when anybody writes to the file."""
        return self._access.version()

    def exists(self) -> bool:
        """Return whether there is a file yet."""
        return look_at(self.path) is not None

    def shape(self) -> Shape:
        """Return what kind of file it is and whether it may be written."""
        return self._access.shape()

    def health(self) -> Health:
        """Check the whole file, and what is around it."""
        advice = self.advice()
        if not self._access.is_in_memory:
            advice += tuple(advice_on_log(self.path))
        return replace(self._examined(), advice=advice)

    def advice(self) -> tuple[str, ...]:
        """Return what is good to know about where the file is, a line each."""
        if self._access.is_in_memory or not self.exists():
            return ()
        try:
            return tuple(advice_on(self.path))
        except OSError:
            # It has gone since; whoever reads it next is told.
            return ()

    def _examined(self) -> Health:
        # The full-text index seems damaged to a connection that knew an older one.
        try:
            is_foreign = self.shape().foreign_because is not None
            return self._access.read_anew(
                lambda db: upkeep.examine(db, is_foreign=is_foreign)
            )
        except DamagedError as error:
            return upkeep.unreadable(str(error))

    def back_up(self, target: Path) -> None:
        """Copy the whole file, as of now, to a new one."""
        self._access.read(lambda db: upkeep.back_up(db, target))

    def repair(self) -> Path | None:
        """Make the references sound again, after a backup; where that is."""
        if self._access.is_in_memory:
            self._access.write(upkeep.repair)
            return None
        backup = free_name(self.path, "backup")
        self.back_up(backup)
        try:
            self._access.write(upkeep.repair)
        except StorageError:
            backup.unlink()
            raise
        return backup

    def sweep(self) -> None:
        """Drop rows of convotui's own whose message is gone."""
        self._access.write(upkeep.sweep)
