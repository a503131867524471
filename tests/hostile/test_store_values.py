"""Values that nobody should have written: one row suffers, all others are shown.

The numbers are those of the catalogue of what has to be survived.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import apsw
import pytest

from convotui.storage import (
    UNKNOWN_TIME,
    Arrival,
    Block,
    MessageId,
    ReplyFacts,
    StorageError,
    Store,
)
from tests.storage.helpers import (
    LOOKS,
    add_message,
    chain,
    ids_of,
    other_program,
    rows,
    seed_file,
    texts,
)
from tests.storage.processes import run

from .faults import COUNT
from .test_store_files import WRITES

STRIDE = max(1, 5 - COUNT)
"""In how many columns one odd value is tried once."""

FIXTURES = Path(__file__).parent.parent / "fixtures"

ODD = (
    "NULL",
    "x'ff00'",
    "'text'",
    "CAST(x'61ff' AS TEXT)",
    "9e999",
    "-1",
    "9223372036854775807",
    "''",
    "'[[[['",
    "'[1, null, {}]'",
    f"'{'[' * 100_000}'",
)
"""Each in the place of what belongs there."""


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file in which every table of convotui's own holds something."""
    path = tmp_path_factory.mktemp("used") / ".cpeconvo"
    with Store(path) as store:
        ids = store.save(chain(["hello", "there", "more", "words"]))
        store.set_facts(ids[1], ReplyFacts("m", cost=0.5))
        store.label(ids[0], "a label")
        store.delete(ids[3:])
        store.label(ids[1], "another")
        store.undo()
        arrival = Arrival("key", "user", [Block("imported")])
        store.origins.take_in("elsewhere", "conversation", [arrival])
        store.repair()
    return path


def own_columns(path: Path) -> Iterator[tuple[str, str]]:
    tables = rows(
        path,
        "SELECT name FROM sqlite_schema WHERE type = 'table'"
        " AND name GLOB 'convotui_*' AND NOT name GLOB 'convotui_search*'",
    )
    for (table,) in tables:
        assert rows(path, f"SELECT count(*) FROM {table}") > [(0,)], table
        for row in rows(path, f"PRAGMA table_info({table})"):
            yield table, row[1]


@pytest.mark.parametrize("odd", ODD, ids=range(len(ODD)))
def test_49_odd_values_in_our_own_tables_hide_no_message(
    used: Path, path: Path, odd: str
) -> None:
    # Over all odd values, each column has its turn several times.
    turn = ODD.index(odd) % STRIDE
    for table, column in [*own_columns(used)][turn::STRIDE]:
        for ending in ("-wal", "-shm"):
            path.with_name(path.name + ending).unlink(missing_ok=True)
        shutil.copyfile(used, path)
        try:
            with other_program(path) as connection:
                connection.execute(f"UPDATE {table} SET {column} = {odd}")
        except (apsw.ConstraintError, apsw.MismatchError):
            continue
        with Store(path) as store:
            if column not in ("key", "value"):
                assert {"hello", "imported"} <= set(texts(store)), column
            known = [*rows(path, "SELECT id FROM messages ORDER BY rowid")]
            ids = ids_of(*(name for (name,) in known))
            for look in LOOKS.values():
                with suppress(StorageError):
                    look(store)
            with suppress(StorageError):
                store.origins.of(ids)
            for write in WRITES.values():
                with suppress(StorageError):
                    write(store, ids)
        assert ("hello",) in rows(path, "SELECT content FROM blocks")


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ("not a date", UNKNOWN_TIME),
        ("", UNKNOWN_TIME),
        ("9999-12-31 23:59:59", datetime(9999, 12, 31, 23, 59, 59)),
        ("9999-12-31 23:59:59-23:00", UNKNOWN_TIME),
        ("0001-01-01 00:00:00+23:00", UNKNOWN_TIME),
        ("99999-01-01 00:00:00", UNKNOWN_TIME),
        ("2026-02-30 00:00:00", UNKNOWN_TIME),
    ],
)
def test_49_a_time_that_is_none_stops_no_look(
    path: Path, stored: str, shown: datetime
) -> None:
    seed_file(path)
    with other_program(path) as connection:
        add_message(connection, "odd", "an odd one", at=stored)
        add_message(connection, "reply", "an honest one", parent="odd")
    with Store(path) as store:
        for look in LOOKS.values():
            look(store)
        odd, reply = store.thread(MessageId("reply"))
        assert (odd.created_at, reply.text) == (shown, "an honest one")


def test_49_words_after_a_null_character_are_shown_and_found(path: Path) -> None:
    seed_file(path)
    with other_program(path) as connection:
        add_message(connection, "odd", "before\x00after", title="a\x00b")
    with Store(path) as store:
        for _ in range(2):
            [message] = store.list_messages()
            assert (message.text, message.title) == ("before\x00after", "a\x00b")
            assert [hit.id for hit in store.search("after")] == ["odd"]
            [preview] = store.list_rows()
            assert "after" in preview.text
            store.repair()


LOOKS_AT_HUGE = """
import resource
store = Store(path)
store.outline()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
store.list_rows(), store.list_messages(), store.search("honest"), store.health()
store.thread(MessageId("huge")), store.subtree(MessageId("huge"))
store.save([said("more")])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_50_a_row_of_300_megabytes_is_never_read_as_a_whole(path: Path) -> None:
    seed_file(path)
    with other_program(path) as connection:
        add_message(connection, "huge", "x")
        add_message(connection, "other", "an honest one")
        connection.execute(
            "UPDATE blocks SET content = CAST(zeroblob(300000000) AS TEXT)"
            " WHERE message_id = 'huge'"
        )
    grown = int(run(LOOKS_AT_HUGE, path))
    assert grown * 1024 < 100_000_000


def test_49_a_model_of_no_name_hides_no_message(path: Path) -> None:
    shutil.copyfile(FIXTURES / "cpe_today.cpeconvo", path)
    with Store(path) as store:
        before = texts(store)
    with other_program(path) as connection:
        connection.execute("UPDATE messages SET model_id = CAST(x'61ff' AS TEXT)")
    with Store(path) as store:
        assert texts(store) == before
        assert {m.facts.model for m in store.list_messages() if m.facts} == {"a\ufffd"}
