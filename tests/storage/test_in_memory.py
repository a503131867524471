"""A store without a file: everything works and nothing is written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from convotui.storage import ReplyFacts, Store
from tests.conftest import Clock

from .helpers import LOOKS, chain, draft, texts, trashed


@pytest.fixture
def incognito(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> Iterator[Store]:
    """A store in memory, in a working directory that stays empty."""
    monkeypatch.chdir(tmp_path)
    with Store(None, clock=clock) as store:
        yield store
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("look", LOOKS)
def test_an_empty_store_can_be_looked_at(incognito: Store, look: str) -> None:
    LOOKS[look](incognito)


@pytest.mark.parametrize("look", LOOKS)
def test_a_store_can_be_looked_at(incognito: Store, look: str) -> None:
    incognito.save(chain(["a", "b", "c"]))
    LOOKS[look](incognito)
    assert texts(incognito) == ["a", "b", "c"]


def test_everything_that_a_file_can_do_works(incognito: Store) -> None:
    ids = incognito.save(chain(["alpha", "beta", "gamma"]))
    assert [message.text for message in incognito.thread(ids[2])] == [
        "alpha",
        "beta",
        "gamma",
    ]
    assert [hit.id for hit in incognito.search("bet")] == [ids[1]]
    incognito.set_facts(ids[1], ReplyFacts(cost=0.5))
    incognito.label(ids[0], "label")
    change = incognito.delete([ids[1]], recursive=True)
    assert texts(incognito) == ["alpha"]
    assert trashed(incognito) == [change]
    incognito.undo()
    incognito.undo()
    incognito.redo()
    assert incognito.get(ids[:1])[0].title == "label"
    incognito.redo()
    assert incognito.empty_trash() == 2
    incognito.repair()
    assert incognito.health().is_sound
    assert texts(incognito) == ["alpha"]


def test_the_version_changes_with_every_write(incognito: Store) -> None:
    versions = [incognito.version()]
    [message_id] = incognito.save([draft("one")])
    versions.append(incognito.version())
    incognito.label(message_id, "label")
    versions.append(incognito.version())
    assert len(set(versions)) == 3
    incognito.list_messages()
    assert incognito.version() == versions[-1]


def test_every_thread_sees_the_same_messages(incognito: Store) -> None:
    incognito.save([draft("here")])
    seen: list[str] = []

    def look_and_write() -> None:
        seen.extend(texts(incognito))
        incognito.save([draft("there")])

    thread = Thread(target=look_and_write)
    thread.start()
    thread.join()
    assert seen == ["here"]
    assert texts(incognito) == ["here", "there"]


def test_two_stores_share_nothing() -> None:
    with Store(None) as one, Store(None) as two:
        one.save([draft("secret")])
        assert two.list_messages() == []


def test_it_can_be_backed_up_to_a_file(incognito: Store, path: Path) -> None:
    incognito.save(chain(["a", "b"]))
    incognito.back_up(path)
    with Store(path) as copy:
        assert texts(copy) == ["a", "b"]
    path.unlink()
