"""A server that sends any bytes at all, and stops wherever it is told to."""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections import deque
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Literal, Self

End = Literal["close", "reset", "hold"]

HEAD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
)
CHUNKED = HEAD[:-2] + b"Transfer-Encoding: chunked\r\n\r\n"


@dataclass(frozen=True)
class Answer:
    """What comes back for one request, and what happens then."""

    pieces: Sequence[bytes]
    end: End = "close"
    """`hold` says nothing more until the client goes away."""


def event(data: Any) -> bytes:
    """Return one event of a stream."""
    return b"data: %b\n\n" % json.dumps(data).encode()


def delta(finish: str | None = None, **fields: Any) -> bytes:
    """Return the event that adds something to a reply."""
    return event(
        {
            "id": "c",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "m",
            "choices": [{"index": 0, "delta": fields, "finish_reason": finish}],
        }
    )


def usage(**fields: Any) -> bytes:
    """Return the event that tells what a reply took."""
    return event(
        {"id": "c", "created": 1, "model": "m", "choices": [], "usage": fields}
    )


DONE = b"data: [DONE]\n\n"


def chunked(pieces: Iterable[bytes]) -> list[bytes]:
    """Return bytes as HTTP sends them when it does not know how many will come."""
    framed = [b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces]
    return [CHUNKED, *framed, b"0\r\n\r\n"]


class RawServer:
    """Answers each request with the next answer, the last one again and again."""

    def __init__(self, *answers: Answer) -> None:
        self._answers = deque(answers)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._threads: list[threading.Thread] = []
        self._thread = threading.Thread(target=self._accept)
        self.count = 0
        """How many requests came."""

    @property
    def base_url(self) -> str:
        """What OpenAI's clients call the base."""
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # On Linux this ends the wait of `accept`; closing alone does not.
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()
        for thread in self._threads:
            thread.join()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            thread = threading.Thread(target=self._serve, args=(connection,))
            self._threads.append(thread)
            thread.start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            if not _read_request(connection):
                return
            self.count += 1
            more = len(self._answers) > 1
            answer = self._answers.popleft() if more else self._answers[0]
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for piece in answer.pieces:
                connection.sendall(piece)
            if answer.end == "hold":
                while connection.recv(4096):
                    pass
            if answer.end == "reset":
                linger = struct.pack("ii", 1, 0)
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)


def _read_request(connection: socket.socket) -> bool:
    data = b""
    while b"\r\n\r\n" not in data:
        if not (more := connection.recv(65536)):
            return False
        data += more
    head, _, body = data.partition(b"\r\n\r\n")
    length = 0
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    while len(body) < length:
        body += connection.recv(65536)
    return True
