"""Tables, indexes and names that are almost as they should be: read, not written.

The numbers are those of the catalogue of what has to be survived.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import apsw
import pytest

from convotui.storage import DamagedError, ReadOnlyError, Store
from tests.storage.helpers import (
    LOOKS,
    SEED_SQL,
    add_message,
    bytes_beside,
    chain,
    draft,
    other_program,
    texts,
)

END_OF_BLOCKS = """\
    PRIMARY KEY (message_id, sequence_order),
    FOREIGN KEY (message_id) REFERENCES messages (id) ON DELETE CASCADE"""

VARIANTS = {
    "a key that replaces": ("TEXT PRIMARY KEY", "TEXT PRIMARY KEY ON CONFLICT REPLACE"),
    "a role there is once": (
        "role              TEXT      NOT NULL",
        "role TEXT NOT NULL UNIQUE ON CONFLICT REPLACE",
    ),
    "a role that is ignored": (
        "role              TEXT      NOT NULL",
        "role TEXT NOT NULL ON CONFLICT IGNORE",
    ),
    "strict": (
        f"TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,\n{END_OF_BLOCKS}\n)",
        f"TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,\n{END_OF_BLOCKS}\n) STRICT",
    ),
    "another order": (
        "parent_id         TEXT",
        "parent_id TEXT COLLATE NOCASE",
    ),
    "a default that is computed": (
        "NOT NULL DEFAULT 0",
        "NOT NULL DEFAULT (abs(0))",
    ),
    "a default that is computed by a quoted name": (
        "NOT NULL DEFAULT 0",
        'NOT NULL DEFAULT ("abs"(0))',
    ),
    "no key": ("TEXT PRIMARY KEY", "TEXT"),
    "a reference to nothing": (
        "REFERENCES messages (id) ON DELETE RESTRICT",
        "REFERENCES nowhere (id)",
    ),
    "one reference more": (
        "FOREIGN KEY (parent_id)",
        "FOREIGN KEY (title) REFERENCES messages (id) ON DELETE CASCADE,"
        " FOREIGN KEY (parent_id)",
    ),
    "a reference that changes rows": ("ON DELETE RESTRICT", "ON DELETE SET NULL"),
    "a type that is a word of SQL": ("title             TEXT", 'title "CHECK"'),
    "one column more": ("title             TEXT", "title TEXT, evil TEXT"),
}
"""What is written how in the two tables in place of what everybody knows."""


@pytest.mark.parametrize("variant", VARIANTS)
def test_45_tables_that_are_almost_cpes_are_read_and_not_written(
    path: Path, variant: str
) -> None:
    honest, hostile = VARIANTS[variant]
    assert honest in SEED_SQL
    with other_program(path) as connection:
        connection.execute(SEED_SQL.replace(honest, hostile, 1))
        add_message(connection, "first", "hello")
    before = bytes_beside(path)
    with Store(path) as store:
        for look in LOOKS.values():
            look(store)
        assert texts(store) == ["hello"]
        with pytest.raises(ReadOnlyError, match="only reads it"):
            store.save([draft("more")])
    assert bytes_beside(path) == before


HONEST = {
    "small letters": ("CREATE TABLE messages", "create table messages"),
    "quoted names": ("    role  ", '    "role"  '),
    "names in brackets": ("    role  ", "    [role]  "),
    "comments": ("    role  ", "    /* CHECK (x) */ role -- AS (1)\n"),
    "other spaces": ("id                TEXT PRIMARY KEY", "id\tTEXT\nPRIMARY  KEY"),
    "no index": ("CREATE INDEX idx_messages_parent_id ON messages (parent_id);", ""),
    "no references": (
        ",\n    FOREIGN KEY (parent_id) REFERENCES messages (id) ON DELETE RESTRICT",
        "",
    ),
}


@pytest.mark.parametrize("variant", HONEST)
def test_45_tables_that_only_look_different_are_written(
    path: Path, variant: str
) -> None:
    written, otherwise = HONEST[variant]
    assert SEED_SQL.count(written) == 1
    with other_program(path) as connection:
        connection.execute(SEED_SQL.replace(written, otherwise))
        add_message(connection, "first", "hello", at="2020-01-01 00:00:00")
    with Store(path) as store:
        store.save([draft("more")])
        assert texts(store) == ["hello", "more"]


OBJECTS = {
    "trigger on ours": "CREATE TRIGGER t AFTER INSERT ON convotui_indexed"
    " BEGIN DELETE FROM messages; END",
    "trigger of our name": "CREATE TRIGGER convotui_t AFTER UPDATE ON messages"
    " BEGIN DELETE FROM blocks; END",
    "view of our name": "DROP TABLE convotui_replies;"
    " CREATE VIEW convotui_replies AS SELECT 1 AS message_id",
    "table of our name": "CREATE TABLE convotui_more (x)",
    "one column more": "ALTER TABLE convotui_replies ADD COLUMN more",
    "one column less": "ALTER TABLE convotui_replies DROP COLUMN cost",
    "unique index": "CREATE UNIQUE INDEX convotui_u ON convotui_changes (kind)",
    "unique titles": "CREATE UNIQUE INDEX convotui_u ON messages (title)",
    "sorted index": "DROP INDEX idx_messages_created_at;"
    "CREATE INDEX idx_messages_created_at ON messages (created_at DESC)",
    "index in another order": "DROP INDEX idx_messages_parent_id;"
    "CREATE INDEX idx_messages_parent_id ON messages (parent_id COLLATE NOCASE)",
    "partial index": "CREATE INDEX i ON blocks (id) WHERE abs(id)",
    "index that computes": "CREATE INDEX i ON blocks (lower(id))",
    "words of another": "CREATE VIRTUAL TABLE words USING fts5(x)",
    "places of another": "CREATE VIRTUAL TABLE places USING rtree(a, b, c)",
    "numbers of another": "CREATE TABLE t (i INTEGER PRIMARY KEY AUTOINCREMENT)",
    "a name that steers a terminal": 'CREATE TABLE "\x1b[31m\nx" (y)',
    "a name without end": f'CREATE TABLE "{"x" * 100_000}" (y)',
}
"""What somebody has added to a file that convotui has made."""


@pytest.mark.parametrize("added", OBJECTS)
def test_45_what_was_added_to_our_file_is_named_and_stops_all_writing(
    path: Path, added: str
) -> None:
    with Store(path) as store:
        store.save(chain(["hello", "world"]))
    with other_program(path) as connection:
        connection.execute(OBJECTS[added])
    before = bytes_beside(path)
    with Store(path) as store:
        for look in LOOKS.values():
            look(store)
        assert texts(store) == ["hello", "world"]
        with pytest.raises(ReadOnlyError, match="only reads it") as caught:
            store.save([draft("more")])
    said = str(caught.value)
    assert said.isprintable()
    assert len(said) < 300 + len(str(path))
    assert bytes_beside(path) == before


LIES = {
    "a trigger that says it is an index": (
        "index",
        "idx_messages_role",
        "CREATE TRIGGER evil AFTER INSERT ON messages BEGIN DELETE FROM blocks; END",
    ),
    "a view that says it is a table": (
        "table",
        "convotui_more",
        "CREATE VIEW convotui_more AS SELECT 1",
    ),
    "a virtual table that says it is SQLite's": (
        "table",
        "sqlite_stat1",
        "CREATE VIRTUAL TABLE sqlite_stat1 USING fts5(x)",
    ),
    "the messages once more": ("table", "messages", "CREATE TABLE messages (id)"),
    "nothing": (None, None, None),
    "a name in no language": ("table", b"\xff", 7),
    "a name on two lines": ("table", "a\n\x1b]0;b", "CREATE TABLE nonsense"),
}


@pytest.mark.parametrize("lie", LIES)
def test_45_a_schema_that_lies_is_seen_through(path: Path, lie: str) -> None:
    with Store(path) as store:
        store.save([draft("hello")])
    kind, name, sql = LIES[lie]
    connection = apsw.Connection(str(path))
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
    connection.execute("PRAGMA writable_schema = 1")
    connection.execute(
        "INSERT INTO sqlite_schema VALUES (?, ?, 'messages', 0, ?)", (kind, name, sql)
    )
    connection.close()
    before = bytes_beside(path)
    with Store(path) as store:
        for look in LOOKS.values():
            with suppress(DamagedError):
                look(store)
        with pytest.raises((ReadOnlyError, DamagedError)) as caught:
            store.save([draft("more")])
    assert str(caught.value).isprintable()
    assert bytes_beside(path) == before


@pytest.mark.parametrize("other", ["blocks", "idx_messages_created_at"])
def test_45_two_tables_in_one_place_are_not_written(path: Path, other: str) -> None:
    with Store(path) as store:
        store.save([draft("hello")])
    connection = apsw.Connection(str(path))
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
    connection.execute("PRAGMA writable_schema = 1")
    connection.execute(
        "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema"
        " WHERE name = 'messages') WHERE name = ?",
        (other,),
    )
    connection.close()
    before = bytes_beside(path)
    with Store(path) as store, pytest.raises(ReadOnlyError, match="in one place"):
        store.save([draft("more")])
    assert bytes_beside(path) == before


def test_45_what_is_added_under_an_open_store_stops_its_writing_too(path: Path) -> None:
    with Store(path) as store:
        store.save([draft("hello")])
        with other_program(path) as connection:
            connection.execute("CREATE UNIQUE INDEX evil ON messages (role)")
        with pytest.raises(ReadOnlyError, match="evil"):
            store.save([draft("more")])
        with other_program(path) as connection:
            connection.execute("DROP INDEX evil")
        store.save([draft("more")])
        assert texts(store) == ["hello", "more"]
