"""The order in which the messages of a `.cpeconvo` come in, found by SQLite itself.

Trees of any size are walked without holding them in memory, as a temporary table of a
private copy.
"""

from __future__ import annotations

from convotui.importers.databases import Database

WALK = "convotui_walk"
"""The table: `place` in the order, `id` of a message, the `root` of its tree, and the
row that it is `saved` in."""
_EDGES = "convotui_edges"

TEMPORARY = (WALK, _EDGES)

_HAS_NAME = "typeof(id) = 'text' AND id <> ''"
_MAKE_EDGES = (
    # Two messages with one id would be walked twice, and what is below them too.
    f"CREATE TEMP TABLE {_EDGES} (id TEXT PRIMARY KEY, parent_id, place INTEGER)",
    f"INSERT OR IGNORE INTO {_EDGES} SELECT id, parent_id, rowid"
    f" FROM messages WHERE {_HAS_NAME} ORDER BY rowid",
    f"CREATE INDEX temp.{_EDGES}_parent ON {_EDGES} (parent_id)",
)
_ROOTS = f"""
SELECT id, place FROM {_EDGES}
WHERE parent_id IS NULL OR parent_id NOT IN (SELECT id FROM {_EDGES})
"""
_UNREACHED = f"""
WITH RECURSIVE reached(id) AS (
    SELECT id FROM ({_ROOTS})
    UNION SELECT e.id FROM {_EDGES} AS e JOIN reached ON e.parent_id = reached.id
)
SELECT id, parent_id FROM {_EDGES} WHERE id NOT IN (SELECT id FROM reached)
ORDER BY place
"""
_MAKE_WALK = (
    f"CREATE TEMP TABLE {WALK}"
    " (place INTEGER PRIMARY KEY, id TEXT, root INTEGER, saved INTEGER)",
    # A message comes in where it was saved, unless its parent was saved after it.
    f"""
    WITH RECURSIVE down(id, root, place, depth, saved) AS (
        SELECT id, place, place, 0, place FROM ({_ROOTS})
        UNION ALL
        SELECT e.id, d.root, max(e.place, d.place), d.depth + 1, e.place
        FROM {_EDGES} AS e JOIN down AS d ON e.parent_id = d.id
    )
    INSERT INTO {WALK} (id, root, saved)
    SELECT id, root, saved FROM down ORDER BY root, place, depth
    """,
    f"CREATE INDEX temp.{WALK}_id ON {WALK} (id)",
)


def count_nameless(database: Database) -> int:
    """Return how many messages have no id, which are in no walk."""
    sql = f"SELECT count(*) FROM messages WHERE NOT ({_HAS_NAME})"
    [(count,)] = database.rows(sql)
    return int(count)


def count_doubled(database: Database) -> int:
    """Return how many messages have the id of one before, and are in no walk."""
    names = f"count(*) - count(DISTINCT id) FROM messages WHERE {_HAS_NAME}"
    [(count,)] = database.rows(f"SELECT {names}")
    return int(count)


def make_walk(database: Database) -> None:
    """Make the table. Rings are cut above the message that was saved first."""
    for sql in _MAKE_EDGES:
        database.run(sql)
    for message_id in _ring_beginnings(dict(database.rows(_UNREACHED))):
        database.run(
            f"UPDATE {_EDGES} SET parent_id = NULL WHERE id = ?", (message_id,)
        )
    for sql in _MAKE_WALK:
        database.run(sql)


def _ring_beginnings(parents: dict[str, str]) -> list[str]:
    """Return the first message of each ring among messages that no root leads to."""
    order = {message_id: place for place, message_id in enumerate(parents)}
    seen: set[str] = set()
    beginnings = []
    for start in parents:
        path: dict[str, int] = {}
        current = start
        while current not in seen:
            seen.add(current)
            path[current] = len(path)
            current = parents[current]
        if current in path:
            ring = list(path)[path[current] :]
            beginnings.append(min(ring, key=order.__getitem__))
    return beginnings
