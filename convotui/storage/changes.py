"""What was done and can be undone, by any process and after any restart.

The list of changes has the newest last. Undone ones stay on it until something new is
done, so that they can be redone.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Literal

from peewee import Select, SqliteDatabase, fn

from convotui.storage import trash
from convotui.storage.connections import run
from convotui.storage.errors import HasRepliesError, NothingToUndoError
from convotui.storage.reading import among
from convotui.storage.records import MessageId, storable
from convotui.storage.results import Change, TrashEntry
from convotui.storage.schema import ChangeRow, MessageRow
from convotui.storage.writing import set_title


def delete(
    database: SqliteDatabase,
    message_ids: Sequence[MessageId],
    *,
    recursive: bool,
    now: datetime,
) -> Change | None:
    """Move messages to the trash, or return `None` if there are none of them.

    Raises:
        HasRepliesError: If one has replies that are to stay; then nothing is deleted.
    """
    named = [
        row[0]
        for row in MessageRow.select(MessageRow.id)
        .where(MessageRow.id.in_(among(message_ids)))
        .tuples()
        .execute(database)
    ]
    if not named:
        return None
    if not recursive:
        _refuse_parents(database, named)
    _forget_undone(database)
    count = trash.doom(database, named)
    change = _record(database, "delete", named, count, now)
    trash.move_to_trash(database, change.id)
    return change


def label(
    database: SqliteDatabase, message_id: MessageId, title: str | None, now: datetime
) -> Change | None:
    """Set a message's label, or return `None` if it has that one already."""
    title = title if title is None else storable(title)
    before = set_title(database, message_id, title)
    if before == title:
        return None
    _forget_undone(database)
    return _record(database, "label", [message_id], 1, now, before, title)


def undo(database: SqliteDatabase) -> Change:
    """Undo the newest change that is not undone.

    A label that another program has changed since is theirs, and is passed over.

    Raises:
        NothingToUndoError: If there is none.
    """
    query = _changes().where(ChangeRow.undone == 0)
    query = query.order_by(ChangeRow.id.desc())
    while (change := _first(database, query)) is not None:
        if change.kind == "delete" or _has_label(database, change, change.after):
            return _revert(database, change)
        ChangeRow.delete().where(ChangeRow.id == change.id).execute(database)
    raise NothingToUndoError("There is nothing to undo.")


def redo(database: SqliteDatabase) -> Change:
    """Do again what was undone last.

    What another program has changed or deleted since is theirs, and is passed over.

    Raises:
        NothingToUndoError: If nothing was undone since the last change.
    """
    query = _changes().where(ChangeRow.undone > 0)
    query = query.order_by(ChangeRow.undone.desc())
    while (change := _first(database, query)) is not None:
        if change.kind == "label" and _has_label(database, change, change.before):
            set_title(database, change.message_ids[0], change.after)
            return _mark_done(database, change)
        if change.kind == "delete":
            # Replies that came below since go too; without a parent they would be lost.
            count = trash.doom(database, change.message_ids)
            if count:
                trash.move_to_trash(database, change.id)
                return _mark_done(database, replace(change, message_count=count))
        ChangeRow.delete().where(ChangeRow.id == change.id).execute(database)
    raise NothingToUndoError("There is nothing to redo.")


def restore(database: SqliteDatabase, change_id: int) -> Change:
    """Undo one delete, whatever was done since.

    Raises:
        NothingToUndoError: If it is not in the trash.
    """
    query = _deletes().where(ChangeRow.id == change_id)
    change = _first(database, query)
    if change is None:
        raise NothingToUndoError(f"There is no entry {change_id} in the trash.")
    return _revert(database, change)


def entries(database: SqliteDatabase) -> list[TrashEntry]:
    """Return the deletes whose messages are in the trash, newest first."""
    rows = _deletes().order_by(ChangeRow.id.desc()).execute(database)
    found = [_change(row) for row in rows]
    texts = trash.beginnings(database, found)
    return [TrashEntry(change, texts.get(change.id, "")) for change in found]


