"""One store in many hands: nobody waits for ever, and what was acknowledged is there.

The numbers are those of the catalogue of what has to be survived.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from convotui.storage import (
    BusyError,
    FileReplacedError,
    MessageId,
    MessageNotFoundError,
    Store,
)
from tests.storage.helpers import (
    add_message,
    draft,
    ids_of,
    is_whole,
    other_program,
    texts,
)
from tests.storage.processes import finish, hear, run, say, start

PATIENCE = 60
"""After so many seconds somebody waits for ever."""


def all_at_once(*jobs: Callable[[], object]) -> None:
    """Run jobs in threads that begin together; each must end, and without an error."""
    barrier = threading.Barrier(len(jobs))
    errors: list[BaseException] = []

    def work(job: Callable[[], object]) -> None:
        try:
            barrier.wait(PATIENCE)
            job()
        except BaseException as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=work, args=[job], daemon=True) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert not any(thread.is_alive() for thread in threads)
    assert errors == []


@pytest.mark.parametrize("in_memory", [False, True])
def test_27_threads_that_write_read_and_close_at_once_all_come_to_an_end(
    path: Path, in_memory: bool
) -> None:
    store = Store(None if in_memory else path)
    first = store.save([draft("first")])
    saved: list[MessageId] = [*first]

    def write() -> None:
        for number in range(40):
            saved.extend(store.save([draft(f"message {number}"), draft("reply", 0)]))

    def change() -> None:
        for number in range(30):
            store.label(first[0], str(number))
            store.undo()

    def look() -> None:
        for _ in range(60):
            assert len(store.outline()) >= 1
            store.search("message")
            store.version()

    def close() -> None:
        for _ in range(40):
            store.close() if not in_memory else store.health()

    all_at_once(write, write, write, change, look, look, close, close)
    assert set(store.outline().ids) == set(saved)
    assert len(saved) == 1 + 3 * 80
    store.close()
    if not in_memory:
        assert is_whole(path)


def test_27_a_file_that_is_replaced_under_many_threads_stops_none_for_ever(
    path: Path,
) -> None:
    store = Store(path)
    store.save([draft("first")])
    other = path.with_name("other")
    with Store(other) as theirs:
        theirs.save([draft("of another file")])

    def use() -> None:
        for number in range(60):
            with suppress(FileReplacedError):
                store.save([draft(str(number))])
            store.list_messages(limit=1)

    all_at_once(use, use, use, lambda: other.rename(path), use)
    assert texts(store)[0] == "of another file"
    store.close()
    assert is_whole(path)


async def test_27_a_task_that_fails_takes_nothing_of_anothers_with_it(
    path: Path,
) -> None:
    with Store(path) as store:

        async def save(number: int) -> None:
            await asyncio.to_thread(store.save, [draft(f"kept {number}")])
            with pytest.raises(MessageNotFoundError):
                await asyncio.to_thread(
                    store.save, [draft("lost"), draft("lost", ids_of("nobody")[0])]
                )

        async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as tasks:
            for number in range(100):
                tasks.create_task(save(number))
        assert sorted(texts(store)) == sorted(f"kept {n}" for n in range(100))
    assert is_whole(path)


class Gate:
    """Ids of which the first is given out only when the gate is opened."""

    def __init__(self) -> None:
        self.given = 0
        self.reached = threading.Event()
        self.opened = threading.Event()

    def __call__(self) -> str:
        self.given += 1
        number = self.given
        self.reached.set()
        assert self.opened.wait(PATIENCE)
        return f"id{number}"


async def test_27_two_tasks_write_one_after_the_other(path: Path) -> None:
    gate = Gate()
    with Store(path, new_id=gate) as store:
        async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as tasks:
            first = tasks.create_task(asyncio.to_thread(store.save, [draft("one")]))
            await asyncio.to_thread(gate.reached.wait, PATIENCE)
            second = tasks.create_task(asyncio.to_thread(store.save, [draft("two")]))
            for _ in range(20):
                assert await asyncio.to_thread(store.list_messages) == []
                assert gate.given == 1
            gate.opened.set()
        assert (await first, await second) == (["id1"], ["id2"])
        assert texts(store) == ["one", "two"]


INTERRUPTED = """
import random, signal
signal.signal(signal.SIGALRM, signal.default_int_handler)
chance = random.Random(7)
acknowledged = interrupts = 0
store = Store(path)
for number in range(int(sys.argv[2])):
    try:
        signal.setitimer(signal.ITIMER_REAL, chance.uniform(5e-5, 2e-3))
        store.save([said(str(number)), said("reply", 0)])
        store.list_messages(limit=1)
        signal.setitimer(signal.ITIMER_REAL, 0)
        acknowledged += 1
    except KeyboardInterrupt:
        interrupts += 1
signal.setitimer(signal.ITIMER_REAL, 0)
store.save([said("the end")])
print(acknowledged, interrupts)
"""


def test_27_whoever_presses_ctrl_c_can_go_on_with_the_same_store(path: Path) -> None:
    with Store(path) as store:
        store.save([draft("first")])
    acknowledged, interrupts = map(int, run(INTERRUPTED, path, "600").split())
    assert acknowledged + interrupts == 600
    assert interrupts
    with Store(path) as store:
        found = texts(store)
        assert found[-1] == "the end"
        numbers = [text for text in found if text.isdigit()]
        assert len(numbers) == found.count("reply") >= acknowledged
    assert is_whole(path)


def test_27_ctrl_c_in_the_middle_of_a_write_leaves_nothing_and_holds_nobody_up(
    path: Path,
) -> None:
    def interrupt() -> str:
        raise KeyboardInterrupt

    with Store(path) as store:
        store.save([draft("first")])
    with Store(path, new_id=interrupt) as store:
        with pytest.raises(KeyboardInterrupt):
            store.save([draft("never")])
        with other_program(path) as connection:
            add_message(connection, "theirs", "in between")
        store.save([draft("last", id="isLast")])
        assert sorted(texts(store)) == ["first", "in between", "last"]


HOLDS_THE_LOCK = """
import apsw
connection = apsw.Connection(str(path))
connection.execute("BEGIN IMMEDIATE")
print("locked", flush=True)
sys.stdin.readline()
connection.execute("COMMIT")
"""


def test_24_who_waits_too_long_is_told_and_nobody_else_has_to_wait(path: Path) -> None:
    with Store(path) as store:
        store.save([draft("first")])
        holder = start(HOLDS_THE_LOCK, path)
        assert hear(holder) == "locked"
        told: list[str] = []

        def save() -> None:
            with pytest.raises(BusyError) as caught:
                store.save([draft("second")])
            told.append(str(caught.value))

        waiting = threading.Thread(target=save, daemon=True)
        waiting.start()
        looked = 0
        while waiting.is_alive():
            assert texts(store) == ["first"]
            looked += 1
        assert looked > 10
        assert told[0].count("\n") == 0
        assert "another program" in told[0]
        say(holder)
        finish(holder)
        store.save([draft("second")])
        assert texts(store) == ["first", "second"]
