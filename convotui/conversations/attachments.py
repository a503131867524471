"""Files that go to a model with a prompt."""

from __future__ import annotations

import codecs
import json
import os
import re
import stat
from base64 import b64encode
from pathlib import Path

from convotui.storage import Block, Modality
from convotui.text import visible_line

MAX_TEXT = 1_000_000
"""How many bytes of text are taken; more is more than most models can read."""
MAX_MEDIA = 20_000_000
"""How many bytes an image or a PDF may have."""

_UNKNOWN = "is no text in UTF-8, and no PNG, JPEG, GIF, WebP or PDF."
_PDF = "application/pdf"
_FENCE = re.compile(r"`{3,}")


class AttachError(Exception):
    """A file that cannot be attached; its one line says why."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(visible_line(f"{name}: {reason}"))


def attach(path: Path) -> Block:
    """Return a file as a part of a prompt; what it is, its content says.

    Raises:
        AttachError: If it cannot be read, is too big, or is nothing for a model.
    """
    data = _read(path)
    media = media_of(data, str(path))
    return media or Block(_fenced(path.name, text_of(data, str(path))))


def media_of(data: bytes, name: str) -> Block | None:
    """Return an image or a PDF as a part of a prompt; `None` if it is neither.

    Raises:
        AttachError: If it is more than `MAX_MEDIA`.
    """
    mime_type = _media_type(data)
    if mime_type is None:
        return None
    if len(data) > MAX_MEDIA:
        raise AttachError(name, _too_big(MAX_MEDIA))
    filename = json.dumps({"filename": visible_line(os.path.basename(name))})
    return Block(
        b64encode(data).decode(),
        modality=Modality.IMAGE,
        mime_type=mime_type,
        extra_fields=filename if mime_type == _PDF else None,
    )


def text_of(data: bytes, name: str) -> str:
    """Return bytes as the text that they are.

    Raises:
        AttachError: If they are not text, or more than `MAX_TEXT`.
    """
    if b"\0" in data:
        raise AttachError(name, _UNKNOWN)
    if len(data) > MAX_TEXT:
        raise AttachError(name, _too_big(MAX_TEXT))
    try:
        return data.removeprefix(codecs.BOM_UTF8).decode()
    except UnicodeDecodeError:
        raise AttachError(name, _UNKNOWN) from None


def _read(path: Path) -> bytes:
    """Return what a file holds, without ever waiting for somebody to write it."""
    try:
        kind = path.stat().st_mode
        if stat.S_ISDIR(kind):
            raise AttachError(str(path), "is a directory; name a file in it.")
        if not stat.S_ISREG(kind):
            raise AttachError(str(path), "is no regular file.")
        with open(path, "rb", opener=_open_without_waiting) as file:
            return file.read(MAX_MEDIA + 1)
    except FileNotFoundError:
        raise AttachError(str(path), "there is no such file.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise AttachError(str(path), f"cannot be read ({reason}).") from None


def _open_without_waiting(name: str, flags: int) -> int:
    return os.open(name, flags | os.O_NONBLOCK)


def _media_type(data: bytes) -> str | None:
    """Return the type of an image or a PDF, or `None` for anything else."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return "image/webp"
    return _PDF if data.startswith(b"%PDF-") else None


def _fenced(name: str, text: str) -> str:
    """Return a text under its file's name, in a fence that nothing in it can end."""
    longest = max((len(run) for run in _FENCE.findall(text)), default=2)
    fence = "`" * (longest + 1)
    end = "" if text.endswith("\n") else "\n"
    return f"{visible_line(name)}:\n\n{fence}\n{text}{end}{fence}"


def _too_big(limit: int) -> str:
    return f"is too big; at most {limit // 1_000_000} MB can be sent."