def empty(database: SqliteDatabase, before: datetime | None) -> int:
    """Destroy what is in the trash, all or what was deleted before; how many messages.

    The connection overwrites what it frees, so they cannot be read back from the file.
    """
    query = (
        _deletes()
        if before is None
        else _deletes().where(ChangeRow.created_at < before)
    )
    changes = [_change(row) for row in query.execute(database)]
    for change in changes:
        _forget_labels(database, change.id)
        trash.forget_contents(database, change.id)
    ChangeRow.delete().where(ChangeRow.id.in_([c.id for c in changes])).execute(
        database
    )
    return sum(change.message_count for change in changes)


def _forget_labels(database: SqliteDatabase, change_id: int) -> None:
    """Forget which labels the messages of a delete have had."""
    run(
        database,
        "DELETE FROM convotui_changes WHERE kind = 'label' AND"
        " json_extract(message_ids, '$[0]') IN"
        " (SELECT id FROM convotui_trashed_messages WHERE change_id = ?)",
        (change_id,),
    )


def _refuse_parents(database: SqliteDatabase, named: list[MessageId]) -> None:
    """Raise if a reply to one of `named` is not itself among them."""
    staying = (
        MessageRow.select(MessageRow.parent)
        .where(
            MessageRow.parent.in_(among(named))
            & (MessageRow.id.is_null() | MessageRow.id.not_in(among(named)))
        )
        .limit(1)
    )
    for row in staying.tuples().execute(database):
        raise HasRepliesError(row[0])


def _revert(database: SqliteDatabase, change: Change) -> Change:
    if change.kind == "delete":
        trash.move_back(database, change.id)
    else:
        set_title(database, change.message_ids[0], change.before)
    undone = ChangeRow.undone.cast("INTEGER")
    latest = ChangeRow.select(fn.MAX(undone)).scalar(database)
    ChangeRow.update(undone=latest + 1).where(ChangeRow.id == change.id).execute(
        database
    )
    return change


def _has_label(database: SqliteDatabase, change: Change, label: str | None) -> bool:
    """Whether the message of a change is there and has a label."""
    rows = run(
        database, "SELECT title FROM messages WHERE id = ?", change.message_ids[:1]
    )
    return rows == [(label,)]


def _forget_undone(database: SqliteDatabase) -> None:
    ChangeRow.delete().where(ChangeRow.undone > 0).execute(database)


def _record(
    database: SqliteDatabase,
    kind: Literal["delete", "label"],
    named: Sequence[MessageId],
    count: int,
    now: datetime,
    before: str | None = None,
    after: str | None = None,
) -> Change:
    change_id: int = ChangeRow.insert(
        kind=kind,
        message_ids=json.dumps(list(named)),
        message_count=count,
        before=before,
        after=after,
        undone=0,
        created_at=now,
    ).execute(database)
    return Change(change_id, kind, tuple(named), count, now, before, after)


def _mark_done(database: SqliteDatabase, change: Change) -> Change:
    ChangeRow.update(undone=0, message_count=change.message_count).where(
        ChangeRow.id == change.id
    ).execute(database)
    return change


def _changes() -> Select:
    # Whatever another program may have written there, these are what they seem.
    return ChangeRow.select(
        ChangeRow.id,
        ChangeRow.kind,
        ChangeRow.message_ids.cast("TEXT"),
        ChangeRow.message_count.cast("INTEGER"),
        ChangeRow.created_at,
        ChangeRow.before,
        ChangeRow.after,
    ).tuples()


def _deletes() -> Select:
    return _changes().where((ChangeRow.kind == "delete") & (ChangeRow.undone == 0))


def _first(database: SqliteDatabase, query: Select) -> Change | None:
    for row in query.limit(1).execute(database):
        return _change(row)
    return None


def _change(row: tuple[Any, ...]) -> Change:
    change_id, kind, message_ids, *rest = row
    return Change(change_id, kind, _read_ids(message_ids), *rest)


def _read_ids(stored: str) -> tuple[MessageId, ...]:
    """Read the ids that a change names; one that nobody has if they are damaged."""
    try:
        ids = json.loads(stored)
    except (ValueError, RecursionError):
        ids = None
    known = isinstance(ids, list) and all(isinstance(name, str) for name in ids)
    return tuple(ids) if ids and known else (MessageId(""),)
