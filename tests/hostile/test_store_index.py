"""An index of words that is damaged or gone: nothing is lost, and all goes on.

The numbers are those of the catalogue of what has to be survived.
"""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from convotui.storage import Store
from tests.storage.helpers import draft, is_whole, other_program, texts

DAMAGE = {
    "a structure of nonsense": "UPDATE convotui_search_data SET block = x'ffffffffff'",
    "nothing but zeros": "UPDATE convotui_search_data SET block = zeroblob(50000)",
    "no structure": "DELETE FROM convotui_search_data",
    "wrong pages": "UPDATE convotui_search_idx SET pgno = 99999999999",
    "no pages": "DELETE FROM convotui_search_idx",
    "settings of nonsense": "INSERT OR REPLACE INTO convotui_search_config"
    " VALUES ('rank', 'evil()'), ('pgsz', 1), ('automerge', -5)",
    "sizes of nonsense": "UPDATE convotui_search_docsize SET sz = x'ffff'",
    "no sizes": "DELETE FROM convotui_search_docsize",
    "another form": "UPDATE convotui_search_config SET v = 99",
    "a part missing": "PRAGMA writable_schema = 1; DROP TABLE convotui_search_idx",
    "all of it missing": "DROP TABLE convotui_search",
    "a number that is the last": "INSERT INTO convotui_indexed"
    " VALUES (9223372036854775807, 'nobody')",
    "a mark beyond all messages": "INSERT OR REPLACE INTO convotui_meta"
    " VALUES ('indexed_up_to', '9223372036854775807')",
    "messages that were given the last number": "UPDATE messages"
    " SET rowid = 9223372036854775807 WHERE rowid = 1",
}


@pytest.fixture(params=DAMAGE)
def damaged(path: Path, request: pytest.FixtureRequest) -> Path:
    """A file with two messages and an index that somebody has damaged."""
    with Store(path) as store:
        store.save([draft("hello"), draft("world")])
        store.repair()
    for copy in path.parent.glob("*.backup-*"):
        copy.unlink()
    connection = apsw.Connection(str(path))
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
    connection.execute(DAMAGE[str(request.param)])
    connection.close()
    return path


def test_51_a_damaged_index_keeps_nobody_from_writing(damaged: Path) -> None:
    with Store(damaged) as store:
        for number in range(60):
            store.save([draft(f"more {number}")])
        ids = store.outline().ids
        store.delete(ids[:1], recursive=True)
        store.delete(ids[-1:])
        assert len(store.outline()) == 60
        store.undo()
        store.undo()
        assert sorted(texts(store)) == sorted(
            ["hello", "world", *(f"more {number}" for number in range(60))]
        )


def test_51_a_repair_makes_the_index_anew(
    damaged: Path, request: pytest.FixtureRequest
) -> None:
    with Store(damaged) as store:
        store.save([draft("more")])
        store.repair()
        for word in ("hello", "world", "more"):
            assert [hit.match for hit in store.search(word)] == [word]
        if "another form" not in request.node.name:
            assert store.health().is_sound
            assert store.health().unindexed == 0
    if "another form" not in request.node.name:
        assert is_whole(damaged)


def test_51_a_search_that_meets_damage_reads_the_messages(path: Path) -> None:
    with Store(path) as store:
        store.save([draft("hello"), draft("world")])
        store.repair()
    with other_program(path) as connection:
        connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
        connection.execute(DAMAGE["a structure of nonsense"])
    with Store(path) as store:
        assert [hit.match for hit in store.search("world")] == ["world"]
        assert any("convotui_search" in line for line in store.health().damage)
