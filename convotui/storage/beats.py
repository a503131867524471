"""Whether a reply that is being written still is.

Whoever writes one notes the time again and again. Where the last note is old, the
writer is gone, and the reply was interrupted, though nobody could write that down.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import datetime

from peewee import SqliteDatabase

from convotui.storage.connections import run
from convotui.storage.records import BEAT_LIFETIME, MessageId, ReplyState, read_time

Clock = Callable[[], datetime]

_BEAT = """
UPDATE convotui_replies SET beat_at = ?
WHERE message_id IN (SELECT value FROM json_each(?))
"""


def beat(
    database: SqliteDatabase, message_ids: Sequence[MessageId], now: datetime
) -> None:
    """Note that these replies are still being written."""
    run(database, _BEAT, (str(now), json.dumps(message_ids)))


def state_at(state: ReplyState, beat_at: object, clock: Clock) -> ReplyState:
    """Return the state of a reply as of now; a clock set back ends a beat too."""
    if state != "streaming" or abs(clock() - read_time(beat_at)) <= BEAT_LIFETIME:
        return state
    return "interrupted"
