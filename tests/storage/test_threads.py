"""Any thread may use a store at any time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

from convotui.storage import MessageNotFoundError, Store

from .helpers import draft, ids_of, is_whole, texts


def test_threads_save_and_look_at_once_and_nothing_is_lost(
    store: Store, path: Path
) -> None:
    def work(name: int) -> None:
        for number in range(25):
            ids = store.save([draft(f"{name}-{number}"), draft("reply", 0)])
            assert [message.text for message in store.thread(ids[1])][1] == "reply"
            store.search(str(number))
            store.delete(ids[1:])

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(work, range(8)))
    assert sorted(texts(store)) == sorted(
        f"{t}-{n}" for t in range(8) for n in range(25)
    )
    assert len(store.trash()) == 200
    store.close()
    assert is_whole(path)


def test_a_failing_write_takes_nothing_of_anothers_with_it(store: Store) -> None:
    def work(number: int) -> None:
        store.save([draft(f"kept {number}")])
        with pytest.raises(MessageNotFoundError):
            store.save([draft("lost"), draft("lost", ids_of("nobody")[0])])

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(work, range(100)))
    assert sorted(texts(store)) == sorted(f"kept {number}" for number in range(100))


class Gate:
    """Ids that are given out only when the gate is opened."""

    def __init__(self) -> None:
        self.reached = Event()
        self.opened = Event()

    def __call__(self) -> str:
        self.reached.set()
        assert self.opened.wait(60)
        return "gated1"


def test_looking_goes_on_while_a_write_is_under_way(path: Path) -> None:
    with Store(path) as store:
        store.save([draft("before")])
    gate = Gate()
    with Store(path, new_id=gate) as store, ThreadPoolExecutor(1) as thread:
        saving = thread.submit(store.save, [draft("slow")])
        assert gate.reached.wait(60)
        assert texts(store) == ["before"]
        gate.opened.set()
        assert saving.result() == ["gated1"]
        assert texts(store) == ["before", "slow"]


def test_closing_waits_for_a_write_under_way(path: Path) -> None:
    gate = Gate()
    store = Store(path, new_id=gate)
    with ThreadPoolExecutor(2) as threads:
        saving = threads.submit(store.save, [draft("slow")])
        assert gate.reached.wait(60)
        closing = threads.submit(store.close)
        gate.opened.set()
        closing.result()
        assert saving.result() == ["gated1"]
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    with Store(path) as store:
        assert texts(store) == ["slow"]


def test_writes_happen_in_the_order_of_the_calls(path: Path) -> None:
    gate = Gate()
    with Store(path, new_id=gate) as store, ThreadPoolExecutor(1) as thread:
        saving = thread.submit(store.save, [draft("first")])
        assert gate.reached.wait(60)
        gate.opened.set()
        store.save([draft("second", id="second")])
        saving.result()
        assert store.outline().ids == ["gated1", "second"]


def test_a_closed_store_can_be_closed_again(path: Path) -> None:
    store = Store(path)
    store.save([draft("one")])
    store.close()
    store.close()
    assert [file.name for file in path.parent.iterdir()] == [path.name]
