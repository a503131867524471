"""Where a file is: on a network, under an old SQLite, in another user's reach.

The numbers are those of the catalogue of what has to be survived.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

import apsw
import pytest

from convotui.storage import Store, making, mounts
from tests.storage.helpers import (
    draft,
    is_whole,
    seed_file,
    texts,
)
from tests.storage.processes import hear, kill, run, start

LOCAL = "27 1 254:0 / / rw,relatime - ext4 /dev/vda rw"


def mount(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *lines: str) -> None:
    """Have something be mounted in this directory."""
    table = tmp_path / "mountinfo"
    here = str(tmp_path).replace(" ", "\\040")
    table.write_text("\n".join((LOCAL, *lines)).replace("HERE", here))
    monkeypatch.setattr(mounts, "TABLE", table)


NETWORKS = ["nfs", "nfs4", "cifs", "smb3", "9p", "fuse.sshfs", "virtiofs", "ceph"]
DISKS = ["ext4", "btrfs", "tmpfs", "overlay", "fuseblk", "xfs", "zfs"]


@pytest.mark.parametrize("kind", NETWORKS)
def test_42_a_new_file_on_a_network_has_no_log_that_cannot_work_there(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    mount(monkeypatch, tmp_path, f"30 27 0:40 / HERE rw shared:1 - {kind} x rw")
    with Store(path) as store:
        store.save([draft("hello")])
        health = store.health()
        assert health.journal_mode == "delete"
        assert any(kind in line and "network" in line for line in health.advice)
        assert texts(store) == ["hello"]
    assert is_whole(path)


@pytest.mark.parametrize("kind", DISKS)
def test_42_a_new_file_on_a_disk_has_one(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    mount(monkeypatch, tmp_path, f"30 27 0:40 / HERE rw - {kind} x rw")
    with Store(path) as store:
        store.save([draft("hello")])
        assert store.health().journal_mode == "wal"
        assert not any("network" in line for line in store.health().advice)


def test_42_what_is_mounted_nearest_and_last_counts(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a dir").mkdir()
    lines = [
        "30 27 0:40 / HERE rw - nfs x rw",
        "31 30 0:41 / HERE/a\\040dir rw - nfs x rw",
        "32 31 0:42 / HERE/a\\040dir rw - ext4 x rw",
        "33 31 0:43 / HERE/a rw - cifs x rw",
        "a line that is none",
    ]
    mount(monkeypatch, tmp_path, *lines)
    assert mounts.network_kind(path) == "nfs"
    assert mounts.network_kind(tmp_path / "a dir" / ".cpeconvo") is None


def test_42_where_nothing_is_known_nothing_changes(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mounts, "TABLE", tmp_path / "nowhere")
    with Store(path) as store:
        store.save([draft("hello")])
        assert store.health().journal_mode == "wal"


def test_42_the_journal_of_a_file_that_is_there_is_left_alone(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store(path) as store:
        store.save([draft("hello")])
    mount(monkeypatch, tmp_path, "30 27 0:40 / HERE rw - nfs x rw")
    with Store(path) as store:
        store.save([draft("more")])
        assert store.health().journal_mode == "wal"


@pytest.mark.parametrize(
    ("version", "is_sound"),
    [
        ("3.40.1", False),
        ("3.44.5", False),
        ("3.44.6", True),
        ("3.45.3", False),
        ("3.50.6", False),
        ("3.50.7", True),
        ("3.51.2", False),
        ("3.51.3", True),
        ("3.52.0", True),
        ("3.54.1", True),
        ("4.0.0", True),
    ],
)
def test_41_only_a_sqlite_without_the_bug_gets_a_log(
    path: Path, monkeypatch: pytest.MonkeyPatch, version: str, is_sound: bool
) -> None:
    monkeypatch.setattr(apsw, "sqlite_lib_version", lambda: version)
    assert making.is_log_sound() is is_sound
    with Store(path) as store:
        store.save([draft("hello")])
        health = store.health()
        assert health.journal_mode == ("wal" if is_sound else "delete")
        assert any("apsw" in line for line in health.advice) is not is_sound


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
def test_32_all_files_are_private_whatever_is_usual(path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        with Store(path) as store:
            store.save([draft("hello")])
            store.back_up(path.with_name("copy"))
            modes = {f.name: stat.S_IMODE(f.stat().st_mode) for f in _files(path)}
    finally:
        os.umask(before)
    assert {name[9:] for name in modes if name != "copy"} == {"", "-wal", "-shm"}
    assert set(modes.values()) == {0o600}


def _files(path: Path) -> list[Path]:
    return list(path.parent.iterdir())


def test_32_a_file_that_others_can_read_is_told_and_left_so(path: Path) -> None:
    seed_file(path)
    path.chmod(0o644)
    with Store(path) as store:
        assert any("chmod 600" in line for line in store.health().advice)
        store.save([draft("hello")])
        assert stat.S_IMODE(path.stat().st_mode) == 0o644
    path.chmod(0o600)
    with Store(path) as store:
        assert store.health().advice == ()


def test_55_the_file_of_another_user_is_told(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store(path) as store:
        store.save([draft("hello")])
    with Store(path) as store:
        assert store.health().advice == ()
        monkeypatch.setattr(os, "geteuid", lambda: 4711)
        [line] = store.health().advice
        assert "another user" in line


def test_53_a_log_that_is_shown_with_the_file_is_told(path: Path) -> None:
    victim = start(
        "store = Store(path)\nstore.save([said('old')])\n"
        "print('ready', flush=True)\nsys.stdin.readline()",
        path,
    )
    assert hear(victim) == "ready"
    kill(victim)
    with Store(path) as store:
        [line] = store.health().advice
        assert ".cpeconvo-wal" in line
    path.chmod(0o600)
    os.utime(path.with_name(path.name + "-wal"), (0, 0))
    with Store(path) as store:
        [line] = store.health().advice
        assert "may be of a file that was here before" in line


IN_NO_DIRECTORY = """
import os
with Store(path) as store:
    store.save([said("first")])
    os.chdir(path.parent / "gone")
    (path.parent / "gone").rmdir()
    store.save([said("second")])
    print(len(store.list_messages()))
    away = path.parent.parent / "renamed"
    path.parent.rename(away)
    for use in (lambda: store.save([said("lost")]), lambda: store.label("x", "y")):
        try:
            use()
            print("saved")
        except StorageError as error:
            print(type(error).__name__, str(error).count("\\n"))
    away.rename(path.parent)
    store.save([said("third")])
    print(len(store.list_messages()))
"""


def test_35_a_directory_that_goes_or_is_renamed_is_told_and_loses_nothing(
    tmp_path: Path,
) -> None:
    path = tmp_path / "project" / ".cpeconvo"
    (path.parent / "gone").mkdir(parents=True)
    assert run(IN_NO_DIRECTORY, path).splitlines() == [
        "2",
        "FileReplacedError 0",
        "FileReplacedError 0",
        "3",
    ]
    assert is_whole(path)
