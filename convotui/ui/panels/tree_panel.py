"""The tree with all that keeps it true: loading, watching, filtering, searching."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from textual import getters, on, work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Input
from textual.worker import Worker, WorkerCancelled

from convotui.conversations.browsing import Conversations
from convotui.conversations.summaries import Totals
from convotui.conversations.trees import Tree
from convotui.storage import MessageId, StorageError
from convotui.tree import Filter
from convotui.ui.tree import MessageTree
from convotui.ui.tree.hits import MAX_HITS, Hits
from convotui.ui.widgets.search_bar import SearchBar

_WATCH_SECONDS = 0.5
_TYPING_SECONDS = 0.08
_ANCESTORS = 64
"""How far up a place is sought for a cursor whose message is gone."""


class TreePanel(Vertical):
    """Shows the conversations as they are in the file, whoever writes to it."""

    DEFAULT_CSS = """
    TreePanel { height: 1fr; width: 1fr; }
    """

    tree_view = getters.query_one(MessageTree)

    @dataclass
    class Loaded(Message):
        """The tree has been read anew."""

        tree: Tree

    @dataclass
    class AddedUp(Message):
        """This is what all messages add up to."""

        totals: Totals

    class Changed(Message):
        """Somebody has written to messages that were there already."""

    @dataclass
    class Failed(Message):
        """The tree could not be read, and this is why."""

        reason: str

    @dataclass
    class Searched(Message):
        """What a search has found, in words; nothing if there is no search."""

        summary: str
        words: tuple[str, ...]
        """What it looked for, in lower case."""

    def __init__(
        self, conversations: Conversations, folded: Sequence[MessageId] = ()
    ) -> None:
        super().__init__()
        self._conversations = conversations
        self._by = Filter.ALL
        self._version = -1
        self._tree_version: tuple[object, ...] = ()
        self._folded: Sequence[MessageId] = folded
        self._hits = Hits()
        self._before_search: MessageId | None = None
        self._wanted: MessageId | None = None
        self._search_bar: SearchBar | None = None

    def compose(self) -> ComposeResult:
        """Lay out the tree; the line to search with comes when it is needed."""
        yield MessageTree(id="tree")

    @property
    def by(self) -> Filter:
        """Which filter is on."""
        return self._by

    def folded_ids(self) -> Sequence[MessageId]:
        """Return the messages whose replies are folded away."""
        if (cursor := self.tree_view.cursor) is None:
            return self._folded
        return [cursor.tree.id_at(row) for row in cursor.folds.folded_rows()]

    # Loading

    def begin(self, select: MessageId | None) -> None:
        """Read the tree for the first time, and from then on whenever it changes."""
        self.load(select)
        self.follow_file()

    def load(self, select: MessageId | None = None) -> Worker[None]:
        """Read the tree, the cursor on a message or as near to it as can be.

        What is new in it is marked, unless the user has asked for a message in it.
        """
        # Whoever reads it anew meanwhile still goes where the user wanted to be.
        self._wanted = select or self._wanted
        return self._read()

    @work(exclusive=True, group="tree")
    async def _read(self) -> None:
        try:
            self._version = await self._conversations.version()
            self._tree_version = await self._conversations.tree_version()
            tree = await self._conversations.tree(self._by)
            await self._place(tree)
        except StorageError as error:
            self.post_message(self.Failed(str(error)))
        else:
            self.post_message(self.Loaded(tree))
        self._wanted = None

    @work(group="watch")
    async def follow_file(self) -> None:
        """Read the tree anew whenever anybody has written to the file."""
        while True:
            await asyncio.sleep(_WATCH_SECONDS)
            try:
                version = await self._conversations.version()
                if version == self._version:
                    if self.tree_view.shows_growth:
                        # Whether it still grows is a question of time alone.
                        self._look_again()
                    continue
                tree_version = await self._conversations.tree_version()
            except StorageError as error:
                self.post_message(self.Failed(str(error)))
                continue
            self._version = version
            if tree_version != self._tree_version:
                with suppress(WorkerCancelled):
                    await self.load().wait()
            else:
                # A reply that grows, here or elsewhere, is no reason to read it all.
                self._look_again()

    def _look_again(self) -> None:
        self.tree_view.read_again()
        self.post_message(self.Changed())

    async def _place(self, tree: Tree) -> None:
        rows: dict[MessageId, int] = {}
        known: set[MessageId] = set()
        # The user may move on while the rows are looked for.
        while not (needed := self._needed()) <= known:
            known = needed
            rows = await self._conversations.find_rows(tree, needed)
        cursor, select = self.tree_view.cursor, self._wanted
        row = next((rows[m] for m in self._candidates() if m in rows), None)
        if row is None and cursor is not None:
            row = cursor.row
        self.tree_view.show(
            tree,
            row,
            folded=[rows[m] for m in self.folded_ids() if m in rows],
            new=tree.added_to(cursor.tree) if cursor and not select else [],
        )
        if select is not None and row is not None:
            self.tree_view.select(row)
        self._mark(rows)

    def _needed(self) -> set[MessageId]:
        """Return the messages whose rows have to be known."""
        return {*self.folded_ids(), *self._candidates(), *self._hits.ids}

    def _candidates(self) -> list[MessageId]:
        """Return where the cursor may be put, the best place first."""
        cursor = self.tree_view.cursor
        near = cursor.near(_ANCESTORS) if cursor else []
        return [self._wanted, *near] if self._wanted else near

    @on(MessageTree.RowsWanted)
    def fetch_rows(self, event: MessageTree.RowsWanted) -> None:
        """Fetch what has come into view."""
        event.stop()
        self._fetch(event.message_ids)

    @work(group="rows")
    async def _fetch(self, message_ids: list[MessageId]) -> None:
        try:
            self.tree_view.provide(await self._conversations.rows(message_ids))
        except StorageError as error:
            self.post_message(self.Failed(str(error)))

    @work(exclusive=True, group="totals")
    async def add_up(self) -> None:
        """Find out what all messages add up to."""
        try:
            self.post_message(self.AddedUp(await self._conversations.totals()))
        except StorageError as error:
            self.post_message(self.Failed(str(error)))

    # Filtering

    def next_filter(self) -> None:
        """Show the tree through the next filter."""
        filters = list(Filter)
        self._by = filters[(filters.index(self._by) + 1) % len(filters)]
        self.load()

    # Searching

    def open_search(self, text: str | None = None) -> None:
        """Let the user type what to look for."""
        self._before_search = self.tree_view.selected_id
        if self._search_bar is None:
            self._search_bar = SearchBar(id="search")
            self.mount(self._search_bar)
        self._search_bar.open(text)

    def go_to_hit(self, step: int) -> bool:
        """Move to the next hit below the cursor, or above; whether there is one."""
        cursor = self.tree_view.cursor
        if cursor is None or cursor.row is None:
            return False
        at = self._hits.next_to(cursor.row, step)
        if at is None:
            return False
        self.tree_view.select(self._hits.rows[at])
        self.post_message(self.Searched(self._hits.summary(at), self._hits.words))
        return True

    @on(Input.Changed, "#search")
    def look(self, event: Input.Changed) -> None:
        """Search for what has been typed so far."""
        event.stop()
        self._search(event.value)

    @on(Input.Submitted, "#search")
    def keep(self, event: Input.Submitted) -> None:
        """Go on in the tree, the hits still marked."""
        event.stop()
        self._close_search()

    @on(SearchBar.Stepped)
    def step(self, event: SearchBar.Stepped) -> None:
        """Go to another hit while typing."""
        self.go_to_hit(event.step)

    @on(SearchBar.Cancelled)
    def cancel_search(self) -> None:
        """Forget the hits and go back to where the search began."""
        self._close_search()
        if self._search_bar is not None:
            self._search_bar.value = ""
        if self._before_search is not None:
            self.load(self._before_search)

    def _close_search(self) -> None:
        if self._search_bar is not None:
            self._search_bar.close()
        self.tree_view.focus()

    @work(exclusive=True, group="search")
    async def _search(self, typed: str) -> None:
        await asyncio.sleep(_TYPING_SECONDS)
        cursor = self.tree_view.cursor
        try:
            found = await self._conversations.search(typed, MAX_HITS)
        except StorageError as error:
            self.post_message(self.Failed(str(error)))
            return
        self._hits = Hits([hit.id for hit in found], typed)
        if cursor is None:
            return
        rows = await self._conversations.find_rows(cursor.tree, self._hits.ids)
        self._mark(rows)
        summary = "nothing found" if typed.strip() else ""
        if found and (newest := rows.get(found[0].id)) is not None:
            self.tree_view.select(newest)
            summary = self._hits.summary(self._hits.rows.index(newest))
        self.post_message(self.Searched(summary, self._hits.words))

    def _mark(self, rows: dict[MessageId, int]) -> None:
        self._hits.place(rows)
        self.tree_view.mark_hits(self._hits.rows)
