"""What cannot be opened is named in one line and stays as it is."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from convotui.storage import (
    BusyError,
    DamagedError,
    DiskError,
    NotAStoreError,
    StorageError,
    Store,
)

from .helpers import (
    LOOKS,
    add_message,
    bytes_beside,
    chain,
    draft,
    other_program,
    seed_file,
    texts,
)

FIXTURES = Path(__file__).parent.parent / "fixtures"


def refused(
    path: Path, use: Callable[[Store], object], kind: type[StorageError]
) -> str:
    """The one line with which the file is refused; it was not touched."""
    before = bytes_beside(path)
    with Store(path) as store, pytest.raises(kind) as caught:
        use(store)
    assert bytes_beside(path) == before
    message = str(caught.value)
    assert str(path) in message
    assert "\n" not in message
    return message


def save(store: Store) -> None:
    store.save([draft("x")])


USES = [Store.list_messages, Store.outline, Store.health, save]

NOT_DATABASES = {
    "text": b"Dear diary, today I read about SQLite format 3.\n",
    "gob": bytes.fromhex("3aff8103010102ff82000101010d436f6e766572736174696f6e"),
    "one byte": b"S",
    "half a header": b"SQLite format",
    "zeros": bytes(4096),
    "another database": b"** This file contains an SQLite 2.1 database **\x00" * 50,
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("kind", NOT_DATABASES)
def test_what_is_no_database_is_refused(
    path: Path, kind: str, use: Callable[[Store], object]
) -> None:
    path.write_bytes(NOT_DATABASES[kind])
    assert "--db" in refused(path, use, NotAStoreError)


@pytest.mark.parametrize("use", USES)
def test_a_directory_is_refused(path: Path, use: Callable[[Store], object]) -> None:
    path.mkdir()
    assert "directory" in refused(path, use, NotAStoreError)


@pytest.mark.parametrize("use", USES)
def test_a_pipe_is_refused_without_waiting_for_it(
    path: Path, use: Callable[[Store], object]
) -> None:
    os.mkfifo(path)
    assert "regular file" in refused(path, use, NotAStoreError)


@pytest.mark.parametrize("use", USES)
def test_a_link_to_a_store_is_refused(
    path: Path, use: Callable[[Store], object]
) -> None:
    target = path.with_name("target")
    with Store(target) as store:
        store.save([draft("theirs")])
    path.symlink_to(target)
    assert "link" in refused(path, use, NotAStoreError)


@pytest.mark.parametrize("use", USES)
def test_a_link_to_nowhere_makes_nothing_there(
    path: Path, use: Callable[[Store], object]
) -> None:
    target = path.with_name("target")
    path.symlink_to(target)
    assert "link" in refused(path, use, NotAStoreError)
    assert not target.exists()


def test_a_directory_that_does_not_exist_is_empty_but_cannot_be_saved_to(
    tmp_path: Path,
) -> None:
    path = tmp_path / "gone" / ".cpeconvo"
    with Store(path) as store:
        assert store.list_messages() == []
        with pytest.raises(DiskError, match="gone"):
            save(store)
    assert list(tmp_path.iterdir()) == []


def test_an_empty_file_is_an_empty_store(path: Path) -> None:
    path.touch()
    with Store(path) as store:
        assert store.list_messages() == []
        store.save([draft("hello")])
        assert texts(store) == ["hello"]


def long_store(path: Path) -> bytes:
    with Store(path) as store:
        store.save(chain([f"message {number} " * 50 for number in range(300)]))
    return path.read_bytes()


@pytest.mark.parametrize("use", [Store.list_messages, Store.outline, save])
@pytest.mark.parametrize("kept", [0.2, 0.5, 0.9])
def test_a_database_that_was_cut_off_is_damaged(
    path: Path, kept: float, use: Callable[[Store], object]
) -> None:
    whole = long_store(path)
    path.write_bytes(whole[: int(len(whole) * kept) // 4096 * 4096])
    assert "damaged" in refused(path, use, DamagedError)


def test_the_health_of_a_damaged_database_says_what_is_broken(path: Path) -> None:
    whole = long_store(path)
    path.write_bytes(whole[: len(whole) // 8192 * 4096])
    with Store(path) as store:
        health = store.health()
    assert health.damage
    assert not health.is_sound


def test_random_damage_raises_only_what_can_be_shown(path: Path) -> None:
    whole = (FIXTURES / "cpe_seed_era.cpeconvo").read_bytes()
    escaped: dict[int, str] = {}
    for seed in range(80):
        path.write_bytes(damaged := scratched(whole, random.Random(seed)))
        with Store(path) as store:
            for name, look in LOOKS.items():
                try:
                    look(store)
                except StorageError:
                    continue
                except Exception as error:  # noqa: BLE001
                    escaped[seed] = f"{name}: {error!r}"
        assert path.read_bytes() == damaged
    assert escaped == {}


def scratched(whole: bytes, chance: random.Random) -> bytes:
    held = bytearray(whole)
    for _ in range(chance.randrange(1, 60)):
        held[chance.randrange(len(held))] = chance.randrange(256)
    return bytes(held)


def test_a_file_that_another_program_keeps_locked_is_busy(path: Path) -> None:
    seed_file(path)
    with Store(path) as store, other_program(path) as connection:
        add_message(connection, "theirs", "not yet")
        with pytest.raises(BusyError, match="another program") as caught:
            save(store)
        assert str(path) in str(caught.value)
    with Store(path) as store:
        assert texts(store) == ["not yet"]
        save(store)
        assert len(store.list_messages()) == 2
