"""What a store has to survive, as often as is wanted; each returns what it counted."""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import apsw

from convotui.storage import Block, MessageId, ReplyFacts, Store
from tests.storage.helpers import chain, draft, is_whole, rows, texts
from tests.storage.processes import finish, hear, kill, say, start

Figures = Counter[str]

SAVES_PAIRS = """
store = Store(path)
print("ready", flush=True)
sys.stdin.readline()
for number in range(10**9):
    name = f"{sys.argv[2]}{number}"
    store.save([said(name), said(f"reply to {name}", 0)])
    print(name, flush=True)
"""

GROWS_REPLIES = """
store = Store(path)
print("ready", flush=True)
sys.stdin.readline()
streaming = ReplyFacts("m", state="streaming")
for number in range(10**9):
    reply = Draft("assistant", [], facts=streaming)
    [reply_id] = store.save([reply])
    for length in range(1, 20):
        store.grow(reply_id, [Block("word " * length)], streaming)
        print(f"{reply_id} {length}", flush=True)
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

WRITERS = {
    "a": SAVES_PAIRS,
    "b": SAVES_PAIRS,
    "grows": GROWS_REPLIES,
    "cpe": CPE_SAVES_PAIRS,
}


def kill_writers(path: Path, seed: int) -> Figures:
    """Kill four processes that write to one file; what they had said was saved is."""
    chance = random.Random(seed)
    with Store(path) as store:
        store.save([draft("first")])
    writers = {name: start(script, path, name) for name, script in WRITERS.items()}
    for writer in writers.values():
        assert hear(writer) == "ready"
        say(writer)
    acknowledged: dict[str, list[str]] = {name: [] for name in writers}
    for name in chance.sample(sorted(writers), len(writers)):
        for _ in range(chance.randrange(1, 4)):
            acknowledged[name].append(line := hear(writers[name]))
            assert line, "a writer gave up"
        # What it said in its last moment counts too, but for a word cut short.
        acknowledged[name] += kill(writers[name])
    with Store(path) as store:
        found = {message.text for message in store.list_messages()}
        grown = {MessageId(line[:6]): int(line[7:]) for line in acknowledged["grows"]}
        shorter = sum(
            message.text.count("word") < grown[message.id]
            for message in store.get(list(grown))
        )
        store.save([draft("and on it goes")])
        is_sound = store.health().is_sound
    pairs = {*acknowledged["a"], *acknowledged["b"]}
    begun = {text for text in found if text[:1] in ("a", "b") and text[1:].isdigit()}
    replies = {f"reply to {name}" for name in pairs | begun}
    return Counter(
        kills=len(writers),
        acknowledged=sum(map(len, acknowledged.values())),
        lost=len((pairs | {*acknowledged["cpe"]}) - found) + shorter,
        halves=len(replies - found),
        damaged=not (is_sound and is_whole(path)),
    )


def _look_for_a_while(path: Path, chance: random.Random) -> None:
    """Let others work for a moment, from less than one of their steps to many."""
    for _ in range(int(10 ** chance.uniform(0, 4))):
        path.exists()


FIRST_SAVE = """
print("ready", flush=True)
with Store(path) as store:
    store.save([said("first")])
print("saved", flush=True)
sys.stdin.readline()
"""


def kill_first_save(path: Path, seed: int) -> Figures:
    """Kill a process that makes the file; the next one must make or find it."""
    chance = random.Random(seed)
    victim = start(FIRST_SAVE, path)
    assert hear(victim) == "ready"
    while not path.exists() and victim.poll() is None:
        pass
    _look_for_a_while(path, chance)
    said = kill(victim)
    with Store(path) as store:
        found = texts(store)
        store.save([draft("second")])
        is_usable = texts(store) == [*found, "second"]
    return Counter(
        kills=1,
        kept=len(found),
        lost=int("saved" in said and found != ["first"]),
        unusable=not is_usable,
        damaged=not is_whole(path),
    )


DELETES_AND_RESTORES = """
store = Store(path)
top = store.outline().ids[:1]
for _ in range(10**9):
    store.delete(top, recursive=True)
    store.undo()
    print("once", flush=True)
