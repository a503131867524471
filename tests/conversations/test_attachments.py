"""Files with a prompt: known by what they hold, and refused in one line."""

from __future__ import annotations

import os
import re
from base64 import b64decode
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convotui.conversations.attachments import (
    MAX_MEDIA,
    MAX_TEXT,
    AttachError,
    attach,
    text_of,
)
from convotui.storage import Block, Modality

IMAGES = {
    "image/png": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
    "image/jpeg": b"\xff\xd8\xff\xe0\0\x10JFIF",
    "image/gif": b"GIF89a\1\0\1\0",
    "image/webp": b"RIFF\x24\0\0\0WEBPVP8 ",
}


def file(tmp_path: Path, data: bytes, name: str = "notes.txt") -> Path:
    path = tmp_path / name
    path.write_bytes(data)
    return path


def refusal(path: Path) -> str:
    with pytest.raises(AttachError) as raised:
        attach(path)
    line = str(raised.value)
    assert line.startswith(f"{path}: ")
    assert "\n" not in line
    return line


def test_a_text_stands_under_its_name_in_a_fence(tmp_path: Path) -> None:
    block = attach(file(tmp_path, "Grüße\n".encode(), "notes.md"))

    assert block == Block("notes.md:\n\n```\nGrüße\n```")


def test_a_mark_of_the_encoding_is_no_part_of_the_text(tmp_path: Path) -> None:
    block = attach(file(tmp_path, b"\xef\xbb\xbfhello"))

    assert block.content == "notes.txt:\n\n```\nhello\n```"


@given(st.text(st.sampled_from("`a\n"), max_size=30))
def test_nothing_in_a_text_ends_its_fence(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    path = file(tmp_path_factory.getbasetemp(), text.encode(), "fence")

    lines = attach(path).content.split("\n")

    fence = lines[2]
    assert re.fullmatch("`{3,}", fence)
    assert lines[-1] == fence
    assert not any(fence in line for line in lines[3:-1])
    assert "\n".join(lines[3:-1]) == text.removesuffix("\n")


@pytest.mark.parametrize("mime_type", IMAGES)
def test_an_image_is_known_by_its_first_bytes(mime_type: str, tmp_path: Path) -> None:
    block = attach(file(tmp_path, IMAGES[mime_type], "picture.txt"))

    assert (block.type, block.modality) == ("content", Modality.IMAGE)
    assert block.mime_type == mime_type
    assert b64decode(block.content, validate=True) == IMAGES[mime_type]
    assert block.extra_fields is None


def test_a_pdf_keeps_its_name(tmp_path: Path) -> None:
    block = attach(file(tmp_path, b"%PDF-1.7\n\0\xff", "Plan B.pdf"))

    assert (block.modality, block.mime_type) == (Modality.IMAGE, "application/pdf")
    assert block.extra == {"filename": "Plan B.pdf"}
    assert b64decode(block.content) == b"%PDF-1.7\n\0\xff"


def test_a_name_cannot_steer_a_terminal(tmp_path: Path) -> None:
    path = file(tmp_path, b"x", "a\x1b]0;b\nc")

    assert attach(path).content == "a␛]0;b c:\n\n```\nx\n```"
    with pytest.raises(AttachError) as raised:
        attach(tmp_path / "\x1b[2J")
    assert "\x1b" not in str(raised.value)


def test_a_link_leads_to_its_file(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(file(tmp_path, b"hello"))

    assert "hello" in attach(link).content


@pytest.mark.parametrize("data", [b"a\0b", b"\xff\xfeh\0i\0", b"caf\xe9", b"PK\3\4\0"])
def test_what_is_neither_text_nor_image_is_refused(data: bytes, tmp_path: Path) -> None:
    assert "no text in UTF-8" in refusal(file(tmp_path, data))


def test_what_is_too_big_is_refused(tmp_path: Path) -> None:
    attach(file(tmp_path, b"a" * MAX_TEXT))
    assert "at most 1 MB" in refusal(file(tmp_path, b"a" * (MAX_TEXT + 1)))
    assert "at most 1 MB" in refusal(file(tmp_path, "é".encode() * MAX_MEDIA))

    png = IMAGES["image/png"]
    attach(file(tmp_path, png.ljust(MAX_MEDIA, b"\0")))
    assert "at most 20 MB" in refusal(file(tmp_path, png.ljust(MAX_MEDIA + 1, b"\0")))


def test_what_is_not_there_is_told(tmp_path: Path) -> None:
    assert "no such file" in refusal(tmp_path / "nothing")


def test_a_directory_is_no_file(tmp_path: Path) -> None:
    assert "a directory" in refusal(tmp_path)


def test_what_would_wait_for_a_writer_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    assert "no regular file" in refusal(tmp_path / "pipe")
    assert "no regular file" in refusal(Path("/dev/zero"))


@pytest.mark.parametrize("name", ["a\0b", "x" * 5000, "notes.txt/below"])
def test_a_name_that_cannot_be_opened_is_told(name: str, tmp_path: Path) -> None:
    file(tmp_path, b"x")

    with pytest.raises(AttachError, match="cannot be read"):
        attach(tmp_path / name)


@given(st.binary())
def test_bytes_are_text_or_refused(data: bytes) -> None:
    try:
        text = text_of(data, "it")
    except AttachError:
        return
    assert data.removeprefix(b"\xef\xbb\xbf") == text.encode()
