"""convotui's own lines: a message to each, which git can compare and join.

A line holds all that is known of its message and names its parent, so that lines may
stand in any order and more than once. A message that is added adds a line and changes
none; the same message is the same line wherever it is exported.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from convotui.export.message_values import Described, values_of
from convotui.export.plain_json import plain_json

MARK = "convotui"
"""The key whose value, the version of the format, tells a line from others."""
VERSION = 1


def lines(messages: Iterable[Described]) -> Iterator[str]:
    """Yield a line for each message."""
    for described in messages:
        values = {MARK: VERSION, **values_of(described)}
        yield plain_json(_known(values), is_compact=True) + "\n"


def _known(values: dict[str, Any]) -> dict[str, Any]:
    """Return what is not as it would be read anyway."""
    known = {
        name: value
        for name, value in values.items()
        if value is not None and value is not False
    }
    if "facts" in known:
        known["facts"] = _known(known["facts"])
    if "blocks" in known:
        known["blocks"] = [_known(block) for block in known["blocks"]]
    return known
