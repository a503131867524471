"""Files that cannot be used: one line that says why, and nothing is changed."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.storage.helpers import other_program

from .limits import let_no_file_exceed, obey_permissions
from .program import Program, contents
from .stores import FORKED, make, make_forked, said

EITHER = pytest.mark.parametrize("command", [("list",), ("label", "aB3", "x")])
"""For a look and a change alike."""


@contextmanager
def mode(path: Path, bits: int) -> Iterator[None]:
    """Give a path other permissions for a while."""
    before = path.stat().st_mode
    path.chmod(bits)
    try:
        yield
    finally:
        path.chmod(before)


def in_no_directory(path: Path) -> Callable[[], None]:
    """Have a program begin in a directory that is deleted."""

    def leave() -> None:
        path.mkdir()
        os.chdir(path)
        path.rmdir()

    return leave


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Have another process keep a database to itself.

    This one cannot: a lock ends as soon as its process closes the file anywhere.
    """
    code = (
        "import sqlite3, sys; database = sqlite3.connect(sys.argv[1])\n"
        "database.execute('BEGIN EXCLUSIVE'); print(flush=True); input()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"\n"
        yield
        holder.communicate(b"\n")


@EITHER
def test_text_is_no_database(
    command: tuple[str, ...], convotui: Program, project: Path
) -> None:
    (project / ".cpeconvo").write_text("just some notes\n" * 99)

    assert "no SQLite database" in convotui.refuses(*command)


@EITHER
def test_a_file_of_the_first_cpe_is_named_as_such(
    command: tuple[str, ...], convotui: Program, project: Path
) -> None:
    gob = b"\x3f\xff\x81\x03\x01\x01\x0cConversation\x01\xff\x82\x00\x01\x02\x01"
    (project / ".cpeconvo").write_bytes(gob * 20)

    assert "CPE before February 2025" in convotui.refuses(*command)


@EITHER
def test_a_database_of_another_program_is_refused(
    command: tuple[str, ...], convotui: Program, project: Path
) -> None:
    with closing(sqlite3.connect(project / ".cpeconvo")) as connection, connection:
        connection.execute("CREATE TABLE bookmarks (url TEXT)")

    assert "not a .cpeconvo file" in convotui.refuses(*command)


def test_a_file_of_a_newer_convotui_is_only_read(
    convotui: Program, forked: Path
) -> None:
    with other_program(forked) as connection:
        connection.execute(
            "UPDATE convotui_meta SET value = '999' WHERE key = 'schema_version'"
        )

    assert convotui.prints("list")
    assert "newer convotui" in convotui.refuses("label", "aB3", "x")


@pytest.mark.usefixtures("today")
@pytest.mark.parametrize(
    "command",
    [
        ("label", "A1a1A1", "x"),
        ("delete", "--cascade", "A1a1A1"),
        ("undo",),
        ("trash", "empty", "--yes"),
    ],
)
def test_a_file_of_todays_cpe_is_only_read(
    command: tuple[str, ...], convotui: Program
) -> None:
    if command[0] == "trash":
        assert convotui.says(*command) == "There is nothing to destroy.\n"
    else:
        assert "written by a newer CPE" in convotui.refuses(*command)
    assert "A1a1A1" in convotui.prints("list")


@EITHER
def test_a_directory_is_no_file(
    command: tuple[str, ...], convotui: Program, project: Path
) -> None:
    (project / "folder").mkdir()

    line = convotui.refuses("--db", "folder", *command)

    assert "folder: is a directory" in line


@EITHER
def test_a_link_in_a_project_is_not_followed(
    command: tuple[str, ...], convotui: Program, project: Path, tmp_path: Path
) -> None:
    make_forked(tmp_path / "elsewhere")
    (project / ".cpeconvo").symlink_to(tmp_path / "elsewhere")

    assert "is a link" in convotui.refuses(*command)


def test_a_link_that_is_named_is_followed(
    convotui: Program, project: Path, tmp_path: Path
) -> None:
    make_forked(tmp_path / "elsewhere")
    (project / "link").symlink_to(tmp_path / "elsewhere")

    assert convotui.prints("--db", "link", "list") == FORKED


@EITHER
def test_a_pipe_is_no_file_and_nobody_waits_for_it(
    command: tuple[str, ...], convotui: Program, project: Path
) -> None:
    os.mkfifo(project / ".cpeconvo")

    assert "no regular file" in convotui.refuses(*command)


@EITHER
def test_a_ring_of_links_leads_nowhere(
    command: tuple[str, ...], convotui: Program, project: Path
) -> None:
    (project / "ring").symlink_to(project / "ring")

    assert "ring" in convotui.refuses("--db", "ring", *command)


@pytest.mark.parametrize("command", ["list", "doctor"])
@pytest.mark.parametrize(
    "name",
    ["x" * 300, "x" * 300 + "/file", "~nobody-here/file"],
    ids=["long file", "long directory", "no such user"],
)
def test_a_name_that_cannot_be_one_is_refused(
    name: str, command: str, convotui: Program
) -> None:
    convotui.refuses("--db", name, command)


def test_a_locked_file_is_told_after_a_while(convotui: Program, seed_era: Path) -> None:
    with locked(seed_era):
        line = convotui.refuses("label", "aB3", "x")

    assert "another program" in line
    assert "try again" in line


@pytest.mark.parametrize("kind", ["file", "directory"])
def test_what_is_read_only_is_read_and_not_written(
    kind: str, convotui: Program, project: Path, forked: Path
) -> None:
    path, bits = (forked, 0o400) if kind == "file" else (project, 0o500)
    with mode(path, bits):
        before = contents(project)

        assert convotui.prints("list", before=obey_permissions) == FORKED
        for command in (("label", "aB3", "x"), ("delete", "lM0"), ("undo",)):
            assert "read-only" in convotui.refuses(*command, before=obey_permissions)

        assert contents(project) == before


@EITHER
def test_a_file_of_somebody_else_is_told(
    command: tuple[str, ...], convotui: Program, forked: Path
) -> None:
    with mode(forked, 0o000):
        line = convotui.refuses(*command, before=obey_permissions)

    assert "Permission denied" in line


@pytest.mark.parametrize("command", ["list", "doctor"])
def test_a_file_in_a_closed_directory_is_told(
    command: str, convotui: Program, tmp_path: Path
) -> None:
    closed = tmp_path / "closed"
    closed.mkdir()
    make_forked(closed / "store")
    with mode(closed, 0o000):
        line = convotui.refuses(
            "--db", closed / "store", command, before=obey_permissions
        )

    assert "Permission denied" in line


@pytest.mark.usefixtures("seed_era")
@pytest.mark.parametrize("command", [("label", "aB3", "x"), ("delete", "lM0nO1")])
def test_a_full_disk_is_told(command: tuple[str, ...], convotui: Program) -> None:
    convotui.refuses(*command, before=let_no_file_exceed(8192))


def test_a_disk_too_full_for_the_log_is_told(convotui: Program, project: Path) -> None:
    replies = [said(f"reply{n:03}", "x" * 500, "root") for n in range(200)]
    make(project / ".cpeconvo", said("root", "hello"), *replies)

    convotui.refuses("delete", "--cascade", "root", before=let_no_file_exceed(40_000))

    assert convotui.prints("list", "--roots").endswith("hello · 201 messages\n")


def test_an_empty_file_is_an_empty_store(convotui: Program, project: Path) -> None:
    (project / ".cpeconvo").touch()

    assert convotui.says("list") == "No messages found.\n"
    assert "No message 'a'" in convotui.refuses("label", "a", "x")


@pytest.mark.usefixtures("project")
def test_a_directory_that_was_deleted_is_told(
    convotui: Program, tmp_path: Path
) -> None:
    gone = in_no_directory(tmp_path / "gone")

    assert "no longer exists" in convotui.refuses("list", before=gone)
    assert "no longer exists" in convotui.refuses("--db", "x", "list", before=gone)


def test_a_store_elsewhere_is_used_from_a_directory_that_was_deleted(
    convotui: Program, tmp_path: Path
) -> None:
    store = make(tmp_path / "store", said("aaaaaa", "hello"))
    gone = in_no_directory(tmp_path / "gone")

    assert "hello" in convotui.prints("--db", store, "list", before=gone)
