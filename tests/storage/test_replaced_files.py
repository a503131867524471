"""A file that goes or changes under an open store: noticed, and nothing lost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from convotui.storage import (
    FileReplacedError,
    MessageId,
    MessageNotFoundError,
    StorageError,
    Store,
)

from .helpers import bytes_beside, draft, is_whole, texts


def delete(path: Path) -> None:
    for file in path.parent.iterdir():
        file.unlink()


def delete_only_the_file(path: Path) -> None:
    path.unlink()


def move_away(path: Path) -> None:
    path.rename(path.with_name("moved"))


def checkout(path: Path) -> None:
    """Another file comes by that name; the log beside it stays."""
    other = path.with_name("other")
    with Store(other) as store:
        store.save([draft("of another branch")])
    other.rename(path)


def replace(path: Path) -> None:
    """Another file comes by that name, and all that was beside it goes."""
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    checkout(path)


HAPPENINGS = [delete, delete_only_the_file, move_away, replace]

WRITES: dict[str, Callable[[Store, MessageId], object]] = {
    "save": lambda store, _: store.save([draft("a root")]),
    "reply": lambda store, known: store.save([draft("a reply", known)]),
    "label": lambda store, known: store.label(known, "x"),
    "delete": lambda store, known: store.delete([known]),
    "undo": lambda store, _: store.undo(),
    "empty_trash": lambda store, _: store.empty_trash(),
}


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("happen", HAPPENINGS)
def test_a_write_to_a_file_that_went_away_is_refused_and_writes_nowhere(
    path: Path, happen: Callable[[Path], None], write: str
) -> None:
    with Store(path) as store:
        known, doomed = store.save([draft("first"), draft("second")])
        store.delete([doomed])
        happen(path)
        before = set(bytes_beside(path))
        with pytest.raises(FileReplacedError, match="nothing was written") as caught:
            WRITES[write](store, known)
        assert str(path) in str(caught.value)
        assert set(bytes_beside(path)) == before
    if happen is replace:
        with Store(path) as store:
            assert texts(store) == ["of another branch"]
        assert is_whole(path)


@pytest.mark.parametrize("happen", [delete, move_away])
def test_a_store_that_only_looked_makes_no_new_file_in_place_of_the_old(
    path: Path, happen: Callable[[Path], None]
) -> None:
    with Store(path) as store:
        [known] = store.save([draft("first")])
    with Store(path) as store:
        assert texts(store) == ["first"]
        happen(path)
        for write in ("reply", "label", "delete"):
            with pytest.raises(FileReplacedError):
                WRITES[write](store, known)
            assert not path.exists()


def test_a_reply_to_a_message_of_the_old_file_is_not_put_into_the_new_one(
    path: Path,
) -> None:
    with Store(path) as store:
        [known] = store.save([draft("first")])
    with Store(path) as store:
        assert texts(store) == ["first"]
        replace(path)
        with pytest.raises((FileReplacedError, MessageNotFoundError)):
            store.save([draft("a reply", known)])
        assert texts(store) == ["of another branch"]


def test_looking_follows_to_the_file_that_is_there_now(path: Path) -> None:
    with Store(path) as store:
        [known] = store.save([draft("first")])
        assert texts(store) == ["first"]
        replace(path)
        assert texts(store) == ["of another branch"]
        with pytest.raises(MessageNotFoundError):
            store.thread(known)


def test_the_log_of_the_old_file_does_not_get_into_the_new_one(path: Path) -> None:
    with Store(path) as store:
        store.save([draft("first")])
        assert texts(store) == ["first"]
        checkout(path)
        assert texts(store) == ["of another branch"]
    with Store(path) as store:
        assert texts(store) == ["of another branch"]
    assert is_whole(path)


def test_what_was_there_can_still_be_read_after_the_file_is_gone(path: Path) -> None:
    with Store(path) as store:
        store.save([draft("first")])
        assert texts(store) == ["first"]
        delete(path)
        assert texts(store) == ["first"]


def test_when_the_file_is_put_back_writing_goes_on(path: Path) -> None:
    with Store(path) as store:
        store.save([draft("first")])
        away = path.with_name("away")
        path.rename(away)
        with pytest.raises(FileReplacedError):
            store.save([draft("lost")])
        away.rename(path)
        store.save([draft("second")])
        assert texts(store) == ["first", "second"]
    assert is_whole(path)


def test_a_link_put_in_place_of_the_file_is_not_followed(path: Path) -> None:
    with Store(path) as store:
        store.save([draft("first")])
        target = path.with_name("target")
        path.rename(target)
        path.symlink_to(target)
        with pytest.raises(StorageError):
            store.save([draft("second")])
    with Store(target) as store:
        assert texts(store) == ["first"]


def test_what_a_replaced_file_held_is_kept_in_a_copy(path: Path) -> None:
    with Store(path) as store:
        store.save([draft("first")])
        checkout(path)
        assert texts(store) == ["of another branch"]
    with Store(path.with_name(path.name + ".replaced-1")) as kept:
        assert texts(kept) == ["first"]
