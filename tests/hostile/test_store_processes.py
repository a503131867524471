"""Several processes at one file, and what kills them.

The numbers are those of the catalogue of what has to be survived.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from convotui.storage import Store
from tests.storage.helpers import draft, is_whole, rows
from tests.storage.processes import finish, run, start

from .faults import COUNT
from .store_faults import (
    contend,
    kill_delete,
    kill_first_save,
    kill_writers,
    take_turns,
)


@pytest.mark.parametrize("attempt", range(3 * COUNT))
def test_19_killed_writers_lose_nothing_that_was_acknowledged(
    path: Path, attempt: int
) -> None:
    found = kill_writers(path, attempt)
    assert found["acknowledged"] >= found["kills"] == 4
    assert (found["lost"], found["halves"], found["damaged"]) == (0, 0, 0)


def test_22_processes_that_save_at_once_are_all_let_in(path: Path) -> None:
    found, _ = contend(path, 4, 30 * COUNT)
    assert found == Counter(sends=120 * COUNT, refused=0, lost=0, damaged=0)


def test_25_another_program_and_convotui_write_in_turn(path: Path) -> None:
    found = take_turns(path, 20 * COUNT)
    assert found == Counter(writes=40 * COUNT, unseen=0, lost=0, damaged=0)


@pytest.mark.parametrize("attempt", range(6 * COUNT))
def test_20_a_file_that_was_killed_in_the_making_is_made_by_the_next(
    path: Path, attempt: int
) -> None:
    found = kill_first_save(path, attempt)
    assert (found["lost"], found["unusable"], found["damaged"]) == (0, 0, 0)


@pytest.mark.parametrize("attempt", range(3 * COUNT))
def test_21_a_killed_delete_of_a_subtree_is_done_or_not_done(
    path: Path, attempt: int
) -> None:
    found = kill_delete(path, attempt)
    assert (found["in_parts"], found["lost"], found["damaged"]) == (0, 0, 0)


FEW_IDS = """
import random
store = Store(path, new_id=lambda: f"id{random.randrange(900)}")
for number in range(int(sys.argv[2])):
    store.save([said(str(number))])
"""


def test_38_two_processes_that_draw_from_few_ids_lose_no_message(path: Path) -> None:
    writers = [start(FEW_IDS, path, "150") for _ in range(2)]
    for writer in writers:
        finish(writer)
    assert rows(path, "SELECT count(*), count(DISTINCT id) FROM messages") == [
        (300, 300)
    ]
    assert is_whole(path)


REPLIES_BELOW = """
store = Store(path)
for number in range(int(sys.argv[2])):
    try:
        store.save([said("below", store.outline().ids[-1])])
    except (MessageNotFoundError, IndexError):
        pass
"""

DELETES_ALL = """
store = Store(path)
for number in range(int(sys.argv[2])):
    store.delete(list(store.outline().ids[:1]), recursive=True)
    store.save([said("top")])
"""


def test_40_replies_to_what_another_process_deletes_never_hang_in_the_air(
    path: Path,
) -> None:
    with Store(path) as store:
        store.save([draft("top")])
    for process in (start(REPLIES_BELOW, path, "80"), start(DELETES_ALL, path, "60")):
        finish(process)
    with Store(path) as store:
        health = store.health()
        assert (health.missing_parents, health.orphan_blocks) == (0, 0)
        while store.trash():
            store.undo()
        assert store.health().is_sound
    assert is_whole(path)


SYNCS = """
import apsw
from collections import Counter

synced = Counter()
[usual, *_] = apsw.vfs_names()

class CountingFile(apsw.VFSFile):
    def __init__(self, vfs, name, flags):
        self.name = name if isinstance(name, str) else name.filename()
        super().__init__(vfs, name, flags)

    def xSync(self, flags):
        synced[self.name[-4:]] += 1
        return super().xSync(flags)

class CountingVFS(apsw.VFS):
    def __init__(self):
        super().__init__("counting", usual, makedefault=True)

    def xOpen(self, name, flags):
        return CountingFile(usual, name, flags)

vfs = CountingVFS()
with Store(path) as store:
    store.save([said("first")])
    for number in range(20):
        before = synced["-wal"]
        [question] = store.save([said("question")])
        assert synced["-wal"] > before, number
print("all", flush=True)
"""


def test_44_every_acknowledged_message_was_synced(path: Path) -> None:
    assert run(SYNCS, path) == "all\n"
