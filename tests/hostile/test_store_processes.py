"""Several processes at one file, and what kills them.

The numbers are those of the catalogue of what has to be survived.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from convotui.storage import Store
from tests.storage.helpers import chain, draft, is_whole, rows
from tests.storage.processes import finish, hear, run, say, start

SAVES_PAIRS = """
store = Store(path)
print("ready", flush=True)
sys.stdin.readline()
for number in range(10**9):
    name = f"{sys.argv[2]}{number}"
    store.save([said(name), said(f"reply to {name}", 0)])
    print(name, flush=True)
"""

CPE_SAVES_PAIRS = """
import sqlite3
connection = sqlite3.connect(path, timeout=60, isolation_level=None)
print("ready", flush=True)
sys.stdin.readline()
for number in range(10**9):
    name = f"{sys.argv[2]}{number}"
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("INSERT INTO messages (id, role) VALUES (?, 'user')", [name])
    connection.execute(
        "INSERT INTO blocks (message_id, block_type, modality_type, mime_type, content,"
        " sequence_order) VALUES (?, 'content', 0, 'text/plain', ?, 0)", [name, name]
    )
    connection.execute("COMMIT")
    print(name, flush=True)
"""


@pytest.mark.parametrize("attempt", range(6))
def test_19_killed_writers_lose_nothing_that_was_acknowledged(
    path: Path, attempt: int
) -> None:
    chance = Random(attempt)
    with Store(path) as store:
        store.save([draft("first")])
    scripts = {"a": SAVES_PAIRS, "b": SAVES_PAIRS, "cpe": CPE_SAVES_PAIRS}
    writers = {name: start(script, path, name) for name, script in scripts.items()}
    for writer in writers.values():
        assert hear(writer) == "ready"
    for writer in writers.values():
        say(writer)
    acknowledged: set[str] = set()
    for name in chance.sample(sorted(writers), 3):
        for _ in range(chance.randrange(1, 25)):
            acknowledged.add(hear(writers[name]))
        writers[name].kill()
        writers[name].communicate()
    with Store(path) as store:
        messages = {message.text: message for message in store.list_messages()}
        assert acknowledged <= messages.keys()
        for text, message in messages.items():
            if text.startswith("reply to "):
                assert message.parent_id == messages[text[len("reply to ") :]].id
            elif text[0] in "ab":
                assert f"reply to {text}" in messages
        assert store.health().is_sound
        store.save([draft("and on it goes")])
    assert is_whole(path)


FIRST_SAVE = """
print("ready", flush=True)
with Store(path) as store:
    store.save([said("first")])
print("saved", flush=True)
sys.stdin.readline()
"""


@pytest.mark.parametrize("attempt", range(12))
def test_20_a_file_that_was_killed_in_the_making_is_made_by_the_next(
    path: Path, attempt: int
) -> None:
    victim = start(FIRST_SAVE, path)
    assert hear(victim) == "ready"
    spins = Random(attempt).randrange(12)
    while not path.exists() and victim.poll() is None:
        pass
    # Each look takes about as long as a step of the making.
    for _ in range(spins):
        path.exists()
    victim.kill()
    victim.communicate()
    with Store(path) as store:
        found = [message.text for message in store.list_messages()]
        assert found in ([], ["first"])
        store.save([draft("second")])
        assert [message.text for message in store.list_messages()] == [
            "second",
            *found,
        ]
    assert is_whole(path)


DELETES_AND_RESTORES = """
store = Store(path)
top = store.outline().ids[:1]
for _ in range(10**9):
    store.delete(top, recursive=True)
    store.undo()
    print("once", flush=True)
"""


@pytest.mark.parametrize("attempt", range(6))
def test_21_a_killed_delete_of_a_subtree_is_done_or_not_done(
    path: Path, attempt: int
) -> None:
    with Store(path) as store:
        store.save(chain([str(number) for number in range(400)]))
    victim = start(DELETES_AND_RESTORES, path)
    for _ in range(1 + Random(attempt).randrange(8)):
        assert hear(victim) == "once"
    victim.kill()
    victim.communicate()
    with Store(path) as store:
        health = store.health()
        assert {health.messages, health.trashed_messages} == {0, 400}
        if health.trashed_messages:
            store.undo()
        assert len(store.thread(store.outline().ids[-1])) == 400
    assert is_whole(path)


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
