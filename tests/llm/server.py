"""A chat-completions server on loopback that does, step by step, what a test scripts.

It runs in threads of its own, so that asynchronous tests, plain ones and tests of other
processes use it alike:

    with OpenAIServer() as server:
        gate = server.gate()
        server.script(say("Hel", gate, "lo"), failure(429, "slow down"))

Each request takes the next script; when none is left, the last thing that the user
said comes back. `server.next_request()` waits for a request, and the request tells
what was sent and when its client hung up.
"""

from __future__ import annotations

import json
import queue
import socket
import struct
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Literal, Self, cast

PATIENCE = 30.0
"""How long a test waits for what must come, in seconds."""

_LINGER = (socket.SOL_SOCKET, socket.SO_LINGER)

USAGE: Mapping[str, Any] = {
    "prompt_tokens": 11,
    "completion_tokens": 7,
    "total_tokens": 18,
}


class Gate:
    """A point in a script where the server waits until it is let go on."""

    def __init__(self) -> None:
        self._reached = threading.Event()
        self._open = threading.Event()

    def wait_until_reached(self) -> None:
        """Wait until the server has sent everything before the gate."""
        assert self._reached.wait(PATIENCE), "the server never came to the gate"

    def release(self) -> None:
        """Let the server go on."""
        self._open.set()

    def pass_through(self) -> None:
        """Wait at the gate, as the server does."""
        self._reached.set()
        self._open.wait()


@dataclass(frozen=True)
class Thought:
    """A step: something thought before the reply."""

    text: str


@dataclass(frozen=True)
class Call:
    """A step: a fragment of a tool call."""

    index: int = 0
    id: str | None = None
    name: str | None = None
    arguments: str = ""


@dataclass(frozen=True)
class Event:
    """A step: one event of the stream, whatever is in it."""

    data: Any


End = Literal["done", "cut", "reset"]
Step = str | bytes | Thought | Call | Event | Gate
"""Text is said, bytes are sent as they are, a gate is waited at."""


@dataclass(frozen=True)
class Script:
    """What happens to one request."""

    steps: Sequence[Step] = ()
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    end: End = "done"
    """`cut` closes the connection in the middle; `reset` does so without a goodbye."""
    content_type: str = "text/event-stream; charset=utf-8"


def say(
    *steps: Step,
    usage: Mapping[str, Any] | None = USAGE,
    finish: str | None = "stop",
) -> Script:
    """Return a whole reply: the steps, why it ended, what it took, `[DONE]`."""
    tail: list[Step] = []
    if finish is not None:
        tail.append(Event(_chunk({}, finish)))
    if usage is not None:
        tail.append(Event({**_chunk({}, None), "choices": [], "usage": dict(usage)}))
    return Script([*steps, *tail, b"data: [DONE]\n\n"])


def break_off(*steps: Step, end: Literal["cut", "quiet", "reset"] = "cut") -> Script:
    """Return a reply that ends in the middle; `quiet` looks as if it were whole."""
    return Script(steps, end="done" if end == "quiet" else end)


def failure(
    status: int,
    message: str,
    *,
    code: str | None = None,
    kind: str = "invalid_request_error",
    headers: Mapping[str, str] | None = None,
) -> Script:
    """Return a refusal as OpenAI words it."""
    error = {"message": message, "type": kind, "param": None, "code": code}
    return document({"error": error}, status=status, headers=headers)


def document(
    value: Any, *, status: int = 200, headers: Mapping[str, str] | None = None
) -> Script:
    """Return a JSON document, whatever was asked for."""
    body = json.dumps(value).encode()
    return Script([body], status, headers or {}, content_type="application/json")


def page(html: str, *, status: int = 200) -> Script:
    """Return a web page, as a proxy in the way would."""
    return Script([html.encode()], status, content_type="text/html")


@dataclass
class ServedRequest:
    """What one client sent."""

    method: str
    path: str
    headers: Mapping[str, str]
    raw: bytes
    script: Script | None = None
    _hung_up: threading.Event = field(default_factory=threading.Event)
    _finished: threading.Event = field(default_factory=threading.Event)

    @property
    def body(self) -> Any:
        """What was sent, as JSON."""
        return json.loads(self.raw)

    def wait_for_hang_up(self) -> None:
        """Wait until the client closes the connection before the reply is whole."""
        assert self._hung_up.wait(PATIENCE), "the client kept the connection"

    def wait_until_served(self) -> None:
        """Wait until the server is done with the request."""
        assert self._finished.wait(PATIENCE), "the reply never ended"


