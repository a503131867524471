"""Where messages came from, and how those of other programs come in: each once."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from itertools import chain

from convotui.storage.access import Access
from convotui.storage.arrivals import Arrival, Intake, Origin, Provenance
from convotui.storage.connections import run
from convotui.storage.intake import Taking, next_batch
from convotui.storage.records import MessageId, read_object

_PROVENANCE = """
SELECT o.message_id, CAST(o.source AS TEXT), CAST(o.conversation AS TEXT),
    CAST(o.key AS TEXT), CAST(o.meta AS TEXT), coalesce(c.message_id, (
    SELECT id FROM messages WHERE id = o.continues_key AND o.source = 'cpe')),
    CAST(o.continues_conversation AS TEXT), CAST(o.continues_key AS TEXT)
FROM convotui_origins AS o LEFT JOIN convotui_origins AS c ON c.source = o.source
    AND c.conversation = o.continues_conversation AND c.key = o.continues_key
WHERE o.message_id IN (SELECT value FROM json_each(?))
"""


class Origins:
    """Where the messages of a store came from."""

    def __init__(
        self, access: Access, clock: Callable[[], datetime], new_id: Callable[[], str]
    ) -> None:
        self._access = access
        self._clock = clock
        self._new_id = new_id

    def take_in(
        self, source: str, conversation: str, arrivals: Iterable[Arrival]
    ) -> Intake:
        """Save what is new of a conversation, all or none of it.

        It may be of any length: what arrives is taken as it is saved.
        """
        coming = iter(arrivals)
        first = next_batch(coming)
        if not first:
            return Intake()
        return self._access.write(
            lambda db: Taking(db, source, conversation, self._clock, self._new_id).take(
                chain(first, coming)
            ),
            makes_file_after=lambda db: None,
        )

    def compare(
        self, source: str, conversation: str, arrivals: Iterable[Arrival]
    ) -> Intake:
        """Return what `take_in` would do, and do nothing."""
        return self._access.read(
            lambda db: Taking(db, source, conversation, self._clock, None).take(
                iter(arrivals)
            )
        )

    def of(self, message_ids: Sequence[MessageId]) -> dict[MessageId, Provenance]:
        """Return where each of these messages came from, if from elsewhere."""
        rows = self._access.read(
            lambda db: run(db, _PROVENANCE, (json.dumps(list(message_ids)),))
        )
        return {row[0]: _provenance(*row[1:]) for row in rows}


def _provenance(
    source: str,
    conversation: str,
    key: str,
    meta: str | None,
    continues: MessageId | None,
    *edge: str | None,
) -> Provenance:
    above, last = edge
    return Provenance(
        Origin(source, conversation, key),
        read_object(meta),
        continues,
        None if last is None else Origin(source, above or "", last),
    )
