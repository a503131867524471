"""Where messages came from, as an export tells it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from convotui.export.message_values import CameFrom
from convotui.storage import MessageId, Provenance

_OWN_SOURCE = "cpe"
"""Where a message came from that has its own id in any file of CPE or convotui."""


def came_from(
    message_ids: Sequence[MessageId],
    origins: Callable[[Sequence[MessageId]], Mapping[MessageId, Provenance]],
) -> dict[MessageId, CameFrom]:
    """Return where each of these messages came from, if there is anything to tell.

    There is not for what only came under its own id from another file of this kind.
    """
    told: dict[MessageId, CameFrom] = {}
    for message_id, it in origins(message_ids).items():
        is_own = it.origin == (_OWN_SOURCE, "", message_id)
        if not is_own or it.meta or it.continues_from is not None:
            told[message_id] = CameFrom(it.origin, it.meta, it.continues_from)
    return told
