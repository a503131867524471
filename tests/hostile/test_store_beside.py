"""What lies beside a file, and links: nothing else is touched, nobody waits.

The numbers are those of the catalogue of what has to be survived.
"""

from __future__ import annotations

import os
import struct
from contextlib import suppress
from pathlib import Path

import pytest

from convotui.storage import NotAStoreError, StorageError, Store
from tests.storage.helpers import (
    bytes_beside,
    draft,
    is_whole,
    other_program,
    seed_file,
    texts,
)
from tests.storage.processes import hear, kill, start


def test_52_a_log_that_is_a_link_writes_nowhere_else(path: Path) -> None:
    with Store(path) as store:
        store.save([draft("hello")])
    target = path.with_name("target")
    for name in ("-wal", "-shm"):
        path.with_name(path.name + name).symlink_to(target)
    with Store(path) as store:
        for use in (store.list_messages, lambda: store.save([draft("more")])):
            with suppress(StorageError):
                use()
    assert not target.exists()


def test_52_a_link_to_somebody_elses_file_changes_nothing_there(path: Path) -> None:
    target = path.with_name("theirs")
    seed_file(target)
    with other_program(target) as connection:
        connection.execute("INSERT INTO messages (id, role) VALUES ('a', 'user')")
    before = target.read_bytes()
    path.symlink_to(target)
    with Store(path) as store:
        for use in (store.list_messages, lambda: store.save([draft("more")])):
            with pytest.raises(NotAStoreError, match="is a link"):
                use()
    assert target.read_bytes() == before


@pytest.mark.parametrize("ending", ["-wal", "-shm", "-journal"])
@pytest.mark.parametrize("kind", ["pipe", "directory", "dangling link"])
def test_52_what_is_no_file_beside_a_file_holds_nobody_up(
    path: Path, ending: str, kind: str
) -> None:
    with Store(path) as store:
        store.save([draft("hello")])
    other = path.with_name(path.name + ending)
    match kind:
        case "pipe":
            os.mkfifo(other)
        case "directory":
            other.mkdir()
        case _:
            other.symlink_to("nowhere")
    held = path.read_bytes()
    with Store(path) as store:
        for use in (store.list_messages, lambda: store.save([draft("x")])):
            with pytest.raises(NotAStoreError, match=f"{ending} beside it"):
                use()
    assert path.read_bytes() == held


def journal_that_names(file: Path) -> bytes:
    """A journal of no page that says it is a part of what another file is about."""
    magic = bytes.fromhex("d9d505f920a163d7")
    header = magic + struct.pack(">5I", 0, 1, 1, 512, 4096)
    name = os.fsencode(file)
    ending = struct.pack(">II", len(name), sum(name))
    return header.ljust(512, b"\0") + b"\0\4\0\1" + name + ending + magic


def test_53_a_journal_that_names_another_file_deletes_nothing(path: Path) -> None:
    seed_file(path)
    precious = path.with_name("precious")
    precious.write_text("not a journal")
    path.with_name(path.name + "-journal").write_bytes(journal_that_names(precious))
    before = bytes_beside(path)
    with Store(path) as store:
        for use in (store.list_messages, lambda: store.save([draft("x")])):
            with pytest.raises(NotAStoreError, match="names another file"):
                use()
    assert bytes_beside(path) == before


def test_53_what_another_program_had_begun_is_taken_back(path: Path) -> None:
    """A program that was killed while it wrote without a log leaves a journal."""
    seed_file(path)
    victim = start(
        "import apsw\nconnection = apsw.Connection(str(path))\n"
        "connection.execute('PRAGMA cache_size = 1; BEGIN')\n"
        "for n in range(2000):\n"
        "    connection.execute(\"INSERT INTO messages (id, role) VALUES (?, 'user')\","
        " (f'half{n}',))\n"
        "print('half done', flush=True)\nsys.stdin.readline()",
        path,
    )
    assert hear(victim) == "half done"
    kill(victim)
    assert path.with_name(path.name + "-journal").stat().st_size > 0
    with Store(path) as store:
        assert store.list_messages() == []
        store.save([draft("hello")])
        assert texts(store) == ["hello"]
    assert is_whole(path)
