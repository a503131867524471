"""Codex: a session is a file of lines, packed with zstd when it is old.

A fork begins with a copy of what it was forked from. Messages have no ids, so they are
named by what they say and by all before, under the session at the bottom of it all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO, cast

from convotui.importers.codex_session import SOURCE, Session, is_item
from convotui.importers.documents import Record, records
from convotui.importers.formats import Format
from convotui.importers.records import Conversation, UnreadableError
from convotui.importers.shaping import dict_of
from convotui.importers.sources import Source

_PACKED = b"\x28\xb5\x2f\xfd"
_PACKED_TEXT = _PACKED.decode("utf-8", "replace")
_SMALL, _MAX_RATIO = 64_000_000, 1_000
"""How many bytes a packed file may hold: so many, or so many times its own."""

_LINES = ("session_meta", "response_item", "event_msg", "turn_context", "compacted")


def _knows_head(head: str) -> bool:
    return head.startswith(_PACKED_TEXT)


def _knows(found: Sequence[Any]) -> bool:
    lines = list(map(dict_of, found))
    if any(x.get("type") in _LINES and "payload" in x for x in lines):
        return True
    # The first versions wrote bare items below a line with an id.
    first = lines[0] if lines else {}
    is_begun = {"id", "timestamp"} <= first.keys() and "type" not in first
    return is_begun and any(is_item(line) for line in lines[1:])


def _read(source: Source) -> Iterator[Conversation]:
    session = Session()
    is_packed = source.head.startswith(_PACKED)
    for record in _unpacked(source) if is_packed else source.records():
        if isinstance(record.value, dict):
            session.add(record.value)
        else:
            source.skip(record.where, "is no line of a session.")
    if is_packed and not session.is_one:
        raise UnreadableError("holds no session of Codex.")
    yield Conversation(
        session.key, session.messages(source.modified), session.directory
    )


def _unpacked(source: Source) -> Iterator[Record]:
    import zstandard

    unpacker = zstandard.ZstdDecompressor()
    try:
        with (
            source.open() as file,
            unpacker.stream_reader(file, read_across_frames=True) as stream,
        ):
            limited = _Limited(stream, max(_SMALL, _MAX_RATIO * source.size))
            for record in records(cast("BinaryIO", limited), source.skip):
                source.at(file.tell() / max(1, source.size))
                yield record
    except zstandard.ZstdError as error:
        raise UnreadableError(f"cannot be unpacked ({error}).") from error


class _Limited:
    """A stream that is no bomb."""

    def __init__(self, stream: Any, room: int) -> None:
        self._stream = stream
        self._room = room

    def read(self, size: int) -> bytes:
        """Read on.

        Raises:
            UnreadableError: If it is far too much.
        """
        data: bytes = self._stream.read(size)
        self._room -= len(data)
        if self._room < 0:
            raise UnreadableError("is far too large for what it was packed to.")
        return data


FORMAT = Format(
    name=SOURCE,
    program="Codex",
    read=_read,
    knows_head=_knows_head,
    knows_records=_knows,
    places=(
        "{home}/.codex/sessions/**/rollout-*",
        "{home}/.codex/archived_sessions/**/rollout-*",
    ),
)
