"""The store: every read and write of a project's conversations.

Reads go through one connection that cannot change the file, writes through another
that runs each call in one immediate transaction, one after the other. Any thread may
call any method. All of them block; a screen calls them from a worker.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import islice
from pathlib import Path

from convotui.storage import (
    beats,
    changes,
    growing,
    index,
    outlines,
    reading,
    totals,
    trash,
    upkeep,
    versions,
    writing,
)
from convotui.storage.ids import new_id
from convotui.storage.origins import Origins
from convotui.storage.records import (
    Block,
    ChatMessage,
    Draft,
    MessageId,
    Outline,
    Preview,
    ReplyFacts,
    utc_now,
)
from convotui.storage.results import Change, Hit, ReplyTotals, TrashEntry, Usage, Weight
from convotui.storage.search import Query
from convotui.storage.store_file import StoreFile


class Store(StoreFile):
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
        super().__init__(path, on_made)
        self._clock = clock
        self._new_id = new_id
        self.origins = Origins(self._access, clock, new_id)
        """Where messages came from, and the way in for those of other programs."""

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
        return self._access.read(
            lambda db: list(reading.get(db, message_ids, self._clock))
        )

    def list_messages(
        self, *, ascending: bool = False, offset: int = 0, limit: int | None = None
    ) -> list[ChatMessage]:
        """Return messages by time, newest first unless `ascending`."""
        return self._access.read(
            lambda db: reading.in_order(
                db, self._clock, ascending=ascending, offset=offset, limit=limit
            )
        )

    def thread(
        self, message_id: MessageId, *, limit: int | None = None
    ) -> list[ChatMessage]:
        """Return the messages from the root down to this one, or the last of them.

        Raises:
            MessageNotFoundError: If there is no such message.
        """
        return self._access.read(
            lambda db: reading.thread(db, message_id, self._clock, limit)
        )

    def subtree(self, message_id: MessageId) -> list[ChatMessage]:
        """Return a message and everything below it, parents before replies.

        Raises:
            MessageNotFoundError: If there is no such message.
        """
        return self._access.read(
            lambda db: reading.subtree(db, message_id, self._clock)
        )

    def set_facts(self, message_id: MessageId, facts: ReplyFacts) -> None:
        """Keep what is known of a reply, in place of what was known before."""
        self._access.write(
            lambda db: writing.set_facts(db, message_id, facts, self._clock())
        )

    def grow(
        self, message_id: MessageId, blocks: Sequence[Block], facts: ReplyFacts
    ) -> None:
        """Give a reply that is being written all that has come of it so far.

        A reply begins with a save of an assistant's draft whose facts say `streaming`,
        and ends with the first growth whose facts say anything else. Until then it
        counts as being written as long as it grows or beats. One that has been deleted
        meanwhile grows in the trash.

        Raises:
            MessageNotFoundError: If it is not in the trash either.
        """
        self._access.write(
            lambda db: growing.grow(db, message_id, blocks, facts, self._clock())
        )

    def beat(self, message_ids: Sequence[MessageId]) -> None:
        """Note that these replies are still being written, though nothing came."""
        self._access.write(lambda db: beats.beat(db, message_ids, self._clock()))

    def outline(self) -> Outline:
        """Return where every message hangs, without any content."""
        return self._access.read(outlines.outline)

    def tree_version(self) -> tuple[object, ...]:
        """Return what is the same as long as no message came, went or was labelled."""
        return self._access.read(versions.tree_version)

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
            lambda db: list(
                outlines.rows(db, self._clock, ascending, offset, limit, id_prefix)
            )
        )

    def previews(self, message_ids: Sequence[MessageId]) -> list[Preview]:
        """Return what a row shows of these messages, without those that are gone."""
        return self._access.read(
            lambda db: list(outlines.previews(db, message_ids, self._clock))
        )

    def line_reader(self) -> Callable[[Sequence[MessageId]], list[Preview]]:
        """Return a quicker `previews`, without models and costs, for a whole file."""
        read = self._access.read
        unfinished = read(lambda db: outlines.unfinished(db, self._clock))
        return lambda ids: read(lambda db: outlines.lines(db, ids, unfinished))

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
        return self._access.read(totals.usage)

    def thread_usage(self, message_id: MessageId) -> list[Usage]:
        """Return the totals of every day and model from the root down to a message.

        Raises:
            MessageNotFoundError: If there is no such message.
        """
        return self._access.read(lambda db: totals.thread_usage(db, message_id))

    def subtree_usage(self, message_id: MessageId) -> list[Usage]:
        """Return the totals of every day and model of a message and all below it.

        Raises:
            MessageNotFoundError: If there is no such message.
        """
        return self._access.read(lambda db: totals.subtree_usage(db, message_id))

    def reply_totals(self) -> list[ReplyTotals]:
        """Return model, tokens and cost of each reply of which they are known."""
        return self._access.read(totals.reply_totals)

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
