"""Many times at once are what each of them alone is."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest

from convotui.cli.format import local_time
from convotui.cli.local_times import LocalTimes
from convotui.storage import UNKNOWN_TIME

ZONES = {
    "like UTC": "UTC0",
    "a day ahead": "LINT-14",
    "a day behind": "AOE12",
    "with a half hour": "IST-5:30",
    "with odd seconds": "LMT0:36:45",
    "set twice a year": "EST5EDT,M3.2.0,M11.1.0",
    "set by half an hour": "LHST-10:30LHDT-11,M10.1.0,M4.1.0",
}


@pytest.fixture(params=ZONES.values(), ids=list(ZONES))
def zone(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    with monkeypatch.context() as changed:
        changed.setenv("TZ", request.param)
        time.tzset()
        yield
    time.tzset()


def year(minutes: int) -> list[datetime]:
    begin = datetime(2026, 1, 1, second=59)
    steps = range(0, 366 * 24 * 60, minutes)
    return [begin + timedelta(minutes=step) for step in steps]


@pytest.mark.usefixtures("zone")
@pytest.mark.parametrize(
    "times",
    [
        year(minutes=97),
        [datetime.max, datetime(9999, 12, 31), datetime(9999, 12, 30, 23, 59)],
        [UNKNOWN_TIME, datetime(1, 1, 1, 0, 1), datetime(1, 1, 2), datetime(800, 2, 3)],
    ],
    ids=["a year", "the last days", "the first days"],
)
def test_a_time_is_the_same_in_any_company(times: list[datetime]) -> None:
    local = LocalTimes()
    assert [local.of(one) for one in times] == [local_time(one) for one in times]
