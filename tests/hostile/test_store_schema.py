"""Files whose schema is made to do harm: shown, never run, never written.

The numbers are those of the catalogue of what has to be survived.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import apsw
import pytest

from convotui.storage import (
    DamagedError,
    MessageId,
    NotAStoreError,
    ReadOnlyError,
    Store,
    connections,
)
from convotui.storage.access import Access
from tests.storage.helpers import (
    LOOKS,
    SEED_SQL,
    add_message,
    bytes_beside,
    chain,
    draft,
    other_program,
    rows,
    seed_file,
    texts,
)

CODE = "abs(-9223372036854775807 - 1)"
"""Fails wherever it is computed."""

TITLE = "title             TEXT"

TRAPS = {
    "a title that is computed": ("messages", TITLE, "title TEXT AS (1)", "1"),
    "a title that is computed and checked": (
        "messages",
        TITLE,
        "title TEXT NOT NULL AS (1)",
        "1",
    ),
    "a check": ("messages", TITLE, "title TEXT CHECK (1)", "1"),
    "a check behind a comment in a text": (
        "messages",
        TITLE,
        "title TEXT DEFAULT '--' CHECK (1)",
        "1",
    ),
    "a check between comments in texts": (
        "messages",
        f"{TITLE},\n    role              TEXT      NOT NULL",
        "title TEXT DEFAULT '/*', role TEXT NOT NULL CHECK (1) DEFAULT '*/'",
        "1",
    ),
    "a check behind a name that begins a comment": (
        "blocks",
        "FOREIGN KEY (message_id)",
        'CONSTRAINT "/*" CHECK (1), FOREIGN KEY (message_id)',
        "1",
    ),
    "an index of CPE's name that computes": (
        "idx_messages_created_at",
        "(created_at)",
        "(abs(1))",
        "abs(1)",
    ),
    "an index of CPE's name with a condition": (
        "idx_messages_parent_id",
        "messages (parent_id)",
        "messages (parent_id) WHERE abs(1)",
        "abs(1)",
    ),
}
"""What is put where in the two tables that everybody knows, and what of it is code."""


def arm(connection: apsw.Connection, name: str, harmless: str) -> None:
    """Put code that fails in the place of code that does not."""
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
    connection.execute("PRAGMA writable_schema = 1")
    connection.execute(
        "UPDATE sqlite_schema SET sql = replace(sql, ?, ?) WHERE name = ?",
        (f"({harmless})", f"({CODE})", name),
    )
    if not connection.changes():
        connection.execute(
            "UPDATE sqlite_schema SET sql = replace(sql, ?, ?) WHERE name = ?",
            (harmless, CODE, name),
        )
    assert connection.changes() == 1


@pytest.fixture(params=TRAPS)
def trap(path: Path, request: pytest.FixtureRequest) -> Path:
    """A file with two messages that runs code when it is read or written carelessly."""
    name, honest, hostile, harmless = TRAPS[str(request.param)]
    assert SEED_SQL.count(honest) == 1
    with other_program(path) as connection:
        connection.execute(SEED_SQL.replace(honest, hostile))
        for number, message_id in enumerate(("first", "second")):
            connection.execute(
                "INSERT INTO messages (id, parent_id, role) VALUES (?, ?, 'user')",
                (message_id, "first" if number else None),
            )
            connection.execute(
                "INSERT INTO blocks (message_id, block_type, modality_type, mime_type,"
                " content, sequence_order) VALUES (?, 'content', 0, '', 'hello', 0)",
                (message_id,),
            )
        arm(connection, name, harmless)
    return path


def test_45_no_look_runs_what_a_table_or_an_index_computes(trap: Path) -> None:
    before = bytes_beside(trap)
    with Store(trap) as store:
        for look in LOOKS.values():
            look(store)
        assert texts(store) == ["hello", "hello"]
        assert store.health().damage == ()
        assert store.shape().foreign_because
    assert bytes_beside(trap) == before


def test_45_such_a_file_is_not_written(trap: Path) -> None:
    before = bytes_beside(trap)
    with Store(trap) as store:
        with pytest.raises(ReadOnlyError, match="only reads it"):
            store.save([draft("more")])
        with pytest.raises(ReadOnlyError, match="only reads it"):
            store.repair()
    assert bytes_beside(trap) == before


OWN_TRAPS = {
    "a computed column": (
        "DROP TABLE convotui_replies;"
        "CREATE TABLE convotui_replies (message_id TEXT PRIMARY KEY, model AS (1),"
        " input_tokens, output_tokens, cached_tokens, reasoning_tokens, cost,"
        " first_token_seconds, duration_seconds, finish_reason, state, error, beat_at);"
        "INSERT INTO convotui_replies (message_id) SELECT id FROM messages",
        "convotui_replies",
        "1",
    ),
    "a computed column in a name that is almost ours": (
        "DROP TABLE convotui_replies;"
        "CREATE TABLE Convotui_Replies (message_id TEXT PRIMARY KEY, model AS (1),"
        " input_tokens, output_tokens, cached_tokens, reasoning_tokens, cost,"
        " first_token_seconds, duration_seconds, finish_reason, state, error, beat_at);"
        "INSERT INTO convotui_replies (message_id) SELECT id FROM messages",
        "Convotui_Replies",
        "1",
    ),
    "a computed version": (
        "DROP TABLE convotui_meta;"
        "CREATE TABLE convotui_meta (key TEXT, value AS (1));"
        "INSERT INTO convotui_meta (key) VALUES ('schema_version')",
        "convotui_meta",
        "1",
    ),
    "an index that computes": (
        "CREATE INDEX convotui_more ON convotui_indexed (abs(1))",
        "convotui_more",
        "abs(1)",
    ),
    "a table more": ("CREATE TABLE convotui_more (x CHECK (1))", "convotui_more", "1"),
    "an index of words over other content": (
        "DROP TABLE convotui_search;"
        "CREATE VIRTUAL TABLE convotui_search USING fts5(text, content='blocks')",
        "convotui_search",
        "",
    ),
}


@pytest.fixture(params=OWN_TRAPS)
def own_trap(path: Path, request: pytest.FixtureRequest) -> Path:
    """A file in which something is not as convotui makes it, but bears its name."""
    sql, name, harmless = OWN_TRAPS[str(request.param)]
    with Store(path) as store:
        store.save(chain(["hello", "world"]))
    with other_program(path) as connection:
        connection.execute(sql)
        if harmless:
            arm(connection, name, harmless)
    return path


def test_45_tables_that_only_bear_our_name_are_not_even_read(own_trap: Path) -> None:
    before = bytes_beside(own_trap)
    with Store(own_trap) as store:
        for look in LOOKS.values():
            look(store)
        assert texts(store) == ["hello", "world"]
        assert [hit.match for hit in store.search("world")] == ["world"]
        assert "not convotui's" in (store.shape().foreign_because or "")
        with pytest.raises(ReadOnlyError, match="not convotui's"):
            store.save([draft("more")])
    assert bytes_beside(own_trap) == before


def test_45_messages_that_are_no_ordinary_table_are_refused(path: Path) -> None:
    with other_program(path) as connection:
        connection.execute(SEED_SQL)
        connection.execute("DROP TABLE messages")
        connection.execute(
            "CREATE VIRTUAL TABLE messages USING fts5"
            "(id, parent_id, title, role, tool_result_error, created_at)"
        )
    before = bytes_beside(path)
    with Store(path) as store, pytest.raises((NotAStoreError, ReadOnlyError)):
        store.save([draft("x")])
    assert bytes_beside(path) == before


def test_46_no_trigger_writes_even_where_triggers_are_on(path: Path) -> None:
    seed_file(path)
    with other_program(path) as connection:
        connection.execute(
            "CREATE TRIGGER evil AFTER INSERT ON messages BEGIN"
            " UPDATE messages SET role = 'system'; END"
        )
    database = connections.open_for_writing(path)
    connection = connections.connection_of(database)
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 1)
    with pytest.raises(DamagedError, match="code"), connections.translating(path):
        add_message(connection, "first")
    database.close()
    assert rows(path, "SELECT count(*) FROM messages") == [(0,)]


def test_46_no_statement_reaches_another_file(path: Path) -> None:
    other = seed_file(path.with_name("other"))
    seed_file(path)
    database = connections.open_for_writing(path)
    with pytest.raises(DamagedError), connections.translating(path):
        connections.run(database, f"ATTACH '{other}' AS other")
    database.close()


ENDLESS = """
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 300000000)
SELECT count(*) FROM n
"""


def test_47_what_takes_for_ever_is_given_up_and_looking_goes_on(path: Path) -> None:
    with Store(path) as store:
        store.save([draft("hello")])
    before = bytes_beside(path)
    access = Access(path)
    with pytest.raises(DamagedError, match="longer to read") as caught:
        access.read(lambda database: connections.run(database, ENDLESS))
    assert "\n" not in str(caught.value)
    found = access.read(lambda db: connections.run(db, "SELECT content FROM blocks"))
    assert found == [("hello",)]
    access.close()
    assert bytes_beside(path) == before


def test_47_a_file_without_any_index_is_read_or_given_up(path: Path) -> None:
    """Where nothing finds a message, every message may ask for all the others."""
    with other_program(path) as connection:
        connection.execute(SEED_SQL.replace("TEXT PRIMARY KEY", "TEXT"))
        connection.execute("DROP INDEX idx_messages_parent_id")
        connection.execute(
            "WITH RECURSIVE n(i) AS"
            " (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)"
            " INSERT INTO messages (id, parent_id, role)"
            " SELECT 'm' || i, 'm' || (i - 1), 'user' FROM n"
        )
    with Store(path) as store:
        for look in (store.list_rows, store.outline, store.list_messages, store.health):
            with suppress(DamagedError):
                look()
        assert len(store.thread(MessageId("m20000"))) == 20_000
