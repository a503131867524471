"""The file that convotui makes is the one that CPE's specification describes."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from convotui.storage import MessageId, MessageNotFoundError, Store

from .helpers import SEED_SQL, Rows, draft, other_program, rows

SHARED = ("messages", "blocks")


@pytest.fixture
def made(path: Path) -> Path:
    """A file that convotui has made and used."""
    with Store(path) as store:
        first, second = store.save([draft("one"), draft("two", 0)])
        store.label(first, "a label")
        store.delete([second])
    return path


@pytest.fixture
def seed() -> Iterator[apsw.Connection]:
    """A database made by the specification's own SQL."""
    connection = apsw.Connection(":memory:")
    connection.execute(SEED_SQL)
    yield connection
    connection.close()


@pytest.mark.parametrize("table", SHARED)
def test_columns_are_the_specifications(
    made: Path, seed: apsw.Connection, table: str
) -> None:
    described = f"PRAGMA table_xinfo({table})"
    assert rows(made, described) == seed.execute(described).fetchall()


@pytest.mark.parametrize("table", SHARED)
def test_foreign_keys_are_the_specifications(
    made: Path, seed: apsw.Connection, table: str
) -> None:
    described = f"PRAGMA foreign_key_list({table})"
    expected = seed.execute(described).fetchall()
    assert rows(made, described) == expected
    assert expected


@pytest.mark.parametrize("table", SHARED)
def test_indexes_are_the_specifications(
    made: Path, seed: apsw.Connection, table: str
) -> None:
    with other_program(made) as connection:
        assert indexes(connection, table) == indexes(seed, table)


def indexes(connection: apsw.Connection, table: str) -> dict[str, tuple[Rows, Rows]]:
    listed = connection.execute(f"PRAGMA index_list({table})").fetchall()
    return {
        str(name): (
            [(unique, origin, partial)],
            connection.execute(f"PRAGMA index_xinfo({name})").fetchall(),
        )
        for _, name, unique, origin, partial in listed
    }


def test_all_other_tables_say_whose_they_are(made: Path) -> None:
    names = {
        name
        for (name,) in rows(made, "SELECT name FROM sqlite_master WHERE type = 'table'")
    }
    others = names - {*SHARED, "sqlite_sequence"}
    assert others
    assert all(name.startswith("convotui_") for name in others)


def test_nothing_in_the_file_runs_by_itself(made: Path) -> None:
    assert (
        rows(made, "SELECT name FROM sqlite_master WHERE type IN ('trigger', 'view')")
        == []
    )


def test_cpe_reads_and_writes_the_file_by_its_own_queries(made: Path) -> None:
    with other_program(made) as cpe:
        cpe.execute("PRAGMA foreign_keys = ON")
        cpe.execute(
            SEED_SQL.replace("CREATE TABLE", "CREATE TABLE IF NOT EXISTS").replace(
                "CREATE INDEX", "CREATE INDEX IF NOT EXISTS"
            )
        )
        [(parent,)] = cpe.execute("SELECT id FROM messages").fetchall()
        cpe.execute(
            "INSERT INTO messages (id, parent_id, title, role, tool_result_error)"
            " VALUES ('byCpe1', ?, NULL, 'assistant', 0)",
            (parent,),
        )
        cpe.execute(
            "INSERT INTO blocks (id, message_id, block_type, modality_type, mime_type,"
            " content, extra_fields, sequence_order)"
            " VALUES (NULL, 'byCpe1', 'content', 0, 'text/plain', 'said CPE', NULL, 0)"
        )
    with Store(made) as store:
        thread = store.thread(MessageId("byCpe1"))
    assert [message.text for message in thread] == ["one", "said CPE"]


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_only_the_user_can_read_a_new_file(path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        with Store(path) as store:
            store.save([draft("secret")])
            beside = {
                file.name: stat.S_IMODE(file.stat().st_mode)
                for file in path.parent.iterdir()
            }
    finally:
        os.umask(before)
    assert beside[path.name] == 0o600
    assert set(beside.values()) == {0o600}


def test_a_new_file_is_written_through_a_log(path: Path) -> None:
    with Store(path) as store:
        store.save([draft("one")])
        assert store.health().journal_mode == "wal"
    assert rows(path, "PRAGMA journal_mode") == [("wal",)]


def test_the_journal_of_a_file_that_is_there_is_left_alone(path: Path) -> None:
    with other_program(path) as connection:
        connection.execute(SEED_SQL)
    with Store(path) as store:
        store.save([draft("one")])
    assert rows(path, "PRAGMA journal_mode") == [("delete",)]


def test_closing_leaves_one_file(made: Path) -> None:
    assert [file.name for file in made.parent.iterdir()] == [made.name]


def test_the_first_save_makes_the_file_and_says_so_once(path: Path) -> None:
    made: list[Path] = []
    with Store(path, on_made=made.append) as store:
        assert store.list_messages() == []
        assert not path.exists()
        store.save([draft("one")])
        assert path.exists()
        store.save([draft("two")])
    with Store(path, on_made=made.append) as store:
        store.save([draft("three")])
    assert made == [path]


def test_changes_other_than_a_save_make_no_file(path: Path) -> None:
    nobody = MessageId("nobody")
    with Store(path) as store:
        assert store.delete([nobody]) is None
        with pytest.raises(MessageNotFoundError):
            store.label(nobody, "x")
        assert store.empty_trash() == 0
        store.sweep()
        assert list(path.parent.iterdir()) == []


def test_a_first_save_that_is_refused_makes_no_file(path: Path) -> None:
    with Store(path) as store:
        with pytest.raises(MessageNotFoundError):
            store.save([draft("lost", MessageId("nobody"))])
        assert list(path.parent.iterdir()) == []
