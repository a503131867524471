"""What lies beside a file goes, changes, or is another file's: nothing is lost.

The numbers are those of the catalogue of what has to be survived.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from convotui.storage import FileReplacedError, Store
from tests.storage.helpers import bytes_beside, chain, draft, is_whole, rows, texts
from tests.storage.processes import finish, hear, kill, run, say, start


def beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


def delete_log(path: Path) -> None:
    beside(path, "-wal").unlink()


def delete_memory(path: Path) -> None:
    beside(path, "-shm").unlink()


def delete_both(path: Path) -> None:
    delete_log(path)
    delete_memory(path)


def replace_log(path: Path) -> None:
    """Put the log of another file in its place."""
    with Store(path.with_name("other")) as other:
        other.save([draft("of another file")])
        shutil.copyfile(beside(other.path, "-wal"), path.with_name("copied"))
        path.with_name("copied").rename(beside(path, "-wal"))


@pytest.mark.parametrize(
    "happen", [delete_log, delete_memory, delete_both, replace_log]
)
def test_33_a_log_that_goes_under_an_open_store_takes_nothing_along(
    path: Path, happen: Callable[[Path], None]
) -> None:
    with Store(path) as store:
        ids = store.save(chain(["first", "second"]))
        assert texts(store) == ["first", "second"]
        happen(path)
        with pytest.raises(FileReplacedError, match="nothing was written") as caught:
            store.save([draft("third", ids[1])])
        copy = beside(path, ".replaced-1")
        assert str(copy) in str(caught.value)
        with Store(copy) as kept:
            assert texts(kept) == ["first", "second"]
        store.save([draft("and on it goes")])
        assert texts(store)[-1] == "and on it goes"
    with Store(path) as store:
        assert texts(store)[-1] == "and on it goes"


def test_33_others_at_the_file_are_not_overwritten(path: Path) -> None:
    with Store(path) as store:
        store.save([draft("only in the log")])
        delete_both(path)
        run("Store(path).save([said('theirs')])", path)
        with pytest.raises(FileReplacedError):
            store.save([draft("ours")])
    with Store(path) as store:
        assert texts(store) == ["theirs"]
    assert is_whole(path)


KEEPS_A_LOG = """
store = Store(path)
store.save([said("old")])
print("ready", flush=True)
sys.stdin.readline()
while store.list_messages()[0].text != "new":
    pass
store.close()
"""


def other_file(path: Path) -> Path:
    other = path.with_name("other")
    with Store(other) as store:
        store.save([draft("new")])
    return other


def move_there(path: Path) -> None:
    other_file(path).rename(path)


def copy_there(path: Path) -> None:
    shutil.copyfile(other_file(path), path)


def check_out(path: Path) -> None:
    other = other_file(path)
    path.unlink()
    shutil.copyfile(other, path)


@pytest.mark.parametrize("replace", [move_there, copy_there, check_out])
def test_34_a_file_beside_the_log_of_its_predecessor_is_kept(
    path: Path, replace: Callable[[Path], None]
) -> None:
    """SQLite cannot tell whose log it is, so both are kept."""
    victim = start(KEEPS_A_LOG, path)
    assert hear(victim) == "ready"
    kill(victim)
    os.utime(beside(path, "-wal"), (0, 0))
    replace(path)
    with Store(path) as store:
        before = texts(store)
        store.save([draft("more")])
        assert texts(store) == [*before, "more"]
    with Store(beside(path, ".without-log-1")) as kept:
        assert texts(kept) == ["new"]


@pytest.mark.parametrize("saves", [10, 300])
def test_34_an_ordinary_log_is_in_no_doubt(path: Path, saves: int) -> None:
    """Also after so many pages that SQLite has moved them into the file."""
    victim = start(
        "store = Store(path)\n"
        "for _ in range(int(sys.argv[2])): store.save([said('x' * 40_000)])\n"
        "print('ready', flush=True)\nsys.stdin.readline()",
        path,
        str(saves),
    )
    assert hear(victim) == "ready"
    kill(victim)
    names = {file.name for file in path.parent.iterdir()}
    with Store(path) as store:
        store.save([draft("more")])
        assert len(store.list_messages()) == saves + 1
    assert {file.name for file in path.parent.iterdir()} <= names
    assert is_whole(path)


def test_34_what_two_processes_make_of_a_replaced_file_is_the_new_file(
    path: Path,
) -> None:
    owner = start(KEEPS_A_LOG, path)
    assert hear(owner) == "ready"
    with Store(path) as store:
        os.utime(beside(path, "-wal"), (0, 0))
        move_there(path)
        store.save([draft("written in between")])
        say(owner)
        finish(owner)
        with pytest.raises(FileReplacedError):
            store.save([draft("written later")])
        assert texts(store) == ["new"]
    assert rows(path, "SELECT content FROM blocks") == [("new",)]
    assert is_whole(path)
    kept = {f.name: f for f in path.parent.glob(".cpeconvo.replaced-*")}
    held = {text for file in kept.values() for text in _texts(file)}
    assert {"old", "written in between"} <= held
    assert all(is_whole(file) for file in kept.values())


def _texts(path: Path) -> list[str]:
    with Store(path) as store:
        return texts(store)


def test_53_a_log_that_came_with_a_file_is_seen_and_left(path: Path) -> None:
    victim = start(KEEPS_A_LOG, path)
    assert hear(victim) == "ready"
    kill(victim)
    clone = path.with_name("clone")
    for ending in ("", "-wal"):
        shutil.copyfile(beside(path, ending), beside(clone, ending))
    before = bytes_beside(clone)
    with Store(clone) as store:
        assert texts(store) == ["old"]
    after = bytes_beside(clone)
    assert {name: after[name] for name in before} == before
