"""The process in which a model file is run; `local_process` starts it.

It is a process of its own because the native code ends the whole process over some
damaged files, holds the interpreter for as long as it loads, and prints. It is started
by its path and knows nothing of convotui.

A line in is JSON: `{"ask": NUMBER, "body": BODY}` or `{"cancel": NUMBER}`. A line out
is `[NUMBER, EVENT]`; an event is a piece as OpenAI would send it, `{"error": ...}`, or
`{"done": true}`, which is the last of its number. `[0, EVENT]` says what it will have
meant if the process ends.
"""

from __future__ import annotations

import json
import os
import resource
import secrets
import sys
import threading
from importlib import import_module
from queue import SimpleQueue
from typing import Any, BinaryIO


def load(path: str, window: int, processors: int) -> Any:
    """Return a server that has loaded the file and lets in nobody from outside."""
    engine = import_module("xllamacpp")
    params = engine.CommonParams()
    params.model.path = path
    params.n_ctx = window
    params.n_parallel = 1
    # Its threads wait for each other at every step. With one on each processor, and
    # another program on one of them, a token takes ten times as long.
    params.cpuparams.n_threads = max(1, processors // 2)
    params.cpuparams.poll = 0
    # A prompt is read in steps of this size; it can be cancelled between them.
    params.n_batch = 256
    # Earlier prompts would be kept, gigabytes of them.
    params.cache_ram_mib = 0
    params.offline = True
    params.verbosity = 0
    # It listens whether anybody asks it to or not: any free port, and a key that
    # nobody has.
    params.port = 0
    params.api_keys = [secrets.token_hex(32)]
    params.ui = False
    return engine.Server(params)


class Child:
    """Answers one question after the other."""

    def __init__(self, questions: BinaryIO, answers: BinaryIO) -> None:
        self._questions = questions
        self._answers = answers
        self._asked: SimpleQueue[tuple[int, bytes]] = SimpleQueue()
        self._cancelled: set[int] = set()

    def run(self, path: str, window: int, processors: int) -> None:
        """Load the file, then answer until nobody can ask any more."""
        threading.Thread(target=self._listen, daemon=True).start()
        try:
            server = load(path, window, processors)
        except (ImportError, AttributeError) as error:  # Not there, or another version.
            self._say(0, {"error": {"type": "missing", "message": str(error)}})
            return
        except Exception as error:  # noqa: BLE001 (told to whoever asks)
            self._say(0, {"error": {"type": "unloadable", "message": str(error)}})
            return
        self._say(0, {"error": {"type": "ended"}})
        while True:
            self._answer(server, *self._asked.get())

    def _listen(self) -> None:
        try:
            for line in self._questions:
                message = json.loads(line)
                if "ask" in message:
                    body = json.dumps(message["body"]).encode()
                    self._asked.put((message["ask"], body))
                else:
                    self._cancelled.add(message["cancel"])
        finally:
            os._exit(0)

    def _answer(self, server: Any, number: int, body: bytes) -> None:
        def pass_on(piece: bytes) -> bool:
            if number not in self._cancelled:
                self._say(number, json.loads(piece))
            return number in self._cancelled

        if number not in self._cancelled:
            try:
                server.handle_chat_completions(body, pass_on)
            except Exception as error:  # noqa: BLE001 (told to whoever asked)
                self._say(number, {"error": {"message": str(error)}})
        self._cancelled.discard(number)
        self._say(number, {"done": True})

    def _say(self, number: int, event: dict[str, Any]) -> None:
        try:
            self._answers.write(json.dumps([number, event]).encode() + b"\n")
            self._answers.flush()
        except OSError:
            os._exit(0)


def main() -> None:
    """Answer on the standard output, where nothing else can then print."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())
    # Native code that gives up would leave its memory behind as a file.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    path, window, processors = sys.argv[1:]
    Child(sys.stdin.buffer, answers).run(path, int(window), int(processors))
    # The native threads would be waited for.
    os._exit(0)


if __name__ == "__main__":
    main()
