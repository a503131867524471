"""Files that are not ours to write: read if they can be, and never changed."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import apsw
import pytest

from convotui.storage import (
    MessageId,
    NotAStoreError,
    ReadOnlyError,
    Store,
)

from .helpers import (
    SEED_SQL,
    add_message,
    bytes_beside,
    draft,
    other_program,
    rows,
    texts,
)

OTHER_PROGRAMS = {
    "orcx": """
        CREATE TABLE conversations (id TEXT PRIMARY KEY, model TEXT NOT NULL,
            agent TEXT, title TEXT, messages TEXT NOT NULL,
            total_tokens INTEGER DEFAULT 0, total_cost REAL DEFAULT 0.0,
            created_at TEXT NOT NULL, updated_at TEXT NOT NULL);
        INSERT INTO conversations VALUES ('k3x9', 'm', NULL, 't', '[]', 0, 0, '', '');
    """,
    "Pingu": """
        CREATE TABLE sessions (id TEXT PRIMARY KEY, channel TEXT, summary TEXT);
        CREATE TABLE turns (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT
            REFERENCES sessions(id), user_message TEXT, response_json TEXT);
        CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT, role TEXT,
            content TEXT, tool_calls TEXT, created_at TEXT);
    """,
    "egirl": """
        CREATE TABLE sessions (id TEXT PRIMARY KEY, channel TEXT NOT NULL,
            created_at INTEGER NOT NULL, last_active_at INTEGER, summary TEXT);
        CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT,
            session_id TEXT NOT NULL, role TEXT NOT NULL, content TEXT NOT NULL,
            tool_calls TEXT, tool_call_id TEXT, created_at INTEGER NOT NULL);
    """,
    "Amazon Q": """
        CREATE TABLE migrations (id INTEGER PRIMARY KEY, version INTEGER NOT NULL);
        CREATE TABLE auth_kv (key TEXT PRIMARY KEY, value TEXT);
        CREATE TABLE state (key TEXT PRIMARY KEY, value BLOB);
        CREATE TABLE conversations (key TEXT PRIMARY KEY, value TEXT);
    """,
    "Kiro": """
        CREATE TABLE conversations_v2 (key TEXT, conversation_id TEXT, value TEXT,
            created_at INTEGER, updated_at INTEGER, PRIMARY KEY (key, conversation_id));
    """,
    "CPE from before": """
        CREATE TABLE conversations (id TEXT PRIMARY KEY, parent_id TEXT,
            user_message TEXT NOT NULL, executor_data BLOB NOT NULL,
            created_at TIMESTAMP, model TEXT NOT NULL);
    """,
    "something else": "CREATE TABLE bookmarks (url TEXT); CREATE TABLE blocks (x);",
}


@pytest.mark.parametrize("program", OTHER_PROGRAMS)
def test_a_database_of_another_program_is_named_and_left_alone(
    path: Path, program: str
) -> None:
    with other_program(path) as connection:
        connection.execute(OTHER_PROGRAMS[program])
    before = bytes_beside(path)
    with Store(path) as store:
        for use in (lambda: store.save([draft("x")]), store.list_messages):
            with pytest.raises(NotAStoreError, match=program) as caught:
                use()
            assert "--db" in str(caught.value)
            assert "\n" not in str(caught.value)
    assert bytes_beside(path) == before


def test_nothing_is_left_beside_a_database_that_was_refused(path: Path) -> None:
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA journal_mode = wal")
    connection.execute(OTHER_PROGRAMS["Pingu"])
    connection.close()
    with Store(path) as store, pytest.raises(NotAStoreError):
        store.list_messages()
    assert list(bytes_beside(path)) == [path.name]


HOSTILE = {
    "a trigger": """
        CREATE TRIGGER evil AFTER INSERT ON messages BEGIN
            UPDATE messages SET role = 'system'; DELETE FROM blocks; END;
    """,
    "a trigger on deletes": """
        CREATE TRIGGER evil BEFORE DELETE ON blocks BEGIN
            UPDATE messages SET title = 'evil'; END;
    """,
    "a trigger in our own name": """
        CREATE TRIGGER convotui_evil AFTER INSERT ON blocks BEGIN
            UPDATE messages SET title = 'evil'; END;
    """,
    "a view": "CREATE VIEW evil AS SELECT * FROM messages",
    "a view in our own name": """
        CREATE VIEW convotui_replies AS SELECT id AS message_id FROM messages
    """,
    "another table": "CREATE TABLE evil (x)",
    "a table of SQLite's name": "CREATE TABLE sqlitesequence (x)",
    "an index that computes": "CREATE INDEX evil ON messages (lower(title))",
    "an index that refuses": "CREATE UNIQUE INDEX evil ON messages (role)",
    "a table of another kind": "CREATE VIRTUAL TABLE evil USING fts5(x)",
}

REPLACED = {
    "a check": (
        "role              TEXT      NOT NULL",
        "role TEXT NOT NULL CHECK (role <> 'assistant')",
    ),
    "a generated column": (
        "title             TEXT",
        "title TEXT, evil TEXT GENERATED ALWAYS AS (upper(title))",
    ),
    "a generated column for the title": (
        "title             TEXT",
        "title TEXT AS (role || 'x')",
    ),
    "a column more": ("title             TEXT", "title TEXT, evil TEXT"),
    "a column of blocks more": ("extra_fields   TEXT", "extra_fields TEXT, evil TEXT"),
    "a collation": ("role              TEXT", "role TEXT COLLATE NOCASE"),
    "a check in disguise": (
        "role              TEXT      NOT NULL",
        "role TEXT NOT NULL /* ' */ CHECK (1) /* ' */",
    ),
}


@pytest.fixture(params=[*HOSTILE, *REPLACED])
def hostile(path: Path, request: pytest.FixtureRequest) -> Path:
    """A file with two messages and something in it that could run or is not ours."""
    kind = str(request.param)
    sql = SEED_SQL
    if kind in REPLACED:
        sql = sql.replace(*REPLACED[kind])
        assert sql != SEED_SQL
    with other_program(path) as connection:
        connection.execute(sql)
        connection.execute(
            "INSERT INTO messages (id, role) VALUES ('first', 'user');"
            "INSERT INTO messages (id, parent_id, role) VALUES ('second', 'first', 'x')"
        )
        connection.execute(
            "INSERT INTO blocks (message_id, block_type, modality_type, mime_type,"
            " content, sequence_order) VALUES ('first', 'content', 0, '', 'hello', 0)"
        )
        connection.execute(HOSTILE.get(kind, ""))
    return path


def test_a_hostile_file_is_read(hostile: Path) -> None:
    with Store(hostile) as store:
        assert texts(store) == ["hello", ""]
        thread = store.thread(MessageId("second"))
        assert [message.id for message in thread] == ["first", "second"]
        assert [hit.id for hit in store.search("hello")] == ["first"]
        assert store.shape().foreign_because


def test_a_hostile_file_is_never_written(hostile: Path) -> None:
    before = bytes_beside(hostile)
    first = MessageId("first")
    with Store(hostile) as store:
        for write in (
            lambda: store.save([draft("x")]),
            lambda: store.delete([first], recursive=True),
            lambda: store.label(first, "x"),
            store.undo,
            store.empty_trash,
            store.repair,
            store.sweep,
        ):
            with pytest.raises(ReadOnlyError, match=hostile.name) as caught:
                write()
            assert "\n" not in str(caught.value)
        assert texts(store) == ["hello", ""]
    assert bytes_beside(hostile) == before


def test_a_trigger_that_comes_while_the_file_is_open_never_runs(
    store: Store, path: Path
) -> None:
    store.save([draft("one")])
    with other_program(path) as connection:
        connection.execute(HOSTILE["a trigger"])
    with suppress(ReadOnlyError):
        store.save([draft("two")])
    assert texts(store)[0] == "one"
    assert rows(path, "SELECT DISTINCT role FROM messages") == [("user",)]


@pytest.mark.parametrize("version", ["3", "99", "9" * 5000])
def test_a_file_of_a_newer_convotui_is_only_read(path: Path, version: str) -> None:
    with Store(path) as store:
        store.save([draft("one")])
    with other_program(path) as connection:
        connection.execute(
            "UPDATE convotui_meta SET value = ? WHERE key = 'schema_version'",
            (version,),
        )
    before = bytes_beside(path)
    with Store(path) as store:
        assert texts(store) == ["one"]
        with pytest.raises(ReadOnlyError, match=r"newer convotui.*upgrade"):
            store.save([draft("x")])
    assert bytes_beside(path) == before


@pytest.mark.parametrize("version", ["'new'", "''", "x'ff'", "CAST(x'ff' AS TEXT)"])
def test_a_file_with_a_version_that_is_no_number_is_only_read(
    path: Path, version: str
) -> None:
    with Store(path) as store:
        store.save([draft("one")])
    with other_program(path) as connection:
        connection.execute(f"UPDATE convotui_meta SET value = {version}")
    with Store(path) as store:
        assert texts(store) == ["one"]
        with pytest.raises(ReadOnlyError, match="without a version"):
            store.save([draft("x")])


@pytest.mark.parametrize("number", ["user_version", "application_id"])
def test_a_file_with_the_number_of_another_program_is_only_read(
    path: Path, number: str
) -> None:
    with other_program(path) as connection:
        connection.execute(SEED_SQL + f"PRAGMA {number} = 9999")
        add_message(connection, "theirs", "hello")
    before = bytes_beside(path)
    with Store(path) as store:
        assert texts(store) == ["hello"]
        with pytest.raises(ReadOnlyError, match=f"{number} 9999"):
            store.save([draft("ours")])
    assert bytes_beside(path) == before
