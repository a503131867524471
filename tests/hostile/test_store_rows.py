"""Rows and forms of a file that no program of ours writes: shown as far as they go.

The numbers are those of the catalogue of what has to be survived.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import apsw
import pytest

from convotui.storage import (
    MessageId,
    MessageNotFoundError,
    NotAStoreError,
    StorageError,
    Store,
)
from tests.storage.helpers import (
    LOOKS,
    SEED_SQL,
    add_message,
    bytes_beside,
    draft,
    is_whole,
    other_program,
    seed_file,
    texts,
)

from .test_store_values import ODD

COLUMNS = {
    "messages": ["id", "parent_id", "title", "role", "tool_result_error", "created_at"],
    "blocks": [
        "id",
        "message_id",
        "block_type",
        "modality_type",
        "mime_type",
        "content",
        "extra_fields",
        "sequence_order",
        "created_at",
    ],
}

LOOSE_SQL = SEED_SQL.replace("NOT NULL", "")
"""Tables that take anything."""


@pytest.mark.parametrize("odd", ODD, ids=range(len(ODD)))
@pytest.mark.parametrize("table", COLUMNS)
def test_49_an_odd_value_in_one_row_hides_no_other(
    path: Path, table: str, odd: str
) -> None:
    for column in COLUMNS[table]:
        for file in path.parent.iterdir():
            file.unlink()
        with other_program(path) as connection:
            connection.execute(LOOSE_SQL)
            for name in ("odd", "honest"):
                add_message(connection, name, f"an {name} one", parent="top")
            add_message(connection, "top", "the top one", title="a label")
            key = "id" if table == "messages" else "message_id"
            connection.execute(f"UPDATE {table} SET {column} = {odd} WHERE {key}='odd'")
        before = path.read_bytes()
        with Store(path) as store:
            for look in LOOKS.values():
                # Who asks for a message without a name asks for none.
                with suppress(MessageNotFoundError):
                    look(store)
            where = (table, column)
            assert {"an honest one", "the top one"} <= set(texts(store)), where
            assert {"top", "honest"} <= set(store.outline().ids), where
            assert {"top", "honest"} <= {row.id for row in store.list_rows()}, where
            assert [hit.id for hit in store.search("an honest")] == ["honest"], where
            thread = store.thread(MessageId("honest"))
            assert [message.id for message in thread] == ["top", "honest"], where
        assert path.read_bytes() == before
        with Store(path) as store:
            with suppress(StorageError):
                store.save([draft("more", MessageId("honest"))])
                store.delete([MessageId("top")], recursive=True)
                store.undo()
            assert "an honest one" in texts(store), where


@pytest.mark.parametrize("encoding", ["UTF-16le", "UTF-16be"])
def test_54_a_file_in_another_encoding_is_refused_in_one_line(
    path: Path, encoding: str
) -> None:
    with other_program(path) as connection:
        connection.execute(f"PRAGMA encoding = '{encoding}'")
        connection.execute(SEED_SQL)
        add_message(connection, "first", "hello")
    before = bytes_beside(path)
    with Store(path) as store:
        for use in (store.list_messages, lambda: store.save([draft("x")])):
            with pytest.raises(NotAStoreError, match=encoding):
                use()
    assert bytes_beside(path) == before


@pytest.mark.parametrize("table", ["messages", "blocks"])
def test_54_tables_without_row_numbers_are_refused_in_one_line(
    path: Path, table: str
) -> None:
    action = "RESTRICT" if table == "messages" else "CASCADE"
    with other_program(path) as connection:
        end = f"ON DELETE {action}\n)"
        connection.execute(SEED_SQL.replace(end, f"{end} WITHOUT ROWID"))
        add_message(connection, "first", "hello")
    before = bytes_beside(path)
    with Store(path) as store:
        for use in (store.list_messages, lambda: store.save([draft("x")])):
            with pytest.raises(NotAStoreError, match=f"'{table}' is not CPE's"):
                use()
    assert bytes_beside(path) == before


FORMS = {
    "small pages": "PRAGMA page_size = 512",
    "large pages": "PRAGMA page_size = 65536",
    "pages that are given back": "PRAGMA auto_vacuum = FULL",
    "pages that are given back on request": "PRAGMA auto_vacuum = INCREMENTAL",
    "a small cache": "PRAGMA default_cache_size = 1",
}


@pytest.mark.parametrize("form", FORMS)
def test_54_the_form_of_a_file_does_not_matter(path: Path, form: str) -> None:
    connection = apsw.Connection(str(path))
    connection.execute(FORMS[form])
    connection.execute(SEED_SQL)
    add_message(connection, "first", "hello")
    connection.close()
    with Store(path) as store:
        ids = store.save([draft("more " * 1000) for _ in range(60)])
        store.delete(ids)
        store.empty_trash()
        assert texts(store) == ["hello"]
        assert store.health().is_sound
    assert is_whole(path)


@pytest.mark.parametrize("pages", [b"\0\0\0\2", b"\xff\xff\xff\xff", b"\x7f\0\0\0"])
def test_51_a_list_of_free_pages_that_lies_is_told(path: Path, pages: bytes) -> None:
    with Store(path) as store:
        ids = store.save([draft("x" * 3000) for _ in range(50)])
        store.delete(ids[5:])
        store.empty_trash()
    held = bytearray(path.read_bytes())
    held[32:36] = pages
    path.write_bytes(held)
    with Store(path) as store:
        assert len(texts(store)) == 5
        assert store.health().damage
        with suppress(StorageError):
            for _ in range(20):
                store.save([draft("y" * 3000)])
        assert [text[:1] for text in texts(store)[:5]] == ["x"] * 5


def test_49_poisoned_statistics_and_sequences_change_nothing(path: Path) -> None:
    seed_file(path)
    with other_program(path) as connection:
        add_message(connection, "first", "hello", at="2020-01-01 00:00:00")
        connection.execute(
            "ANALYZE; UPDATE sqlite_stat1 SET stat = '9999999999999999999 0 evil';"
            "INSERT INTO sqlite_stat1 VALUES ('messages', 'none', x'00ff');"
            "INSERT INTO sqlite_stat1 VALUES (NULL, NULL, NULL);"
            "CREATE TABLE t (i INTEGER PRIMARY KEY AUTOINCREMENT); DROP TABLE t;"
            "INSERT INTO sqlite_sequence VALUES ('messages', 9223372036854775807)"
        )
    with Store(path) as store:
        for look in LOOKS.values():
            look(store)
        store.save([draft("more")])
        assert texts(store) == ["hello", "more"]
        assert store.health().is_sound
