"""Codex: a session is a file of lines, packed with zstd when it is old.

A fork begins with a copy of what it was forked from, or names the file that holds it.
Messages have no ids, so they are named by what they say and by all before, under the
session at the bottom of it all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from convotui.importers.codex_session import SOURCE, Session, is_item
from convotui.importers.finding import find_sources
from convotui.importers.formats import Format
from convotui.importers.records import Conversation, Problems
from convotui.importers.shaping import count_of, dict_of, text_of
from convotui.importers.sources import Source

Line = dict[str, Any]

_TREES = ("sessions", "archived_sessions")
_ID = re.compile(r"[\w-]{1,64}", re.ASCII)
_LONGEST_CHAIN = 100
_LINES = ("session_meta", "response_item", "event_msg", "turn_context", "compacted")


def _knows(found: Sequence[Any]) -> bool:
    lines = list(map(dict_of, found))
    if any(x.get("type") in _LINES and "payload" in x for x in lines):
        return True
    # The first versions wrote bare items below a line with an id.
    first = lines[0] if lines else {}
    is_begun = {"id", "timestamp"} <= first.keys() and "type" not in first
    return is_begun and any(is_item(line) for line in lines[1:])


def _read(source: Source) -> Iterator[Conversation]:
    session = Session(source.shelf())
    for line, _ in _with_base(source, source, {}):
        session.add(line)
    messages = session.messages(source.modified)
    yield Conversation(session.key, messages, session.directory)


def _with_base(
    part: Source, source: Source, passed: dict[str, None]
) -> Iterator[tuple[Line, int]]:
    """Yield the lines of a file with their numbers.

    After the first come those of another file that it goes on from.
    """
    for number, record in enumerate(part.records()):
        if not isinstance(record.value, dict):
            part.skip(record.where, "is no line of a session.")
            continue
        line: Line = record.value
        ordinal = count_of(line.get("ordinal"))
        yield line, number if ordinal is None else ordinal
        if number > 0:
            continue
        base = dict_of(dict_of(line.get("payload")).get("history_base"))
        rollout, end = text_of(base.get("thread_id")), base.get("end_ordinal_exclusive")
        if rollout is not None and (count := count_of(end)):
            yield from _base(rollout, count, source, passed)


def _base(
    rollout: str, end: int, source: Source, passed: dict[str, None]
) -> Iterator[tuple[Line, int]]:
    """Yield the first lines of a session that is in another file."""
    file = None if rollout in passed else _file_of(rollout, source.directory)
    if file is None or len(passed) > _LONGEST_CHAIN:
        source.skip("", f"goes on from session {rollout}, which is not there.")
        return
    for other in find_sources(file, Problems()):
        for line, ordinal in _with_base(other, source, {**passed, rollout: None}):
            if line.get("type") == "session_meta" or ordinal < end:
                yield line, ordinal


def _file_of(rollout: str, directory: Path | None) -> Path | None:
    """Return the file that a session goes on from; only where Codex would have it."""
    if directory is None or _ID.fullmatch(rollout) is None:
        return None
    tops = [top.parent for top in (directory, *directory.parents) if top.name in _TREES]
    names = [f"{tree}/**/" for tree in _TREES] if tops else [""]
    top = tops[0] if tops else directory
    found = (
        path for name in names for path in top.glob(f"{name}rollout-*{rollout}.jsonl*")
    )
    return next((path for path in sorted(found) if not path.is_symlink()), None)


FORMAT = Format(
    name=SOURCE,
    program="Codex",
    read=_read,
    knows_records=_knows,
    places=tuple(
        f"{top}/{tree}/**/rollout-*"
        for top in ("{CODEX_HOME}", "{home}/.codex")
        for tree in _TREES
    ),
)
