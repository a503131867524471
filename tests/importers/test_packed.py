"""Packed files: told by what is in them, and given up where they are hostile."""

from __future__ import annotations

import stat
import zipfile
from pathlib import Path

import pytest
import zstandard

from convotui.conversations.importing import Importer
from convotui.storage import Store

from .helpers import SAMPLES, all_of, bring_in, texts

LIST = '[{"role": "user", "content": "hi"}]'


def zstd(path: Path, data: bytes) -> Path:
    path.write_bytes(zstandard.ZstdCompressor().compress(data))
    return path


@pytest.mark.parametrize(
    ("sample", "format_name"),
    [
        ("codex_rollout.jsonl", "codex"),
        ("openai_messages.json", "openai"),
        ("pingu.db", "pingu"),
        ("aichat_session.yaml", "aichat"),
    ],
)
def test_what_is_packed_with_zstd_is_told_by_content(
    sample: str, format_name: str, tmp_path: Path, store: Store
) -> None:
    whole = SAMPLES / sample
    packed = zstd(tmp_path / whole.name, whole.read_bytes())
    [report] = bring_in(store, packed).files

    assert (report.name, report.format) == (str(packed), format_name)
    assert report.intake.new > 0
    assert bring_in(store, whole).intake.new == 0


def test_packed_files_that_hold_no_conversation_are_told_in_one_line(
    tmp_path: Path, store: Store
) -> None:
    whole = (SAMPLES / "codex_rollout.jsonl").read_bytes()
    broken = bytearray(zstandard.ZstdCompressor().compress(whole))
    broken[20:40] = bytes(20)
    (tmp_path / "broken").write_bytes(broken)
    files = [
        zstd(tmp_path / "words", b"words"),
        zstd(tmp_path / "picture", b"\x89PNG\0\0\0"),
        zstd(tmp_path / "bomb", b" " * 70_000_000),
        tmp_path / "broken",
    ]
    report = Importer(store).run(files)

    assert [Path(problem.file) for problem in report.problems] == files
    words, picture, bomb, damaged = (problem.reason for problem in report.problems)
    assert words == picture == "holds no conversations that convotui knows."
    assert bomb == "is far too large for what it was packed to."
    assert damaged.startswith("cannot be unpacked")
    assert (report.files, all_of(store)) == ((), [])


@pytest.mark.parametrize("name", ["../evil.json", "a/../../evil.json", "..\\evil.json"])
def test_a_name_that_leads_out_of_an_archive_is_told(
    name: str, tmp_path: Path, store: Store
) -> None:
    archive = tmp_path / "deep" / "export.zip"
    archive.parent.mkdir()
    with zipfile.ZipFile(archive, "w") as zipped:
        zipped.writestr(name, LIST.replace("hi", "evil"))
        zipped.writestr("conversations.json", LIST)
    report = Importer(store).run([archive])

    [problem] = report.problems
    assert problem.reason == "its name leads out of the archive."
    assert texts(store) == ["hi"]
    assert list(tmp_path.rglob("*evil*")) == []


def test_a_link_in_an_archive_is_told_and_not_followed(
    tmp_path: Path, store: Store
) -> None:
    secret = tmp_path / "secret.json"
    secret.write_text(LIST)
    archive = tmp_path / "export.zip"
    with zipfile.ZipFile(archive, "w") as zipped:
        link = zipfile.ZipInfo("conversations.json")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        zipped.writestr(link, str(secret))
    report = Importer(store).run([archive])

    assert [problem.reason for problem in report.problems] == [
        "is a link, which is not followed."
    ]
    assert all_of(store) == []


def test_the_pictures_of_an_export_are_not_unpacked_to_be_looked_at(
    tmp_path: Path, store: Store
) -> None:
    archive = tmp_path / "export.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as zipped:
        # As a whole it would be told to be a bomb.
        zipped.writestr("file-1.png", b"\x89PNG\r\n\x1a\n\0" + bytes(40_000_000))
        zipped.writestr("conversations.json", LIST)
    bring_in(store, archive)

    assert texts(store) == ["hi"]