"""


def kill_delete(path: Path, seed: int) -> Figures:
    """Kill a process that deletes a long chain again and again, and restores it."""
    with Store(path) as store:
        store.save(chain([str(number) for number in range(400)]))
    chance = random.Random(seed)
    victim = start(DELETES_AND_RESTORES, path)
    for _ in range(1 + chance.randrange(8)):
        assert hear(victim) == "once"
    _look_for_a_while(path, chance)
    kill(victim)
    with Store(path) as store:
        health = store.health()
        parts = {health.messages, health.trashed_messages} != {0, 400}
        if health.trashed_messages:
            store.undo()
        lost = 400 - len(store.thread(store.outline().ids[-1]))
    return Counter(
        kills=1,
        trashed=health.trashed_messages > 0,
        in_parts=parts,
        lost=lost,
        damaged=not is_whole(path),
    )


SENDS = """
import time
sys.stdin.readline()
times = []
refused = 0
with Store(path) as store:
    for number in range(int(sys.argv[3])):
        began = time.perf_counter()
        try:
            store.save([said(f"{sys.argv[2]} {number}")])
        except BusyError:
            refused += 1
        times.append(time.perf_counter() - began)
print(refused, *times)
"""


def contend(path: Path, processes: int, sends: int) -> tuple[Figures, float]:
    """Have processes save at once; the figures, and how long 99 of 100 took at most."""
    writers = [start(SENDS, path, str(n), str(sends)) for n in range(processes)]
    for writer in writers:
        say(writer)
    refused, times = 0, []
    for writer in writers:
        count, *taken = finish(writer).split()
        refused += int(count)
        times += [float(seconds) for seconds in taken]
    with Store(path) as store:
        found = {message.text for message in store.list_messages()}
    expected = {f"{name} {n}" for name in range(processes) for n in range(sends)}
    figures: Figures = Counter(
        sends=len(times),
        refused=refused,
        lost=len(expected - found),
        damaged=not is_whole(path),
    )
    return figures, sorted(times)[len(times) * 99 // 100]


CPE_TAKES_TURNS = """
import sqlite3
connection = sqlite3.connect(path, timeout=60, isolation_level=None)
for line in sys.stdin:
    connection.execute(
        "INSERT INTO messages (id, role) VALUES (?, 'user')", [f"cpe{line.strip()}"]
    )
    print(*connection.execute("SELECT count(*) FROM messages").fetchone(), flush=True)
"""


def take_turns(path: Path, rounds: int) -> Figures:
    """Have another program with another SQLite and convotui write in turn."""
    unseen = 0
    with Store(path) as store:
        store.save([draft("first")])
        other = start(CPE_TAKES_TURNS, path)
        assert other.stdin is not None
        for number in range(rounds):
            other.stdin.write(f"{number}\n")
            other.stdin.flush()
            unseen += int(hear(other)) != 2 * number + 2
            unseen += len(store.outline()) != 2 * number + 2
            store.save([draft("ours")])
        finish(other)
        lost = 2 * rounds + 1 - len(store.outline())
    return Counter(
        writes=2 * rounds, unseen=unseen, lost=lost, damaged=not is_whole(path)
    )


def soak(path: Path, is_over: Callable[[int], bool]) -> Figures:
    """Use one store for long; what it holds on to when nothing happens any more."""
    figures: Figures = Counter()
    log = path.with_name(path.name + "-wal")
    with Store(path) as store:
        for number in _until(is_over):
            ids = store.save(chain(["a question " * 50, "an answer " * 200]))
            for length in range(5):
                store.grow(ids[1], [Block("word " * length)], ReplyFacts("m"))
            store.list_messages(limit=20)
            store.search("question")
            store.label(ids[0], str(number))
            store.delete(ids[:1], recursive=True)
            if number % 3:
                store.undo()
            else:
                store.empty_trash()
            if number == 20:
                figures["files open at first"] = len(os.listdir("/proc/self/fd"))
            figures["rounds"] += 1
        figures["files open at last"] = len(os.listdir("/proc/self/fd"))
        figures["largest log"] = log.stat().st_size
        [(busy, _, _)] = rows(path, "PRAGMA wal_checkpoint(TRUNCATE)")
        figures["held back"] = int(busy)
    figures["damaged"] = not is_whole(path)
    return figures


def _until(is_over: Callable[[int], bool]) -> Iterator[int]:
    number = 0
    while not is_over(number):
        yield number
        number += 1


class Disk:
    """A disk that can be full for every connection that is opened from now on."""

    def __init__(self) -> None:
        self._connections: list[apsw.Connection] = []
        apsw.connection_hooks.append(self._connections.append)

    def have_room_for(self, pages: int) -> None:
        for connection in self._connections:
            with suppress(apsw.ConnectionClosedError):
                connection.execute(f"PRAGMA max_page_count = {pages}")

    def remove(self) -> None:
        apsw.connection_hooks.remove(self._connections.append)
