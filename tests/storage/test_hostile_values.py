"""Rows with values that no program should have written: the others are still shown."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from convotui.storage import MessageId, StorageError, Store

from .helpers import (
    LOOKS,
    SEED_SQL,
    add_message,
    draft,
    is_whole,
    other_program,
    rows,
    seed_file,
)

INVALID = "CAST(x'61ff62' AS TEXT)"
"""Text that is no UTF-8."""

ODD_VALUES = {
    "content is bytes": "UPDATE blocks SET content = x'00ff' WHERE message_id = 'odd'",
    "content is no UTF-8": f"UPDATE blocks SET content = {INVALID}"
    " WHERE message_id = 'odd'",
    "extra fields are no UTF-8": f"UPDATE blocks SET extra_fields = {INVALID}"
    " WHERE message_id = 'odd'",
    "extra fields are bytes": "UPDATE blocks SET extra_fields = x'7b7d'"
    " WHERE message_id = 'odd'",
    "block type is bytes": "UPDATE blocks SET block_type = x'ff'"
    " WHERE message_id = 'odd'",
    "modality is text": "UPDATE blocks SET modality_type = 'image'"
    " WHERE message_id = 'odd'",
    "sequence is text": "UPDATE blocks SET sequence_order = 'first'"
    " WHERE message_id = 'odd';"
    "INSERT INTO blocks (message_id, block_type, modality_type, mime_type, content,"
    " sequence_order) VALUES ('odd', 'content', 0, '', 'second', 1)",
    "role is unknown": "UPDATE messages SET role = 'wizard' WHERE id = 'odd'",
    "role is bytes": "UPDATE messages SET role = x'ff' WHERE id = 'odd'",
    "title is no UTF-8": f"UPDATE messages SET title = {INVALID} WHERE id = 'odd'",
    "title is bytes": "UPDATE messages SET title = x'ff' WHERE id = 'odd'",
    "title is a number": "UPDATE messages SET title = 7 WHERE id = 'odd'",
    "error mark is text": "UPDATE messages SET tool_result_error = 'yes'"
    " WHERE id = 'odd'",
    "time is bytes": "UPDATE messages SET created_at = x'ff' WHERE id = 'odd'",
    "time is infinite": "UPDATE messages SET created_at = 9e999 WHERE id = 'odd'",
    "id is bytes": "UPDATE messages SET id = x'6f6464' WHERE id = 'odd'",
    "id is no UTF-8": f"UPDATE messages SET id = {INVALID} WHERE id = 'odd'",
    "id has a NUL": "UPDATE messages SET id = 'o' || char(0) || 'd' WHERE id = 'odd'",
    "parent is bytes": "UPDATE messages SET parent_id = x'ff' WHERE id = 'odd'",
    "parent is no UTF-8": f"UPDATE messages SET parent_id = {INVALID} WHERE id = 'odd'",
}


@pytest.fixture(params=ODD_VALUES)
def odd(path: Path, request: pytest.FixtureRequest) -> Path:
    """A file in which one message has a value of a wrong kind."""
    seed_file(path)
    with other_program(path) as connection:
        add_message(connection, "before", "an honest one")
        add_message(connection, "odd", "an odd one")
        add_message(connection, "after", "another honest one")
        connection.execute(ODD_VALUES[str(request.param)]).fetchall()
    return path


def test_no_look_stops_at_an_odd_value(odd: Path) -> None:
    with Store(odd) as store:
        for look in LOOKS.values():
            look(store)


def test_the_honest_messages_are_listed_found_and_shown(odd: Path) -> None:
    with Store(odd) as store:
        assert {"before", "after"} <= {message.id for message in store.list_messages()}
        assert {"before", "after"} <= {row.id for row in store.list_rows()}
        assert {"before", "after"} <= {hit.id for hit in store.search("honest")}


def test_a_file_with_an_odd_value_can_be_written(odd: Path) -> None:
    with Store(odd) as store:
        ids = store.save([draft("a new one")])
        assert [message.text for message in store.get(ids)] == ["a new one"]
        assert [hit.id for hit in store.search("new")] == ids
        store.delete(ids)
        store.undo()
        assert [message.text for message in store.get(ids)] == ["a new one"]


OWN_TABLES = [
    "convotui_replies",
    "convotui_changes",
    "convotui_trashed_messages",
    "convotui_trashed_blocks",
    "convotui_indexed",
    "convotui_search",
]


@pytest.mark.parametrize("instead", ["nothing", "another table", "a view"])
def test_own_tables_that_were_tampered_with_raise_only_what_can_be_shown(
    path: Path, instead: str
) -> None:
    for number, table in enumerate(OWN_TABLES):
        file = path.with_name(f"file{number}")
        with Store(file) as store:
            store.save([draft("hello")])
        with other_program(file) as connection:
            connection.execute(f"DROP TABLE {table}")
            if instead == "another table":
                connection.execute(f"CREATE TABLE {table} (x)")
            elif instead == "a view":
                connection.execute(f"CREATE VIEW {table} AS SELECT 1 AS x")
        use_in_every_way(file)
        assert rows(file, "SELECT content FROM blocks")[0] == ("hello",)


def use_in_every_way(path: Path) -> None:
    """Look and write; anything but an error of the store's own passes through."""
    with Store(path) as store:
        for look in LOOKS.values():
            with suppress(StorageError):
                look(store)
        for _ in range(2):
            with suppress(StorageError):
                store.delete(store.save([draft("more")]))


@pytest.mark.parametrize(
    ("honest", "hostile"),
    [
        ("role              TEXT", "role TEXT UNIQUE"),
        ("title             TEXT", "title TEXT NOT NULL"),
        ("id                TEXT PRIMARY KEY", "id INTEGER PRIMARY KEY"),
        ("RESTRICT\n)", "RESTRICT\n) WITHOUT ROWID"),
        ("REFERENCES messages (id) ON DELETE RESTRICT", "REFERENCES nowhere (id)"),
    ],
)
def test_tables_that_only_look_like_cpes_raise_only_what_can_be_shown(
    path: Path, honest: str, hostile: str
) -> None:
    assert honest in SEED_SQL
    with other_program(path) as connection:
        connection.execute(SEED_SQL.replace(honest, hostile, 1))
        connection.execute(
            "INSERT INTO messages (id, title, role) VALUES (1, '', 'user')"
        )
    use_in_every_way(path)
    assert rows(path, "SELECT role FROM messages WHERE id = 1") == [("user",)]


@pytest.fixture
def huge(path: Path) -> Path:
    """A file with one value that is longer than any block CPE writes."""
    seed_file(path)
    with other_program(path) as connection:
        add_message(connection, "before", "an honest one")
        add_message(connection, "huge", "x")
        connection.execute(
            "UPDATE blocks SET content = CAST(zeroblob(101000000) AS TEXT)"
            " WHERE message_id = 'huge'"
        )
    return path


def test_a_value_that_is_far_too_long_hides_no_other_message(huge: Path) -> None:
    with Store(huge) as store:
        assert store.outline().ids == ["before", "huge"]
        assert [row.id for row in store.list_rows()] == ["huge", "before"]
        assert [message.id for message in store.thread(MessageId("before"))]
        assert [hit.id for hit in store.search("honest")] == ["before"]


def test_a_file_with_a_value_that_is_far_too_long_can_be_written(huge: Path) -> None:
    with Store(huge) as store:
        [new] = store.save([draft("more")])
        assert [message.text for message in store.thread(new)] == ["more"]
    assert is_whole(huge)
