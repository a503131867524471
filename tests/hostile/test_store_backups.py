"""Copies and upgrades that are broken off: what was there is there, halves are not.

The numbers are those of the catalogue of what has to be survived.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random

import pytest

from convotui.storage import DiskError, Store
from tests.storage.helpers import (
    bytes_beside,
    chain,
    draft,
    is_whole,
    other_program,
    rows,
    texts,
)
from tests.storage.processes import hear, kill, run, start

from .faults import COUNT

COPIES_AGAIN_AND_AGAIN = """
store = Store(path)
for number in range(10**9):
    store.back_up(path.with_name(f"copy{number}"))
    print("one", flush=True)
"""


@pytest.mark.parametrize("attempt", range(3 * COUNT))
def test_43_no_half_copy_is_ever_taken_for_a_whole_one(
    path: Path, attempt: int
) -> None:
    chance = Random(attempt)
    with Store(path) as store:
        store.save([draft("some words " * 100) for _ in range(2000)])
    victim = start(COPIES_AGAIN_AND_AGAIN, path)
    for _ in range(chance.randrange(1, 4)):
        assert hear(victim) == "one"
    # Each look takes a small part of the time that a copy takes.
    for _ in range(chance.randrange(4000)):
        path.exists()
    kill(victim)
    copies = [f for f in path.parent.glob("copy*") if f.name[4:].isdigit()]
    assert copies
    for file in (path, *copies):
        assert rows(file, "SELECT count(*) FROM blocks") == [(2000,)]
        assert is_whole(file)


TOO_LARGE = """
import resource
with Store(path) as store:
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, resource.RLIM_INFINITY))
    for copy in (lambda: store.back_up(path.with_name("copy")), store.repair):
        try:
            copy()
        except StorageError as error:
            print(type(error).__name__)
"""


def test_43_a_copy_for_which_there_is_no_space_leaves_nothing(path: Path) -> None:
    with Store(path) as store:
        store.save([draft("some words " * 100) for _ in range(200)])
    before = bytes_beside(path)
    assert run(TOO_LARGE, path) == "DiskError\nDiskError\n"
    assert bytes_beside(path) == before


@pytest.mark.parametrize("kind", ["directory", "link"])
def test_43_a_copy_takes_nobodys_name(path: Path, kind: str) -> None:
    taken = path.with_name("taken")
    taken.mkdir() if kind == "directory" else taken.symlink_to("nowhere")
    with Store(path) as store:
        store.save([draft("hello")])
        before = set(bytes_beside(path))
        with pytest.raises(DiskError, match="taken"):
            store.back_up(taken)
        assert set(bytes_beside(path)) == before
    assert not path.with_name("nowhere").exists()


UPGRADES = """
for file in sorted(path.parent.glob("old*")):
    with Store(file) as store:
        print("one", flush=True)
        store.save([said("more")])
"""


@pytest.mark.parametrize("attempt", range(3 * COUNT))
def test_43_a_killed_upgrade_is_done_or_not_done(path: Path, attempt: int) -> None:
    with Store(path) as store:
        store.delete(store.save(chain(["question", "answer", "thanks"]))[2:])
    with other_program(path) as connection:
        connection.execute(
            "ALTER TABLE convotui_replies DROP COLUMN error;"
            "ALTER TABLE convotui_replies DROP COLUMN beat_at;"
            "DROP INDEX convotui_trashed_ids; DROP TABLE convotui_origins;"
            "UPDATE convotui_meta SET value = '1' WHERE key = 'schema_version'"
        )
    for number in range(10):
        shutil.copyfile(path, path.with_name(f"old{number}"))
    chance = Random(attempt)
    victim = start(UPGRADES, path)
    for _ in range(chance.randrange(1, 8)):
        assert hear(victim) == "one"
    for _ in range(chance.randrange(200)):
        path.exists()
    kill(victim)
    for file in path.parent.glob("old?"):
        with Store(file) as store:
            assert texts(store)[:2] == ["question", "answer"]
            store.undo()
            assert "thanks" in texts(store)
        assert is_whole(file)
