"""The store: every read and write of a project's conversations.

Reads go through one connection that cannot change the file, writes through another
that belongs to one thread and runs each call in one immediate transaction, in the order
of the calls. Any thread may call any method. All of them block; a screen calls them
from a worker.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Self

from convotui.storage import (
    changes,
    index,
    outlines,
    reading,
    trash,
    upkeep,
    writing,
)
from convotui.storage.access import Access
from convotui.storage.errors import DamagedError, StorageError
from convotui.storage.files import free_name, look_at
from convotui.storage.ids import new_id
from convotui.storage.records import (
    Change,
    ChatMessage,
    Draft,
    Hit,
    MessageId,
    Outline,
    Preview,
    ReplyFacts,
    ReplyTotals,
    TrashEntry,
    Usage,
    Weight,
    utc_now,
)
from convotui.storage.search import Query
from convotui.storage.shapes import Shape
from convotui.storage.upkeep import Health


class Store:
    """The conversations of one project.

    Looking never makes or changes the file; the first save makes it. Without a path
    everything is kept in memory. Every method raises `StorageError` and nothing else
    when the file, the disk or another program stands in the way.
    """

    def __init__(
        self,
        path: Path | None,
        *,
        clock: Callable[[], datetime] = utc_now,
        new_id: Callable[[], str] = new_id,
        on_made: Callable[[Path], None] | None = None,
    ) -> None:
        self._access = Access(path, on_made)
        self._clock = clock
        self._new_id = new_id

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

    def save(self, drafts: Sequence[Draft]) -> list[MessageId]:
        """Save messages, all or none, and return their ids in the same order.

        Raises:
            MessageNotFoundError: If a parent does not exist.
            IdTakenError: If a given id is taken.
        """
        return self._access.write(
            lambda db: writing.save(db, drafts, new_id=self._new_id, now=self._clock()),
            makes_file_after=lambda db: writing.check(db, drafts),
        )

    def get(self, message_ids: Sequence[MessageId]) -> list[ChatMessage]:
        """Return the messages with these ids, in this order.

        Raises:
            MessageNotFoundError: If there is none with one of them.
        """
        return self._access.read(lambda db: list(reading.get(db, message_ids)))

    def list_messages(
        self, *, ascending: bool = False, offset: int = 0, limit: int | None = None
    ) -> list[ChatMessage]:
        """Return messages by time, newest first unless `ascending`."""
        return self._access.read(
            lambda db: reading.in_order(
                db, ascending=ascending, offset=offset, limit=limit
            )
        )

    def thread(
        self, message_id: MessageId, *, limit: int | None = None
    ) -> list[ChatMessage]:
        """Return the messages from the root down to this one, or the last of them.

        Raises:
            MessageNotFoundError: If there is no such message.
        """
        return self._access.read(lambda db: reading.thread(db, message_id, limit))

    def subtree(self, message_id: MessageId) -> list[ChatMessage]:
        """Return a message and everything below it, parents before replies.

        Raises:
            MessageNotFoundError: If there is no such message.
        """
        return self._access.read(lambda db: reading.subtree(db, message_id))

    def set_facts(self, message_id: MessageId, facts: ReplyFacts) -> None:
        """Keep what is known of a reply, in place of what was known before."""
        self._access.write(lambda db: writing.set_facts(db, message_id, facts))

    def outline(self) -> Outline:
        """Return where every message hangs, without any content."""
        return self._access.read(outlines.outline)

    def list_rows(
        self,
        *,
        ascending: bool = False,
        offset: int = 0,
        limit: int | None = None,
        id_prefix: str = "",
    ) -> list[Preview]:
        """Return what a row shows of each message, newest first unless `ascending`."""
        return self._access.read(
            lambda db: list(outlines.rows(db, ascending, offset, limit, id_prefix))
        )

    def previews(self, message_ids: Sequence[MessageId]) -> list[Preview]:
        """Return what a row shows of these messages, without those that are gone."""
        return self._access.read(lambda db: list(outlines.previews(db, message_ids)))

    def unique_prefixes(self, message_ids: Sequence[MessageId]) -> dict[MessageId, int]:
        """Return how many characters of each of these ids no other id begins with."""
        return self._access.read(lambda db: outlines.unique_prefixes(db, message_ids))

    def resolve(self, prefix: str) -> MessageId:
        """Return the id that is, or alone begins with, `prefix`.

        Raises:
            MessageNotFoundError: If there is none.
            AmbiguousIdError: If there are several.
        """
        return self._access.read(lambda db: outlines.resolve(db, prefix))

    def newest_reply(self) -> MessageId | None:
        """Return the newest reply or tool result that is no subagent's."""
        return self._access.read(outlines.newest_reply)

    def usage(self) -> list[Usage]:
        """Return the totals of every day and model, each message counted once."""
        return self._access.read(outlines.usage)

    def reply_totals(self) -> list[ReplyTotals]:
        """Return model, tokens and cost of each reply of which they are known."""
        return self._access.read(outlines.reply_totals)

    def search(self, typed: str, *, limit: int | None = None) -> list[Hit]:
        """Return the messages that hold what was typed, newest first."""
        query = Query(typed)
        if not query:
            return []
        most = None if limit is None else min(limit, sys.maxsize)
        return self._access.read(lambda db: list(islice(index.find(db, query), most)))

    def label(self, message_id: MessageId, title: str | None) -> Change | None:
        """Set or remove a label; `None` if nothing changed.

        Raises:
            MessageNotFoundError: If there is no such message.
        """
        return self._access.write(
            lambda db: changes.label(db, message_id, title, self._clock())
        )

    def weigh(self, message_ids: Sequence[MessageId]) -> Weight:
        """Return what deleting these messages with everything below would take."""
        return self._access.read(lambda db: trash.weigh(db, message_ids))

    def delete(
        self, message_ids: Sequence[MessageId], *, recursive: bool = False
    ) -> Change | None:
        """Move messages to the trash, all or none; `None` if there are none of them.

        Raises:
            HasRepliesError: If one has replies and it is not `recursive`.
        """
        return self._access.write(
            lambda db: changes.delete(
                db, message_ids, recursive=recursive, now=self._clock()
            )
        )

    def undo(self) -> Change:
        """Undo the newest delete or label.

        Raises:
            NothingToUndoError: If there is none.
        """
        return self._access.write(changes.undo)

    def redo(self) -> Change:
        """Do again what was undone last.

        Raises:
            NothingToUndoError: If nothing was undone since the last change.
        """
        return self._access.write(changes.redo)

    def trash(self) -> list[TrashEntry]:
        """Return the deletes that can still be undone, newest first."""
        return self._access.read(changes.entries)

    def restore(self, change_id: int) -> Change:
        """Undo one delete, whatever was done since.

        Raises:
            NothingToUndoError: If it is not in the trash.
        """
        return self._access.write(lambda db: changes.restore(db, change_id))

    def empty_trash(self, *, before: datetime | None = None) -> int:
        """Destroy what is in the trash for good; how many messages that were."""
        return self._access.write(lambda db: upkeep.empty_trash(db, before))

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
        """Check the whole file."""
        # The full-text index seems damaged to a connection that knew an older one.
        try:
            return self._access.read_anew(upkeep.examine)
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
