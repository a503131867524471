"""How a connection waits while another program writes."""

from __future__ import annotations

import random
import time

import apsw

BUSY_SECONDS = 5
"""How long a connection waits for another program to finish writing."""

_SHORTEST_PAUSE = 0.0005
_LONGEST_PAUSE = 0.005
_LONGER_EACH_TIME = 0.000005


def wait_for_turn(connection: apsw.Connection) -> None:
    """Have a connection look often whether it is its turn.

    SQLite's own pauses grow to a tenth of a second. Among several that write without
    a rest, one that sleeps so long can be too late every time.
    """
    deadline = 0.0

    def wait(tries: int) -> bool:
        nonlocal deadline
        if not tries:
            deadline = time.monotonic() + BUSY_SECONDS
        pause = max(_SHORTEST_PAUSE, min(tries * _LONGER_EACH_TIME, _LONGEST_PAUSE))
        # By chance, so that two that wait do not look at the same moments for ever.
        time.sleep(random.uniform(0, pause))
        return time.monotonic() < deadline

    connection.set_busy_handler(wait)
