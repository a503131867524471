"""A file or a disk that cannot be written: said so, read as far as it can be."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from convotui.storage import Store

from .helpers import bytes_beside, chain, draft, is_whole, seed_file, texts
from .processes import run

NOBODY = 65534

AS_A_USER = f"""
import os
if os.geteuid() == 0:
    # Nothing is read-only to root.
    os.setgroups([])
    os.setgid({NOBODY})
    os.setuid({NOBODY})

def tried(action):
    try:
        return action()
    except StorageError as error:
        return f"{{type(error).__name__}}: {{error}}"

with Store(path) as store:
    read = tried(lambda: ",".join(m.text for m in store.list_messages(ascending=True)))
    print(read)
    print(tried(lambda: store.save([said("more")])))
    print(tried(lambda: ",".join(hit.id for hit in store.search("one"))))
"""


@pytest.fixture
def shared() -> Iterator[Path]:
    """A place that every user can reach; what pytest gives only one can."""
    directory = Path(tempfile.mkdtemp())
    directory.chmod(0o755)
    yield directory / ".cpeconvo"
    directory.chmod(0o755)
    shutil.rmtree(directory)


def as_user(path: Path) -> tuple[str, str, str]:
    """What a user who is not root reads, is told on saving, and finds."""
    before = bytes_beside(path)
    read, saved, found = run(AS_A_USER, path).splitlines()
    assert bytes_beside(path) == before
    return read, saved, found


def made(path: Path, journal: str) -> None:
    if journal == "delete":
        seed_file(path)
    with Store(path) as store:
        store.save([draft("one", id="theOne")])


@pytest.mark.parametrize("journal", ["delete", "wal"])
def test_a_file_that_may_only_be_read_is_read(shared: Path, journal: str) -> None:
    made(shared, journal)
    shared.chmod(0o444)
    read, saved, found = as_user(shared)
    assert read == "one"
    assert saved.startswith("ReadOnlyError: ")
    assert str(shared) in saved
    assert found == "theOne"


@pytest.mark.parametrize("journal", ["delete", "wal"])
def test_a_file_in_a_directory_that_may_only_be_read_is_read(
    shared: Path, journal: str
) -> None:
    made(shared, journal)
    shared.chmod(0o666)
    shared.parent.chmod(0o555)
    read, saved, found = as_user(shared)
    assert read == "one"
    assert saved.startswith("ReadOnlyError: ")
    assert found == "theOne"


def test_a_file_that_may_not_even_be_read_is_an_error(shared: Path) -> None:
    made(shared, "delete")
    shared.chmod(0o000)
    read, saved, found = as_user(shared)
    for told in (read, saved, found):
        assert told.startswith("DiskError: ")
        assert str(shared) in told


def test_where_no_file_may_be_made_saving_is_an_error(shared: Path) -> None:
    shared.parent.chmod(0o555)
    read, saved, found = as_user(shared)
    assert (read, found) == ("", "")
    assert saved.startswith("DiskError: ")
    assert not shared.exists()


FULL_DISK = """
import resource

def tried(action):
    try:
        action()
        return "done"
    except StorageError as error:
        return f"{type(error).__name__}: {error}"

with Store(path) as store:
    known = [message.id for message in store.list_messages()]
    size = path.stat().st_size
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
    print(tried(lambda: store.save([said("x" * 1_000_000)])))
    print(tried(lambda: store.delete(known, recursive=True)))
    print(len(store.list_messages()))
    resource.setrlimit(
        resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
    )
    print(tried(lambda: store.save([said("after all")])))
"""


@pytest.mark.parametrize("journal", ["delete", "wal"])
def test_a_full_disk_loses_nothing_and_writing_goes_on_when_there_is_space(
    path: Path, journal: str
) -> None:
    if journal == "delete":
        seed_file(path)
    with Store(path) as store:
        store.save(chain(["some words " * 400 for _ in range(100)]))
    saved, deleted, count, after_all = run(FULL_DISK, path).splitlines()
    assert saved.startswith("DiskError: ")
    assert str(path) in saved
    assert deleted == "done" or deleted.startswith("DiskError: ")
    assert count == ("0" if deleted == "done" else "100")
    assert after_all == "done"
    assert is_whole(path)
    with Store(path) as store:
        assert texts(store)[-1] == "after all"


FULL_AT_FIRST = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, resource.RLIM_INFINITY))
with Store(path) as store:
    try:
        store.save([said("x")])
    except StorageError as error:
        print(type(error).__name__, error)
"""


def test_a_disk_that_is_full_from_the_beginning_is_an_error(path: Path) -> None:
    told = run(FULL_AT_FIRST, path)
    assert told.startswith("DiskError ")
    with Store(path) as store:
        assert store.list_messages() == []
        store.save([draft("after all")])
        assert texts(store) == ["after all"]
