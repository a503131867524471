"""Claude Code: a session is a file of lines, each of which names the one before it.

Going back makes a branch. A session that was copied to branch off keeps the ids of what
was copied, so messages are named by these alone, whatever file they are in.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Any

from convotui.importers.claude_code_session import Session
from convotui.importers.formats import Format
from convotui.importers.records import Conversation
from convotui.importers.shaping import dict_of, json_of, text_of
from convotui.importers.sources import Source

_OTHER_LINES = ("file-history-snapshot", "queue-operation", "custom-title", "ai-title")


def _knows(records: Sequence[Any]) -> bool:
    return any(map(_is_line, map(dict_of, records)))


def _is_line(line: dict[str, Any]) -> bool:
    if {"uuid", "parentUuid", "sessionId", "type"} <= line.keys():
        return True
    match line.get("type"):
        case "user" | "assistant":
            return "uuid" in line and isinstance(line.get("message"), dict)
        case "summary":
            return "leafUuid" in line
        case kind if kind in _OTHER_LINES:
            return "sessionId" in line or "messageId" in line
    return False


def _read(source: Source) -> Iterator[Conversation]:
    session = Session(source.shelf(), _agent(source))
    for record in source.records():
        if isinstance(record.value, dict):
            session.add(record.value)
        else:
            source.skip(record.where, "is no line of a session.")
    for messages in session.trees(source.modified):
        yield Conversation("", messages, session.directory)


def _agent(source: Source) -> str | None:
    """Return the kind of agent that a trace is of, which a file beside it tells."""
    if source.directory is None:
        return None
    name = PurePath(source.name).stem
    told = source.line_of(source.directory / f"{name}.meta.json")
    return text_of(dict_of(json_of(told)).get("agentType"))


FORMAT = Format(
    name="claude-code",
    program="Claude Code",
    read=_read,
    knows_records=_knows,
    # What was held below the project's directory is of the project, too.
    places=tuple(
        f"{top}/projects/{{dashed_project}}{ending}/**/*.jsonl"
        for top in ("{CLAUDE_CONFIG_DIR}", "{home}/.claude", "{home}/.config/claude")
        for ending in ("", "-*")
    ),
)
