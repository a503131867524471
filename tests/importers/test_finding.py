"""Files, directories and archives: what is looked into, and what is not."""

from __future__ import annotations

import os
import shutil
import stat
import zipfile
from pathlib import Path

import apsw
import pytest

from convotui.conversations.importing import Importer, ImportReport
from convotui.importers import (
    Problems,
    UnreadableError,
    find_sources,
    format_named,
)
from convotui.importers.sources import Source
from convotui.storage import Store

from .helpers import SAMPLES, bring_in, texts

ORCX = SAMPLES / "orcx_conversations.db"
PINGU = SAMPLES / "pingu.db"


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    made = tmp_path / "other program"
    made.mkdir()
    return made


def run(store: Store, *paths: Path) -> ImportReport:
    return Importer(store).run(paths)


def names(report: ImportReport) -> list[str]:
    return [Path(file.name.rpartition("!")[2]).name for file in report.files]


def test_a_directory_is_looked_through_by_content(
    directory: Path, store: Store
) -> None:
    (directory / "deep" / "deeper").mkdir(parents=True)
    shutil.copy(ORCX, directory / "deep" / "deeper" / "picture.png")
    shutil.copy(PINGU, directory / "no ending")
    (directory / "notes.txt").write_text("nothing to see")
    (directory / "package.json").write_text('{"name": "x"}')

    report = bring_in(store, directory)

    assert names(report) == ["no ending", "picture.png"]
    assert [file.format for file in report.files] == ["pingu", "orcx"]


def test_links_in_a_directory_are_not_followed(directory: Path, store: Store) -> None:
    shutil.copy(ORCX, directory)
    (directory / "link.db").symlink_to(PINGU)
    (directory / "there").symlink_to(SAMPLES, target_is_directory=True)

    assert names(bring_in(store, directory)) == [ORCX.name]


def test_a_link_that_is_named_is_followed(directory: Path, store: Store) -> None:
    (directory / "link.db").symlink_to(PINGU)

    assert bring_in(store, directory / "link.db").intake.new == 12


def test_an_archive_is_looked_through(directory: Path, store: Store) -> None:
    archive = directory / "export.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as zipped:
        zipped.write(ORCX, "some/where/orcx.db")
        zipped.write(PINGU, "pingu.db")
        zipped.writestr("readme.txt", "hello")

    report = bring_in(store, archive)

    assert names(report) == ["orcx.db", "pingu.db"]
    assert report.files[0].name == f"{archive}!some/where/orcx.db"
    assert list(directory.iterdir()) == [archive]


def test_a_bomb_in_an_archive_is_told_and_the_rest_comes_in(
    directory: Path, store: Store
) -> None:
    archive = directory / "bomb.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as zipped:
        with zipped.open("bomb.json", "w", force_zip64=True) as bomb:
            for _ in range(60):
                bomb.write(b"[" * 1_000_000)
        zipped.write(ORCX, "orcx.db")

    report = run(store, archive)

    assert names(report) == ["orcx.db"]
    assert [problem.file for problem in report.problems] == [f"{archive}!bomb.json"]
    assert "too large" in report.problems[0].reason


@pytest.mark.parametrize("cut", [30, 200, -40])
def test_a_broken_archive_is_told(cut: int, directory: Path, store: Store) -> None:
    archive = directory / "export.zip"
    with zipfile.ZipFile(archive, "w") as zipped:
        zipped.write(ORCX, "orcx.db")
    archive.write_bytes(archive.read_bytes()[:cut])

    report = run(store, archive)

    assert [problem.file for problem in report.problems] == [str(archive)]


def test_an_encrypted_archive_is_told(directory: Path, store: Store) -> None:
    archive = directory / "export.zip"
    with zipfile.ZipFile(archive, "w") as zipped:
        zipped.writestr("a.json", "[]")
    data = bytearray(archive.read_bytes())
    # The flag is in the file's own header and in the directory at the end.
    data[6] |= 1
    data[data.rindex(b"PK\x01\x02") + 8] |= 1
    archive.write_bytes(data)

    [problem] = run(store, archive).problems
    assert problem.reason == "cannot be unpacked: it is encrypted."


@pytest.mark.parametrize("kind", ["nothing", "empty", "text", "directory", "fifo"])
def test_what_holds_no_conversations_is_told(
    kind: str, directory: Path, store: Store, path: Path
) -> None:
    named = directory / kind
    match kind:
        case "empty":
            named.touch()
        case "text":
            named.write_text("just some words")
        case "directory":
            named.mkdir()
        case "fifo":
            os.mkfifo(named)

    report = run(store, named)

    assert [problem.file for problem in report.problems] == [str(named)]
    assert report.skipped == 1
    assert ("no regular file" in report.problems[0].reason) is (kind == "fifo")
    assert not path.exists()


def test_a_directory_that_cannot_be_read_is_told(
    directory: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(ORCX, directory)
    closed = directory / "closed"
    closed.mkdir()
    listed = os.scandir

    def refuse(path: str) -> object:
        if path == str(closed):
            raise PermissionError(13, "Permission denied", path)
        return listed(path)

    # Whoever runs the tests as root can read everything.
    monkeypatch.setattr(os, "scandir", refuse)
    report = run(store, directory)

    assert names(report) == [ORCX.name]
    assert [problem.file for problem in report.problems] == [str(closed)]


def test_one_format_is_looked_for_in_a_directory(directory: Path, store: Store) -> None:
    for sample in (ORCX, PINGU):
        shutil.copy(sample, directory)
    (directory / "notes.txt").write_text("nothing to see")
    report = bring_in(store, directory, format=format_named("pingu"))

    assert names(report) == [PINGU.name]


def test_what_is_only_in_a_log_is_read_too(directory: Path, store: Store) -> None:
    file = directory / "orcx.db"
    shutil.copy(ORCX, file)
    connection = apsw.Connection(str(file))
    connection.execute("PRAGMA journal_mode = wal")
    connection.wal_autocheckpoint(0)
    connection.execute(
        'UPDATE conversations SET messages = \'[{"role":"user","content":"new"}]\''
        " WHERE id = 'k3x9'"
    )
    before = {one.name: one.read_bytes() for one in directory.iterdir()}
    assert before.keys() == {"orcx.db", "orcx.db-wal", "orcx.db-shm"}

    bring_in(store, file)

    assert "new" in texts(store)
    assert {one.name: one.read_bytes() for one in directory.iterdir()} == before
    connection.close()


def test_only_the_tables_that_are_named_can_be_read(tmp_path: Path) -> None:
    source = Source(SAMPLES / "q_data.sqlite3", tmp_path, Problems())
    with source.database("conversations") as database:
        assert len(list(database.select("conversations", ["key"]))) == 4
        with pytest.raises(UnreadableError, match="auth_kv"):
            list(database.select("auth_kv", ["value"]))
        with pytest.raises(UnreadableError, match="auth_kv"):
            list(database.rows("SELECT (SELECT count(value) FROM auth_kv)"))


def test_copies_are_private_and_go_when_they_are_done(tmp_path: Path) -> None:
    copies = []
    for source in find_sources(ORCX, Problems()):
        with source.database("conversations") as database:
            [(_, _, file)] = database.rows("PRAGMA database_list")
        copies.append(Path(file))
        assert stat.S_IMODE(copies[0].parent.stat().st_mode) == 0o700

    assert copies[0].name != ORCX.name
    assert not copies[0].parent.exists()
