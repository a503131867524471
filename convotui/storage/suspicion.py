"""What in a schema could run code, or belongs to another program.

What may be there is listed word by word. Whatever else is there makes a file one that
is only read, whether or not anybody has thought of it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from convotui.storage.schema import (
    CREATE_SEARCH_TABLE,
    OWN_TABLES,
    SEARCH_TABLE,
    SHARED_TABLES,
)

_OWN_PREFIX = "convotui_"
_SHARED_INDEXES = frozenset({"idx_messages_created_at", "idx_messages_parent_id"})
_UNIQUE = frozenset(
    {
        ("convotui_indexed", "message_id"),
        ("convotui_origins", "source", "conversation", "key"),
    }
)
_SEARCH_SQL = CREATE_SEARCH_TABLE.replace("IF NOT EXISTS ", "")
SEARCH_PARTS = frozenset(
    f"{SEARCH_TABLE}_{part}" for part in ("data", "idx", "docsize", "config")
)
_SQLITE_TABLES = re.compile(r"sqlite_(sequence|stat[1-4])")

_TOKEN = re.compile(
    r"""(?P<nothing> \s+ | --[^\n]* | /\*.*?(?:\*/|\Z) )
    | (?P<text> '(?:[^']|'')*' )
    | "(?P<quoted>(?:[^"]|"")*)" | `(?P<ticked>[^`]*)` | \[(?P<bracketed>[^]]*)]
    | (?P<word> \w+ ) | (?P<mark> . )""",
    re.DOTALL | re.VERBOSE,
)
"""Text, quoted names and comments can each look like another inside."""

# fmt: off
_TABLE_WORDS = frozenset({
    "(", ")", ",", "create", "table", "not", "null", "default", "primary", "key",
    "true", "false", "current_timestamp", "text", "integer", "int", "bigint", "real",
    "numeric", "boolean", "timestamp", "datetime", "varchar", "blob",
})
_REFERENCE_WORDS = frozenset({
    "foreign", "references", "messages", "on", "delete", "restrict", "cascade", "no",
    "action",
})
_SEARCH_WORDS = frozenset({
    "id", "block", "segid", "term", "pgno", "sz", "origin", "k", "v", "without",
    "rowid",
})
_SQLITE_WORDS = frozenset({
    "name", "seq", "tbl", "idx", "stat", "neq", "nlt", "ndlt", "sample",
})
# fmt: on
_CODE = frozenset({"check", "as", "generated", "collate"})
_OWN = frozenset(model._meta.table_name for model in OWN_TABLES)
_COLUMNS = frozenset(
    field.column_name
    for model in (*SHARED_TABLES, *OWN_TABLES)
    for field in model._meta.sorted_fields
)


class SchemaObject(NamedTuple):
    """A row of SQLite's own table of what there is."""

    kind: str
    name: str
    table: str
    sql: str
    root: int = 0
    """The number of the page at which its content begins."""

    @property
    def is_own(self) -> bool:
        """Whether it claims to be convotui's."""
        # To SQLite, upper and lower case are the same.
        return any(
            name.lower().startswith(_OWN_PREFIX) for name in (self.name, self.table)
        )

    @property
    def shown(self) -> str:
        """Its kind and name, however long that is."""
        name = self.name if len(self.name) < 50 else f"{self.name[:50]}…"
        return f"{self.kind[:50]} {name!r}"


def of_own(objects: Iterable[SchemaObject]) -> str | None:
    """Say what among convotui's own tables is not as convotui makes it."""
    for found in objects:
        if found.is_own and not _is_as_we_make_it(found):
            return f"holds the {found.shown}, which is not convotui's"
    return None


def of_others(objects: Sequence[SchemaObject]) -> str | None:
    """Say what else could run when the file is written, or is another program's."""
    for found in objects:
        if found.kind in ("trigger", "view"):
            return f"holds the {found.shown}, which could run when it is written"
        if found.is_own:
            continue
        if found.kind == "index":
            if not _is_shared_index(found):
                return f"holds the {found.shown} of another program"
        elif found.name in ("messages", "blocks"):
            if not _is_plain_table(found, _COLUMNS | _REFERENCE_WORDS):
                return f"holds a table {found.name!r} with rules of its own"
        elif not (
            _SQLITE_TABLES.fullmatch(found.name)
            and _is_plain_table(found, _SQLITE_WORDS)
        ):
            return f"holds the {found.shown} of another program"
    roots = Counter(found.root for found in objects if found.root)
    if max(roots.values(), default=1) > 1:
        return "holds two tables in one place"
    return None


def is_without_code(found: SchemaObject) -> bool:
    """Return whether a table, also another program's, computes nothing when read."""
    tokens = _tokens(found.sql)
    is_table = found.kind == "table" and tokens[:2] == ("create", "table")
    return is_table and _CODE.isdisjoint(tokens)


def _is_as_we_make_it(found: SchemaObject) -> bool:
    if found.kind == "index":
        return _is_own_index(found)
    if found.name == SEARCH_TABLE:
        return found.kind == "table" and found.sql == _SEARCH_SQL
    if found.name in SEARCH_PARTS:
        return _is_plain_table(found, _SEARCH_WORDS)
    return found.name in _OWN and _is_plain_table(found, _COLUMNS)


def _is_plain_table(found: SchemaObject, words: frozenset[str]) -> bool:
    create, table, name, *rest = (*_tokens(found.sql), "", "", "")
    return (
        found.kind == "table"
        and (create, table) == ("create", "table")
        and name.strip("'") == found.name
        and all(
            not token
            or token in _TABLE_WORDS
            or token in words
            or token.isdigit()
            or token[0] == "'"
            for token in rest
        )
    )


def _is_own_index(found: SchemaObject) -> bool:
    if not found.sql:
        return True
    is_unique, columns = _columns_of_index(found)
    return bool(columns) and (not is_unique or (found.table, *columns) in _UNIQUE)


def _is_shared_index(found: SchemaObject) -> bool:
    """Return whether an index is SQLite's own or one of those that CPE makes."""
    is_unique, columns = _columns_of_index(found)
    return not found.sql or (
        found.name in _SHARED_INDEXES and bool(columns) and not is_unique
    )


def _columns_of_index(found: SchemaObject) -> tuple[bool, tuple[str, ...]]:
    """Return whether an index is unique, and its columns if it has nothing else."""
    tokens = _tokens(found.sql)
    is_unique = tokens[1:2] == ("unique",)
    head = ("create", *tokens[1 : 1 + is_unique], "index", found.name, "on")
    body = tokens[len(head) :]
    columns = body[2:-1:2]
    plain = (found.table, "(", *" , ".join(columns).split(" "), ")")
    is_plain = tokens[: len(head)] == head and body == plain and {*columns} <= _COLUMNS
    return is_unique, columns if is_plain else ()


@lru_cache
def _tokens(sql: str) -> tuple[str, ...]:
    """Return the words and marks of a statement; names without their quotes."""
    return tuple(
        match[0] if match.lastgroup == "text" else match[match.lastgroup].lower()
        for match in _TOKEN.finditer(sql)
        if match.lastgroup not in (None, "nothing")
    )
