"""The store against SQLite itself, and its listing against git's."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.measure import Bar, compare
from benchmarks.stores import drafts, make
from convotui.conversations.listing import tree_ids
from convotui.storage import Block, Draft, MessageId, Store, new_id, utc_now
from convotui.tree import Forest

_SAVES = 200
_TREE = "SELECT id, parent_id, role, title, created_at FROM messages"


def bars(directory: Path, count: int) -> Iterator[Bar]:
    """Measure saving, reading the tree, and deleting all of it."""
    path = make(directory / "store", count)
    # Two SQLites in one process ignore each other's locks, so each has its own file.
    raw = directory / "raw copy"
    shutil.copy(path, raw)
    yield from _saving(directory)
    yield _tree_ready(path, raw, count)
    yield _deleting(directory / "deleting", path, raw, count)
    yield _listing(directory, path, count)


def _saving(directory: Path) -> Iterator[Bar]:
    raw = sqlite3.connect(directory / "raw", isolation_level=None)
    raw.execute("PRAGMA journal_mode = WAL")
    raw.execute("PRAGMA synchronous = NORMAL")
    raw.execute("CREATE TABLE messages (id TEXT PRIMARY KEY, content TEXT)")
    names = iter(range(10**9))

    def insert() -> None:
        for _ in range(_SAVES):
            raw.execute("INSERT INTO messages VALUES (?, 'hello')", (str(next(names)),))

    synced = _synced_inserts(directory / "synced")
    with Store(directory / "saving") as store:

        def save() -> None:
            for _ in range(_SAVES):
                store.save([Draft("user", [Block("hello")])])

        yield compare("save / raw insert, not synced", 8, save, insert)
        yield compare("save / raw insert of its rows, synced", 2, save, synced)


def _synced_inserts(path: Path) -> Callable[[], None]:
    """Return what writes the rows of the saves, and nothing else, as safely."""
    with Store(path) as store:
        store.save([Draft("user", [Block("hello")])])
    raw = sqlite3.connect(path, isolation_level=None)
    raw.execute("PRAGMA synchronous = FULL")
    raw.execute("PRAGMA foreign_keys = ON")

    def insert() -> None:
        for _ in range(_SAVES):
            name, now = new_id(), str(utc_now())
            raw.execute("BEGIN IMMEDIATE")
            raw.execute(
                "INSERT INTO messages (id, role, created_at) VALUES (?, 'user', ?)",
                (name, now),
            )
            raw.execute(
                "INSERT INTO blocks (message_id, block_type, modality_type, mime_type,"
                " content, sequence_order, created_at)"
                " VALUES (?, 'content', 0, 'text/plain', 'hello', 0, ?)",
                (name, now),
            )
            raw.execute("COMMIT")

    return insert


def _tree_ready(path: Path, copy: Path, count: int) -> Bar:
    with Store(path) as store:

        def raw() -> None:
            connection = sqlite3.connect(copy)
            connection.execute(_TREE).fetchall()
            connection.close()

        name = f"tree ready / raw fetchall ({count:,})"
        ours = lambda: Forest(store.outline())  # noqa: E731
        return compare(name, 3, ours, raw, time.process_time)


def _deleting(scratch: Path, path: Path, copy: Path, count: int) -> Bar:
    own, other = 0.0, 0.0
    with Store(path) as store:
        everything = tree_ids(store)
        for _ in range(3):
            shutil.copy(copy, scratch)
            start = time.process_time()
            store.delete(everything, recursive=True)
            own += time.process_time() - start
            start = time.process_time()
            _delete_raw(scratch, everything)
            other += time.process_time() - start
            # The next round needs the messages back, which is not part of the time.
            store.undo()
    name = f"delete / raw, into the trash ({count:,})"
    return Bar(name, own / other, 1.3, own / 3, other / 3)


def _delete_raw(path: Path, ids: list[MessageId]) -> None:
    """Move everything into tables like the trash's, without an index of words."""
    raw = sqlite3.connect(path, isolation_level=None)
    raw.execute("PRAGMA secure_delete = ON")
    raw.execute("BEGIN IMMEDIATE")
    raw.execute("CREATE TEMP TABLE doomed (id TEXT PRIMARY KEY)")
    raw.executemany("INSERT INTO doomed VALUES (?)", ((name,) for name in ids))
    raw.execute("CREATE TABLE gone AS SELECT * FROM messages WHERE id IN doomed")
    raw.execute(
        "CREATE TABLE gone_blocks AS SELECT * FROM blocks WHERE message_id IN doomed"
    )
    raw.execute("DELETE FROM blocks WHERE message_id IN doomed")
    raw.execute("DELETE FROM messages WHERE id IN doomed")
    raw.execute("COMMIT")
    raw.close()


def _listing(directory: Path, path: Path, count: int) -> Bar:
    repository = _repository(directory / "repository", count)
    git = ["git", "-C", str(repository), "log", "--graph", "--oneline", "--all"]
    ours = [sys.executable, "-m", "convotui", "--db", str(path), "list"]
    return compare(
        f"list / git log --graph --oneline --all ({count:,})",
        1.3,
        lambda: subprocess.run(ours, stdout=subprocess.DEVNULL, check=True),
        lambda: subprocess.run(git, stdout=subprocess.DEVNULL, check=True),
    )


def _repository(path: Path, count: int) -> Path:
    """Make a repository with a commit for each message of a store, and its forks."""
    subprocess.run(["git", "init", "--quiet", str(path)], check=True)
    messages = drafts(count)
    forked = {message.parent for message in messages}
    git = subprocess.Popen(
        ["git", "-C", str(path), "fast-import", "--quiet"], stdin=subprocess.PIPE
    )
    assert git.stdin is not None
    for number, message in enumerate(messages):
        text = message.blocks[0].content.encode()
        branch = f"heads/{number}" if number not in forked else f"inner/{number}"
        above = "" if message.parent is None else f"from :{int(message.parent) + 1}\n"
        git.stdin.write(
            f"commit refs/{branch}\nmark :{number + 1}\n"
            f"committer nobody <> {number} +0000\n"
            f"data {len(text)}\n".encode()
            + text
            + f"\n{above}\n".encode()
        )
    git.stdin.close()
    git.wait()
    _forget_inner_commits(path)
    return path


def _forget_inner_commits(path: Path) -> None:
    """Leave only the references that a repository of branches has, in one file."""
    git = ["git", "-C", str(path)]
    form = "--format=delete %(refname)"
    listed = subprocess.run(
        [*git, "for-each-ref", form, "refs/inner"], capture_output=True, check=True
    )
    subprocess.run([*git, "update-ref", "--stdin"], input=listed.stdout, check=True)
    subprocess.run([*git, "pack-refs", "--all"], check=True)
