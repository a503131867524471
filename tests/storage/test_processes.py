"""Several programs at one file: nobody fails, nothing is lost."""

from __future__ import annotations

from pathlib import Path
from threading import Thread

import pytest

from convotui.storage import Store

from .helpers import draft, is_whole, rows, seed_file, texts
from .processes import finish, hear, run, say, start

SAVE_MANY = """
sys.stdin.readline()
with Store(path) as store:
    parent = None
    for number in range(int(sys.argv[3])):
        [parent] = store.save([said(f"{sys.argv[2]} {number}", parent)])
"""

CPE_SAVES = """
import sqlite3
connection = sqlite3.connect(path, timeout=float(sys.argv[3]))
try:
    connection.execute(
        "INSERT INTO messages (id, role) VALUES (?, 'user')", [sys.argv[2]]
    )
    connection.commit()
except sqlite3.OperationalError as error:
    print(error)
connection.close()
"""

LOCK = """
import apsw
connection = apsw.Connection(str(path))
connection.execute("BEGIN IMMEDIATE")
print("locked", flush=True)
sys.stdin.readline()
connection.execute("INSERT INTO messages (id, role) VALUES ('theirs', 'user')")
connection.execute("COMMIT")
"""


def test_four_processes_save_at_once_into_a_file_that_nobody_has_made_yet(
    path: Path,
) -> None:
    writers = [start(SAVE_MANY, path, name, "60") for name in "abcd"]
    for writer in writers:
        say(writer)
    seen = 0
    with Store(path) as reader:
        while any(writer.poll() is None for writer in writers):
            count = len(reader.outline())
            assert count >= seen
            seen = count
            reader.list_messages(limit=5)
            reader.search("a")
        for writer in writers:
            finish(writer)
        found = texts(reader)
    assert sorted(found) == sorted(f"{name} {n}" for name in "abcd" for n in range(60))
    for name in "abcd":
        assert [text for text in found if text.startswith(name)] == [
            f"{name} {number}" for number in range(60)
        ]
    assert is_whole(path)


@pytest.mark.parametrize("attempt", range(5))
def test_two_processes_make_the_file_at_the_same_moment(
    path: Path, attempt: int
) -> None:
    writers = [start(SAVE_MANY, path, name, "1") for name in "ab"]
    for writer in writers:
        say(writer)
    for writer in writers:
        finish(writer)
    with Store(path) as store:
        assert sorted(texts(store)) == ["a 0", "b 0"]
        assert store.health().journal_mode == "wal"
    assert is_whole(path)


@pytest.mark.parametrize("journal", ["wal", "delete"])
def test_cpe_and_convotui_take_turns_and_nothing_is_lost(
    path: Path, journal: str
) -> None:
    if journal == "delete":
        seed_file(path)
    with Store(path) as store:
        saved: set[str] = set(store.save([draft("first")]))
        for number in range(6):
            assert set(store.outline().ids) == saved
            assert run(CPE_SAVES, path, f"byCpe{number}", "5") == ""
            saved.add(f"byCpe{number}")
            assert set(store.outline().ids) == saved
            store.health()
            saved.update(store.save([draft(f"ours {number}")]))
    assert {name for (name,) in rows(path, "SELECT id FROM messages")} == saved
    assert is_whole(path)


@pytest.mark.parametrize("journal", ["wal", "delete"])
def test_looking_lets_nobody_into_a_write_under_way(path: Path, journal: str) -> None:
    """A process that closes a file loses its locks on it, whoever opened it."""
    answers: list[str] = []

    def id_while_others_look() -> str:
        with Store(path) as other:
            other.list_messages()
        answers.append(run(CPE_SAVES, path, "byCpe1", "0"))
        return "ours11"

    if journal == "delete":
        seed_file(path)
    else:
        with Store(path) as store:
            store.delete(store.save([draft("only to make the file")]))
            store.empty_trash()
    with Store(path, new_id=id_while_others_look) as store:
        store.save([draft("ours")])
    assert answers == ["database is locked\n"]
    assert rows(path, "SELECT id FROM messages") == [("ours11",)]
    assert is_whole(path)


def test_a_write_waits_for_that_of_another_process(path: Path) -> None:
    seed_file(path)
    other = start(LOCK, path)
    assert hear(other) == "locked"
    with Store(path) as store:
        saving = Thread(target=lambda: store.save([draft("ours", id="ours11")]))
        saving.start()
        say(other)
        finish(other)
        saving.join()
        assert set(store.outline().ids) == {"theirs", "ours11"}


KILLED_WHILE_SAVING = """
store = Store(path)
for number in range(10**9):
    store.save([said(str(number)), said("reply", 0)])
    print(number, flush=True)
"""


def test_what_was_acknowledged_survives_a_killed_process(path: Path) -> None:
    victim = start(KILLED_WHILE_SAVING, path)
    while (acknowledged := int(hear(victim))) < 40:
        pass
    victim.kill()
    victim.communicate()
    with Store(path) as store:
        found = texts(store)
    numbers = [int(text) for text in found if text != "reply"]
    assert numbers == list(range(len(numbers)))
    assert len(numbers) > acknowledged
    assert found.count("reply") == len(numbers)
    assert is_whole(path)


KILLED_WHILE_DELETING = """
store = Store(path)
ids = store.outline().ids
for _ in range(10**9):
    store.delete(ids)
    store.undo()
    print("once", flush=True)
"""


def test_a_killed_delete_is_done_or_not_done(path: Path) -> None:
    with Store(path) as store:
        store.save([draft(str(number)) for number in range(3000)])
    victim = start(KILLED_WHILE_DELETING, path)
    assert hear(victim) == "once"
    victim.kill()
    victim.communicate()
    with Store(path) as store:
        health = store.health()
        assert (health.messages, health.trashed_messages) in {(3000, 0), (0, 3000)}
        assert health.blocks == health.messages
        if health.trashed_messages:
            store.undo()
        assert len(store.list_messages()) == 3000
    assert is_whole(path)
