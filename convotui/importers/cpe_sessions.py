"""The sessions that newer versions of CPE keep: which message each one ends with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from convotui.importers.cpe_walk import WALK
from convotui.importers.databases import Database
from convotui.importers.shaping import amount_of, known, text_of

_COLUMNS = (
    "id",
    "title",
    "cwd",
    "model_ref",
    "thinking_level",
    "cost_usd",
    "last_message_id",
)


@dataclass(slots=True)
class Sessions:
    """What sessions tell about messages."""

    ending: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    """The sessions that end with each message."""
    titles: dict[str, str] = field(default_factory=dict)
    """Names that users gave, by the message they are best seen at."""
    directories: dict[int, str] = field(default_factory=dict)
    """Where each tree was held, by the place of its root."""


def read_sessions(database: Database) -> Sessions:
    """Read the sessions of a file, if it has any, once its walk is made."""
    sessions = Sessions()
    if "acp_sessions" not in database.tables:
        return sessions
    roots: dict[str, tuple[int, str]] = {
        last: (root, root_id)
        for last, root, root_id in database.rows(
            f"SELECT w.id, w.root, (SELECT id FROM {WALK} WHERE root = w.root"
            f" ORDER BY place LIMIT 1) FROM acp_sessions JOIN {WALK} AS w"
            " ON w.id = last_message_id"
        )
    }
    for row in database.select("acp_sessions", _COLUMNS, order="created_at, id"):
        *about, cost, last = row
        if last not in roots:
            continue
        fields = dict(zip(_COLUMNS, (text_of(value) for value in about), strict=False))
        session = known(**fields, cost_usd=amount_of(cost))
        sessions.ending.setdefault(last, []).append(session)
        root, root_id = roots[last]
        if (directory := session.get("cwd")) is not None:
            sessions.directories.setdefault(root, directory)
        title = session.get("title")
        if title and title != session.get("id"):
            seen_at = last if root_id in sessions.titles else root_id
            sessions.titles[seen_at] = title
    _lead_back(database, sessions.directories)
    return sessions


def _lead_back(database: Database, directories: dict[int, str]) -> None:
    """Note where what was compacted was held: where it went on."""
    if "compaction_parent_id" not in database.tables["messages"]:
        return
    edges = database.rows(
        f"SELECT later.root, earlier.root FROM messages AS m"
        f" JOIN {WALK} AS later ON later.id = m.id"
        f" JOIN {WALK} AS earlier ON earlier.id = m.compaction_parent_id"
        " ORDER BY later.root DESC"
    )
    for later, earlier in edges:
        if later in directories:
            directories.setdefault(earlier, directories[later])
