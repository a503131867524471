"""One process and a file: nothing held, nothing guessed, nothing trusted.

The numbers are those of the catalogue of what has to be survived.
"""

from __future__ import annotations

import os
import random
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import apsw
import pytest

from convotui.storage import (
    Block,
    MessageId,
    NotAStoreError,
    ReplyFacts,
    StorageError,
    Store,
)
from tests.conftest import Clock
from tests.storage.helpers import LOOKS, chain, draft, is_whole, rows

from .faults import COUNT
from .store_damage import open_damaged, used_store
from .store_faults import soak

WRITES: dict[str, Callable[[Store, list[MessageId]], object]] = {
    "save": lambda store, ids: store.save([draft("more", ids[0])]),
    "grow": lambda store, ids: store.grow(ids[1], [Block("x")], ReplyFacts()),
    "beat": lambda store, ids: store.beat(ids),
    "set_facts": lambda store, ids: store.set_facts(ids[1], ReplyFacts("m")),
    "label": lambda store, ids: store.label(ids[0], "label"),
    "delete": lambda store, ids: store.delete(ids[2:]),
    "undo": lambda store, ids: store.undo(),
    "redo": lambda store, ids: store.redo(),
    "restore": lambda store, ids: [
        store.restore(entry.change.id) for entry in store.trash()[:1]
    ],
    "empty_trash": lambda store, ids: (store.delete(ids[2:]), store.empty_trash()),
    "sweep": lambda store, ids: store.sweep(),
    "repair": lambda store, ids: store.repair(),
}
"""Every way to write; in this order each finds something to do."""

CHANGES = re.compile(r"\s*(INSERT|UPDATE|DELETE|REPLACE|ALTER|CREATE|DROP)\b", re.I)


@pytest.fixture
def statements() -> Iterator[list[str]]:
    """What every connection that is opened from now on runs."""
    seen: list[str] = []

    def watch(connection: apsw.Connection) -> None:
        connection.exec_trace = note

    def note(cursor: object, sql: str, bindings: object) -> bool:
        seen.append(sql)
        return True

    apsw.connection_hooks.append(watch)
    yield seen
    apsw.connection_hooks.remove(watch)


def test_26_every_change_is_inside_one_immediate_transaction(
    path: Path, statements: list[str]
) -> None:
    with Store(path) as store:
        ids = store.save(chain(["a", "b", "c"]))
        for name, write in WRITES.items():
            statements.clear()
            write(store, ids)
            begun = False
            for sql in statements:
                begins = sql.upper().lstrip().startswith("BEGIN")
                assert not begins or sql.upper().split()[:2] == ["BEGIN", "IMMEDIATE"]
                begun = begins or (begun and not sql.upper().startswith("COMMIT"))
                # What a reader keeps for itself is no change of the file.
                if CHANGES.match(sql) and " TEMP" not in sql.upper():
                    assert begun, (name, sql)
            assert not begun, name


@pytest.mark.parametrize("use", [*LOOKS, *WRITES])
def test_28_nothing_is_held_between_two_uses(path: Path, use: str) -> None:
    with Store(path) as store:
        ids = store.save(chain(["a", "b", "c"]))
        store.label(ids[0], "earlier")
        store.delete(ids[2:])
        if use in WRITES and use not in ("redo", "empty_trash"):
            WRITES[use](store, [*ids[:2], *ids[1:2]])
        elif use in LOOKS:
            LOOKS[use](store)
        busy = rows(path, "PRAGMA wal_checkpoint(TRUNCATE)")
        assert busy == [(0, 0, 0)]
        assert path.with_name(path.name + "-wal").stat().st_size == 0


def test_28_no_use_opens_a_file_for_good(path: Path) -> None:
    with Store(path) as store:
        ids = store.save(chain(["a", "b", "c"]))
        counts = []
        for _ in range(3):
            for look in LOOKS.values():
                look(store)
            for write in (WRITES["save"], WRITES["grow"], WRITES["label"]):
                write(store, ids)
            counts.append(len(os.listdir("/proc/self/fd")))
        assert counts[0] == counts[-1]


def test_28_long_use_leaves_nothing_open_and_a_small_log(path: Path) -> None:
    found = soak(path, lambda number: number >= 60 * COUNT)
    assert found["rounds"] == 60 * COUNT
    assert found["files open at first"] == found["files open at last"]
    assert found["largest log"] < 5_000_000
    assert (found["held back"], found["damaged"]) == (0, 0)


def test_28_what_one_large_change_made_of_the_log_does_not_stay(path: Path) -> None:
    log = path.with_name(path.name + "-wal")
    with Store(path) as store:
        store.save([draft("x" * 1_000_000) for _ in range(10)])
        assert log.stat().st_size > 10_000_000
        store.save([draft("more")])
        assert log.stat().st_size <= 4_000_000
    assert is_whole(path)


def test_36_messages_of_the_same_moment_are_listed_alike_by_everyone(
    path: Path, clock: Clock
) -> None:
    clock.stop()
    with Store(path, clock=clock) as store, Store(path) as other:
        ids = store.save([draft(str(number)) for number in range(5000)])
        clock.now -= (clock.now - datetime(2026, 3, 1)) / 2
        [earlier] = store.save([draft("the clock was set back")])
        [reply] = store.save([draft("a reply", ids[0])])
        expected = [earlier, reply, *ids]
        assert store.outline().ids == other.outline().ids == expected
        assert [message.id for message in other.list_messages(ascending=True)] == (
            expected
        )
        assert [message.id for message in other.thread(reply)] == [ids[0], reply]


def garbage(size: int) -> bytes:
    return random.Random(size).randbytes(size)


def foreign_log(size: int) -> bytes:
    """The beginning of a log that belongs to another file."""
    return bytes.fromhex("377f0682002de218") + garbage(size)


@pytest.mark.parametrize("make", [garbage, foreign_log, bytes])
@pytest.mark.parametrize("size", [0, 10, 32_768, 100_000])
@pytest.mark.parametrize("endings", [["-wal"], ["-shm"], ["-wal", "-shm"]])
def test_53_what_lies_beside_a_file_does_no_harm(
    path: Path, make: Callable[[int], bytes], size: int, endings: list[str]
) -> None:
    with Store(path) as store:
        ids = store.save(chain(["a", "b"]))
    for ending in endings:
        path.with_name(path.name + ending).write_bytes(make(size))
    with Store(path) as store:
        assert store.outline().ids == ids
        store.save([draft("c", ids[1])])
        assert store.health().is_sound


def test_51_damaged_files_are_shown_or_refused_and_never_changed(
    tmp_path: Path,
) -> None:
    found = open_damaged(tmp_path, range(30 * COUNT))
    assert found["files"] == 30 * COUNT
    assert found["refused"]
    assert (found["escaped"], found["changed"]) == (0, 0)


def test_51_no_byte_of_the_header_does_harm(path: Path) -> None:
    whole = used_store(path)
    for place in range(100):
        held = bytearray(whole)
        held[place] ^= 0xFF
        path.write_bytes(held)
        with Store(path) as store:
            for use in (store.list_messages, store.outline, store.health):
                with suppress(StorageError):
                    use()
        assert path.read_bytes() == held, place
        with Store(path) as store, suppress(StorageError):
            store.save([draft("more")])
        for ending in ("-wal", "-shm"):
            path.with_name(path.name + ending).unlink(missing_ok=True)


def test_51_a_device_is_refused() -> None:
    with Store(Path("/dev/null")) as store:
        for use in (store.list_messages, lambda: store.save([draft("x")])):
            with pytest.raises(NotAStoreError, match="no regular file"):
                use()