class OpenAIServer:
    """The server; as a context manager it runs until the block is left."""

    def __init__(self) -> None:
        self.requests: list[ServedRequest] = []
        """Every request so far, the oldest first."""
        self.ollama_models: Sequence[str] = ()
        """What `/api/tags` lists."""
        self._arrived: queue.Queue[ServedRequest] = queue.Queue()
        self._scripts: deque[Script] = deque()
        self._gates: list[Gate] = []
        self._lock = threading.Lock()
        self._http = _Server(("127.0.0.1", 0), _Handler)
        self._http.owner = self
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for gate in self._gates:
            gate.release()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    @property
    def address(self) -> str:
        """Where it listens: `host:port`."""
        host, port = self._http.server_address[:2]
        return f"{host!s}:{port}"

    @property
    def root_url(self) -> str:
        """What Ollama's clients call the host."""
        return f"http://{self.address}"

    @property
    def base_url(self) -> str:
        """What OpenAI's clients call the base."""
        return f"{self.root_url}/v1"

    def gate(self) -> Gate:
        """Return a gate that leaving the server's block opens at the latest."""
        gate = Gate()
        self._gates.append(gate)
        return gate

    def script(self, *scripts: Script) -> None:
        """Say what happens to the next requests, one script each."""
        with self._lock:
            self._scripts.extend(scripts)

    def next_request(self) -> ServedRequest:
        """Wait for the oldest request that has not been asked for yet."""
        try:
            return self._arrived.get(timeout=PATIENCE)
        except queue.Empty:
            raise AssertionError("no request came") from None

    def take(self, request: ServedRequest) -> Script:
        """Record a request and return what is to happen to it."""
        with self._lock:
            if request.path == "/api/tags":
                script = document(
                    {"models": [{"name": name} for name in self.ollama_models]}
                )
            else:
                script = self._scripts.popleft() if self._scripts else _echo(request)
            request.script = script
            self.requests.append(request)
        self._arrived.put(request)
        return script


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    owner: OpenAIServer

    def shutdown_request(self, request: Any) -> None:
        """Close a connection, without a goodbye if it is to be reset."""
        on, _ = struct.unpack("ii", request.getsockopt(*_LINGER, 8))
        if on:
            self.close_request(request)
        else:
            super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: a client that goes away is what many tests are about."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Say nothing."""

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def _serve(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        request = ServedRequest(
            self.command, self.path, dict(self.headers), self.rfile.read(length)
        )
        script = cast(_Server, self.server).owner.take(request)
        watch = threading.Thread(target=self._watch, args=(request,), daemon=True)
        watch.start()
        try:
            self._play(script)
        except OSError:
            request._hung_up.set()
        finally:
            request._finished.set()
            self.close_connection = True
            self._hang_up(script.end)
            watch.join()

    def _watch(self, request: ServedRequest) -> None:
        """Notice when the client goes away while the script still runs."""
        try:
            gone = not self.connection.recv(1, socket.MSG_PEEK)
        except OSError:
            gone = True
        if gone and not request._finished.is_set():
            request._hung_up.set()

    def _play(self, script: Script) -> None:
        self.send_response(script.status)
        self.send_header("Content-Type", script.content_type)
        self.send_header("Connection", "close")
        self.send_header("Transfer-Encoding", "chunked")
        for name, value in script.headers.items():
            self.send_header(name, value)
        self.end_headers()
        for step in script.steps:
            if isinstance(step, Gate):
                step.pass_through()
            else:
                self._send(_bytes(step))
        if script.end == "done":
            self.wfile.write(b"0\r\n\r\n")

    def _send(self, data: bytes) -> None:
        if data:
            self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))
            self.wfile.flush()

    def _hang_up(self, end: End) -> None:
        try:
            if end == "reset":
                self.connection.setsockopt(*_LINGER, struct.pack("ii", 1, 0))
            self.connection.shutdown(
                socket.SHUT_RD if end == "reset" else socket.SHUT_RDWR
            )
        except OSError:
            pass  # The client was quicker.


def _bytes(step: str | bytes | Thought | Call | Event) -> bytes:
    match step:
        case bytes():
            return step
        case str():
            data: Any = _chunk({"content": step})
        case Thought():
            data = _chunk({"reasoning_content": step.text})
        case Call():
            function = {"name": step.name, "arguments": step.arguments}
            call = {"index": step.index, "function": function}
            if step.id is not None:
                call |= {"id": step.id, "type": "function"}
            data = _chunk({"tool_calls": [call]})
        case Event():
            data = step.data
    return b"data: %b\n\n" % json.dumps(data).encode()


def _chunk(delta: Mapping[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1_700_000_000,
        "model": "scripted",
        "choices": [{"index": 0, "delta": dict(delta), "finish_reason": finish}],
    }


def _echo(request: ServedRequest) -> Script:
    """Return what the user said last, as a reply."""
    messages = request.body["messages"]
    said = [m["content"] for m in messages if m["role"] == "user"]
    last = said[-1] if said else ""
    return say("You said: ", last if isinstance(last, str) else json.dumps(last))
