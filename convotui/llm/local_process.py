"""The other end of a process that runs a model file."""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from pathlib import Path
from queue import SimpleQueue
from typing import IO, Any

from convotui.llm import local_child

Event = Mapping[str, Any]
"""As `local_child` describes it."""


class ModelProcess:
    """A model file being run; no method waits for the model, and none needs a loop.

    The process ends with this one, however this one ends.
    """

    def __init__(self, path: Path, window: int) -> None:
        self._process = subprocess.Popen(
            [
                # `-P`: the modules beside it are none of its business.
                *(sys.executable, "-P", local_child.__file__),
                *(path, str(window), str(_processors())),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "GGML_NO_BACKTRACE": "1"},
            # Ctrl+C in the terminal is for convotui to deal with.
            start_new_session=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        # It sees the end of its input only once it has loaded.
        atexit.register(self._process.kill)
        self._numbers = count(1)
        self._lock = threading.Lock()
        self._listeners: dict[int, Callable[[Event], None]] = {}
        self._ended: Event | None = None
        self._retired = False
        self._outgoing: SimpleQueue[bytes | None] = SimpleQueue()
        self._threads = [
            threading.Thread(target=self._write, args=[self._process.stdin]),
            threading.Thread(target=self._read, args=[self._process.stdout]),
        ]
        for thread in self._threads:
            thread.daemon = True
            thread.start()

    @property
    def is_running(self) -> bool:
        """Whether it can be asked."""
        return self._ended is None

    def ask(self, body: bytes, tell: Callable[[Event], None]) -> int:
        """Have a body answered; `tell` is called in a thread, last with an end."""
        number = next(self._numbers)
        with self._lock:
            if self._ended is None:
                self._listeners[number] = tell
                self._outgoing.put(b'{"ask": %d, "body": %b}\n' % (number, body))
                return number
        tell(self._ended)
        return number

    def cancel(self, number: int) -> None:
        """Have no more told; once an answer has ended, this does nothing."""
        with self._lock:
            if self._listeners.pop(number, None) is not None:
                self._outgoing.put(b'{"cancel": %d}\n' % number)
            self._end_if_unneeded()

    def retire(self) -> None:
        """End it as soon as nobody waits for an answer."""
        with self._lock:
            self._retired = True
            self._end_if_unneeded()

    def close(self) -> None:
        """End it now; whoever waits for an answer is told."""
        self._process.kill()
        for thread in self._threads:
            thread.join()

    def _end_if_unneeded(self) -> None:
        if self._retired and not self._listeners:
            self._process.kill()

    def _write(self, stream: IO[bytes]) -> None:
        try:
            with stream:
                while (line := self._outgoing.get()) is not None:
                    stream.write(line)
                    stream.flush()
        except OSError:
            pass  # It has ended; `_read` says so.

    def _read(self, stream: IO[bytes]) -> None:
        last: Event = {"error": {"type": "unloadable"}}
        with stream:
            for number, event in _events(stream):
                if number == 0:
                    last = event
                else:
                    self._tell(number, event)
        self._process.wait()
        atexit.unregister(self._process.kill)
        self._outgoing.put(None)
        with self._lock:
            self._ended = last
            waiting = list(self._listeners.values())
            self._listeners.clear()
        for tell in waiting:
            tell(last)

    def _tell(self, number: int, event: Event) -> None:
        with self._lock:
            is_last = "done" in event
            take = self._listeners.pop if is_last else self._listeners.get
            tell = take(number, None)
            self._end_if_unneeded()
        if tell is not None:
            tell(event)


def _events(stream: IO[bytes]) -> Iterator[tuple[int, Event]]:
    for line in stream:
        try:
            number, event = json.loads(line)
        except ValueError:
            return  # It ended in the middle of a line.
        yield number, event


def _processors() -> int:
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
