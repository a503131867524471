"""Stored times as the user's clock shows them."""

from __future__ import annotations

from datetime import UTC, datetime

from convotui.storage import UNKNOWN_TIME


def to_local(time: datetime) -> datetime:
    """Return a stored time in the user's time zone."""
    try:
        return time if time == UNKNOWN_TIME else time.replace(tzinfo=UTC).astimezone()
    except (OverflowError, ValueError):
        # The first and the last day of the calendar have no neighbours.
        return time
