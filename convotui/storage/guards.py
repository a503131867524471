"""What a file may not do to whoever opens it: run code, or keep a reader for ever."""

from __future__ import annotations

import time
from pathlib import Path

import apsw

from convotui.storage.files import beside

_STEPS = 1_000_000
"""How many steps SQLite takes between two looks at the clock: some milliseconds. To ask
more often would have a reader wait for the interpreter while the screen is busy."""

_SECONDS = 2.0
_SECONDS_FOR_A_BYTE = 1 / 2_000_000

_ATTACHES = frozenset({apsw.SQLITE_ATTACH, apsw.SQLITE_DETACH})
_WRITES = frozenset({apsw.SQLITE_INSERT, apsw.SQLITE_UPDATE, apsw.SQLITE_DELETE})


def refuse_code(connection: apsw.Connection) -> None:
    """Let no trigger of a file write anything, and nothing reach another file.

    Triggers and views are switched off as well; this holds if that should fail.
    """

    def judge(
        action: int, _: str | None, __: str | None, ___: str | None, within: str | None
    ) -> int:
        # What is read within a name may be a part of a query of our own.
        is_foreign = action in _ATTACHES or (within is not None and action in _WRITES)
        return apsw.SQLITE_DENY if is_foreign else apsw.SQLITE_OK

    connection.authorizer = judge


class Patience:
    """How long one look at a file may take: the longer, the larger the file is.

    What counts is the time that the looking thread has worked, not the time that it
    has waited for others.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._begun = 0.0

    def begin(self) -> None:
        """Begin a look."""
        self._begun = time.thread_time()

    def limit(self, connection: apsw.Connection) -> None:
        """Have a connection stop what takes longer."""
        connection.set_progress_handler(self._is_over, _STEPS)

    def _is_over(self) -> bool:
        spent = time.thread_time() - self._begun - _SECONDS
        return spent > 0 and spent > self._size() * _SECONDS_FOR_A_BYTE

    def _size(self) -> int:
        """Return how large the file is now; it may have grown since the beginning."""
        try:
            log = beside(self._path, "-wal")
            return self._path.stat().st_size + (
                log.stat().st_size if log.exists() else 0
            )
        except OSError:
            return 0
