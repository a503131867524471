"""How many statements run does not grow with the number of messages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import apsw
import pytest

from convotui.storage import Block, MessageId, ReplyFacts, Store

from .helpers import chain, draft


class Statements:
    """Counts what every connection that is opened from now on runs."""

    def __init__(self) -> None:
        self.count = 0
        self.steps = 0

    def watch(self, connection: apsw.Connection) -> None:
        connection.exec_trace = self.note
        connection.trace_v2(apsw.SQLITE_TRACE_PROFILE, self.note_work)

    def note(self, cursor: object, sql: str, bindings: object) -> bool:
        self.count += 1
        return True

    def note_work(self, event: dict[str, Any]) -> None:
        # What the full-text index runs on its own tables is counted from its making on.
        if "'convotui_search_" not in event["sql"]:
            self.steps += event["stmt_status"]["SQLITE_STMTSTATUS_VM_STEP"]

    def steps_of(self, action: Callable[[], object]) -> int:
        """How many instructions of SQLite's an action takes."""
        before = self.steps
        action()
        return self.steps - before

    def of(self, action: Callable[[], object]) -> int:
        before = self.count
        action()
        return self.count - before


@pytest.fixture
def statements() -> Iterator[Statements]:
    counting = Statements()
    apsw.connection_hooks.append(counting.watch)
    yield counting
    apsw.connection_hooks.remove(counting.watch)


ACTIONS: dict[str, Callable[[Store, list[MessageId]], object]] = {
    "outline": lambda store, ids: store.outline(),
    "list_messages": lambda store, ids: store.list_messages(),
    "list_rows": lambda store, ids: store.list_rows(limit=20),
    "thread": lambda store, ids: store.thread(ids[-1]),
    "subtree": lambda store, ids: store.subtree(ids[0]),
    "weigh": lambda store, ids: store.weigh(ids[:1]),
    "newest_reply": lambda store, ids: store.newest_reply(),
    "usage": lambda store, ids: store.usage(),
    "thread_usage": lambda store, ids: store.thread_usage(ids[-1]),
    "subtree_usage": lambda store, ids: store.subtree_usage(ids[0]),
    "reply_totals": lambda store, ids: store.reply_totals(),
    "search": lambda store, ids: store.search("message7"),
    "grow": lambda store, ids: store.grow(ids[0], [Block("x")], ReplyFacts()),
    "beat": lambda store, ids: store.beat(ids[:1]),
    "label": lambda store, ids: store.label(ids[0], "label"),
    "delete": lambda store, ids: store.delete(ids[:1], recursive=True),
    "undo": lambda store, ids: store.undo(),
    "redo": lambda store, ids: store.redo(),
    "trash": lambda store, ids: store.trash(),
    "empty_trash": lambda store, ids: store.empty_trash(),
}
"""In this order each finds something to do."""

IN_BATCHES: dict[str, Callable[[Store, list[MessageId]], object]] = {
    "previews": lambda store, ids: store.previews(ids),
    "get": lambda store, ids: store.get(ids),
    "delete": lambda store, ids: store.delete(ids),
}


def counted(
    path: Path,
    statements: Statements,
    size: int,
    actions: dict[str, Callable[[Store, list[MessageId]], object]],
) -> dict[str, int]:
    with Store(path) as store:
        ids = store.save(chain([f"message{number}" for number in range(size)]))
        store.outline()
        return {
            name: statements.of(partial(action, store, ids))
            for name, action in actions.items()
        }


CATCHING_UP = 5
"""Statements that complete the index, some messages at a time, after other writes."""


def test_the_number_of_messages_does_not_matter(
    tmp_path: Path, statements: Statements
) -> None:
    few = counted(tmp_path / "few", statements, 20, ACTIONS)
    many = counted(tmp_path / "many", statements, 2000, ACTIONS)
    assert min(few.values()) > 0
    more = {name: many[name] - few[name] for name in few}
    assert max(more.values()) <= CATCHING_UP, more


def test_a_batch_of_messages_is_one_statement(
    tmp_path: Path, statements: Statements
) -> None:
    few = counted(tmp_path / "few", statements, 20, IN_BATCHES)
    many = counted(tmp_path / "many", statements, 900, IN_BATCHES)
    assert few["previews"] == 1
    assert few["get"] == 1
    assert many["delete"] - few.pop("delete") <= CATCHING_UP
    assert many | few == many


def test_saving_takes_a_statement_a_row_and_no_more(
    tmp_path: Path, statements: Statements
) -> None:
    with Store(tmp_path / "file") as store:
        store.save([draft("first")])
        few = statements.of(lambda: store.save([draft("x")] * 20))
        many = statements.of(lambda: store.save([draft("x")] * 900))
    assert many - few <= 3 * (900 - 20)


SMALL_WRITES: dict[str, Callable[[Store, list[MessageId]], object]] = {
    "save": lambda store, ids: store.save([draft("x", ids[0])]),
    "grow": lambda store, ids: store.grow(ids[1], [Block("x")], ReplyFacts()),
    "grow in the trash": lambda store, ids: store.grow(
        ids[-1], [Block("x")], ReplyFacts()
    ),
    "beat": lambda store, ids: store.beat(ids[:2]),
    "label": lambda store, ids: store.label(ids[0], "x"),
}


def work(path: Path, statements: Statements, size: int) -> dict[str, int]:
    """How much each small write takes where half of the messages are in the trash."""
    with Store(path) as store:
        ids = store.save(chain([f"message{number}" for number in range(size)]))
        store.delete(ids[size // 2 :])
        return {
            name: statements.steps_of(partial(action, store, ids))
            for name, action in SMALL_WRITES.items()
        }


def test_a_small_write_is_as_little_work_in_a_large_store(
    tmp_path: Path, statements: Statements
) -> None:
    few = work(tmp_path / "few", statements, 400)
    many = work(tmp_path / "many", statements, 4000)
    assert few["save"] > 0
    assert [name for name in few if many[name] > 1.5 * few[name]] == [], (few, many)
