"""Many times as the user's clock shows them."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from convotui.cli.format import local_time
from convotui.conversations.times import to_local

_DAY = 24 * 60
_CLOCK = [f"{minute // 60:02}:{minute % 60:02}" for minute in range(_DAY)]


class _Day(NamedTuple):
    """What the user's clock shows all through a day of UTC."""

    offset: int
    """By how many minutes it is ahead."""
    dates: tuple[str, str, str]
    """The day's date, the next one, and the one before."""


class LocalTimes(dict[int, _Day | None]):
    """Days by their ordinals; `None` where the clock is set, or shows odd seconds."""

    def of(self, time: datetime) -> str:
        """Return what `local_time` does, in a fraction of the time."""
        day = self[time.toordinal()]
        if day is None:
            return local_time(time)
        offset, dates = day
        minute = time.hour * 60 + time.minute + offset
        return dates[minute // _DAY] + _CLOCK[minute % _DAY]

    def __missing__(self, ordinal: int) -> _Day | None:
        self[ordinal] = day = _day(ordinal)
        return day


def _day(ordinal: int) -> _Day | None:
    begin = datetime.fromordinal(ordinal)
    end = begin.replace(hour=23, minute=59, second=59, microsecond=999_999)
    offset = to_local(begin).utcoffset()
    if offset is None or offset != to_local(end).utcoffset():
        return None
    minutes, seconds = divmod(offset, timedelta(minutes=1))
    try:
        dates = [f"{begin.date() + timedelta(days)} " for days in (0, 1, -1)]
    except OverflowError:
        # The first and the last day of the calendar have no neighbours.
        return None
    return None if seconds else _Day(minutes, (dates[0], dates[1], dates[2]))
