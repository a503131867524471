"""A project's conversations for a reader who must never wait.

Every method hands its work to a thread, so that a screen can go on drawing meanwhile.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from convotui.conversations.keeping import KeepError, keep_thread
from convotui.conversations.labels import label_message
from convotui.conversations.provenance import notes_of
from convotui.conversations.summaries import (
    Statistics,
    Totals,
    add_up,
    subtree_totals,
    thread_totals,
)
from convotui.conversations.trees import ShownRow, Tree
from convotui.storage import ChatMessage, MessageId
from convotui.tree import Filter, Forest, shown

if TYPE_CHECKING:
    from convotui.conversations.exporting import ExportKind
    from convotui.conversations.importing import ImportReport, Progress
    from convotui.storage import Change, Hit, Store, Weight

P = ParamSpec("P")
T = TypeVar("T")


class Conversations:
    """The use cases of the screen.

    The store is opened when it is first needed, which may be after the first frame.
    """

    def __init__(
        self,
        path: Path,
        open_store: Callable[[], Store],
        open_project: Callable[[], Store] | None = None,
    ) -> None:
        self.path = path
        """Where the conversations are kept."""
        self._open_store = open_store
        self._open_project = open_project
        self._opened: Store | None = None
        self._opening = threading.Lock()

    @property
    def _store(self) -> Store:
        with self._opening:
            if self._opened is None:
                self._opened = self._open_store()
            return self._opened

    async def open(self) -> bool:
        """Open the store; whether it can only be read.

        Raises:
            StorageError: If it cannot be used at all.
        """
        return await asyncio.to_thread(
            lambda: self._store.shape().foreign_because is not None
        )

    async def advice(self) -> Sequence[str]:
        """Return what is good to know about the file, a line each."""
        return await asyncio.to_thread(lambda: self._store.advice())

    async def tree(self, by: Filter = Filter.ALL) -> Tree:
        """Return all messages, laid out."""

        def lay_out() -> Tree:
            outline = self._store.outline()
            return Tree(outline, Forest(outline, shown(outline, by)), by)

        return await asyncio.to_thread(lay_out)

    async def find_rows(
        self, tree: Tree, message_ids: Collection[MessageId]
    ) -> dict[MessageId, int]:
        """Return the rows of these messages, or of the nearest ancestors on show."""
        return await asyncio.to_thread(tree.rows_of, message_ids)

    async def rows(self, message_ids: Sequence[MessageId]) -> list[ShownRow]:
        """Return what the rows of these messages show."""

        def look() -> list[ShownRow]:
            prefixes = self._store.unique_prefixes(message_ids)
            return [
                ShownRow(preview, prefixes.get(preview.id, len(preview.id)))
                for preview in self._store.previews(message_ids)
            ]

        return await asyncio.to_thread(look)

    async def message(self, message_id: MessageId) -> ChatMessage:
        """Return one message."""
        return (await self._run(self._store.get, [message_id]))[0]

    async def thread(
        self, message_id: MessageId, limit: int | None = None
    ) -> list[ChatMessage]:
        """Return the messages from the root down to this one, or the last of them."""
        return await asyncio.to_thread(self._store.thread, message_id, limit=limit)

    async def notes(self, thread: Sequence[ChatMessage]) -> dict[MessageId, str]:
        """Return where the messages of a thread came from, in a few words."""
        return await asyncio.to_thread(notes_of, self._store, thread)

    async def subtree(self, message_id: MessageId) -> list[ChatMessage]:
        """Return a message and everything below it."""
        return await self._run(self._store.subtree, message_id)

    async def resolve(self, prefix: str) -> MessageId:
        """Return the id that is, or alone begins with, `prefix`."""
        return await self._run(self._store.resolve, prefix)

    async def search(self, typed: str, limit: int) -> list[Hit]:
        """Return the messages that hold what was typed, newest first."""
        return await asyncio.to_thread(self._store.search, typed, limit=limit)

    async def weigh(self, message_id: MessageId) -> Weight:
        """Return what deleting a message with everything below would take."""
        return await self._run(self._store.weigh, [message_id])

    async def delete(self, message_id: MessageId) -> Change | None:
        """Move a message and everything below it to the trash."""
        return await asyncio.to_thread(self._store.delete, [message_id], recursive=True)

    async def undo(self) -> Change:
        """Undo the newest delete or label."""
        return await self._run(self._store.undo)

    async def redo(self) -> Change:
        """Do again what was undone last."""
        return await self._run(self._store.redo)

    async def label(self, message_id: MessageId, label: str) -> Change | None:
        """Set a label, or remove it if it is empty."""
        return await self._run(label_message, self._store, message_id, label)

    async def statistics(
        self, message_id: MessageId | None
    ) -> tuple[dict[str, Totals], Statistics]:
        """Return what a message's thread and subtree add up to, and everything."""

        def look() -> tuple[dict[str, Totals], Statistics]:
            here = {}
            if message_id is not None:
                here["this thread"] = thread_totals(self._store, message_id)
                here["this and below"] = subtree_totals(self._store, message_id)
            return here, add_up(self._store.usage())

        return await asyncio.to_thread(look)

    async def totals(self) -> Totals:
        """Return what the whole project adds up to."""
        return await asyncio.to_thread(lambda: add_up(self._store.usage()).total)

    async def version(self) -> int:
        """Return a number that changes when anybody writes to the file."""
        return await self._run(self._store.version)

    async def keep(self, message_id: MessageId) -> Path:
        """Save a thread that is only in memory into the project; where that is.

        Raises:
            KeepError: If it is kept already.
        """

        def save() -> Path:
            if self._open_project is None:
                raise KeepError("This thread is kept already.")
            project = self._open_project()
            keep_thread(self._store.thread(message_id), project)
            return project.path

        return await asyncio.to_thread(save)

    async def tree_version(self) -> tuple[object, ...]:
        """Return what is the same as long as no message came, went or was labelled."""
        return await self._run(self._store.tree_version)

    async def export(
        self,
        message_id: MessageId,
        path: Path,
        kind: ExportKind,
        *,
        whole_subtree: bool,
        overwrite: bool,
    ) -> str:
        """Write the thread of a message, or all below it, into a file.

        Return what was left out because there is no place for it, in one line.
        """
        from convotui.conversations.exporting import Export
        from convotui.conversations.files import write_file

        def write() -> str:
            title = f"Conversations of {self.path.parent.name}"
            export = Export(self._store, kind, title, message_id, whole_subtree)
            write_file(path, export.pieces(), overwrite=overwrite)
            return str(export.left_out)

        return await asyncio.to_thread(write)

    async def bring_in(
        self,
        paths: Sequence[Path],
        *,
        is_dry_run: bool,
        on_progress: Callable[[Progress], None],
    ) -> ImportReport:
        """Import what is new at some paths, or else of this project, wherever it is.

        Raises:
            StorageError: If it cannot be saved.
        """
        from convotui.conversations.importing import Importer, ImportOptions, found_in

        project = self.path.parent.resolve()
        options = ImportOptions(
            is_dry_run=is_dry_run, directory=None if paths else project
        )
        importer = Importer(self._store, options, on_progress=on_progress)

        def run() -> ImportReport:
            return importer.run(paths or found_in(project))

        try:
            return await asyncio.to_thread(run)
        except asyncio.CancelledError:
            importer.cancel()
            raise

    async def markdown(self, message_id: MessageId) -> str:
        """Return the thread of a message as Markdown."""
        from convotui.conversations.exporting import export_pieces

        messages = await self.thread(message_id)
        return "".join(export_pieces(messages, "md", "Thread"))

    async def siblings(
        self, tree: Tree, row: int, limit: int
    ) -> dict[MessageId, tuple[int, int]]:
        """Return which of how many replies each message on the way to a row is."""
        return await asyncio.to_thread(tree.siblings, row, limit)

    async def _run(self, job: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await asyncio.to_thread(job, *args, **kwargs)
