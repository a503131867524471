"""`convotui ask` with a server to ask: in this process, or in one of its own."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from convotui.cli.run import run
from convotui.llm.providers import PROVIDERS
from convotui.storage import BEAT_LIFETIME, ChatMessage, Store, utc_now
from tests.llm.server import OpenAIServer

from .program import COMMAND, Outcome, Program

SETTINGS = """
model = "mine"

[personas]
pirate = "Talk like a pirate."

[models.mine]
model = "openai/scripted"
api_base = "{url}"

[models.small]
model = "openai/small"
api_base = "{url}"
context_window = 1000
temperature = 0.5
system = "Be brief."
"""


def configure(convotui: Program, server: OpenAIServer) -> None:
    """Have the program ask the server, and find nobody else."""
    directory = Path(convotui.environment["XDG_CONFIG_HOME"], "convotui")
    directory.mkdir(parents=True)
    (directory / "config.toml").write_text(SETTINGS.format(url=server.base_url))
    convotui.environment["OLLAMA_HOST"] = "127.0.0.1:9"


class Asking:
    """The command line in this process, where litellm is loaded only once."""

    def __init__(
        self,
        convotui: Program,
        monkeypatch: pytest.MonkeyPatch,
        capfd: pytest.CaptureFixture[str],
    ) -> None:
        self._monkeypatch = monkeypatch
        self._capfd = capfd
        monkeypatch.chdir(convotui.directory)
        for provider in PROVIDERS.values():
            for name in (*provider.variables, "XDG_DATA_HOME", "CONVOTUI_MODEL"):
                monkeypatch.delenv(name, raising=False)
        for name, value in convotui.environment.items():
            monkeypatch.setenv(name, value)

    def __call__(self, *arguments: str, stdin: bytes = b"", code: int = 0) -> Outcome:
        """Run a command and return how it ended, which must be as `code` says."""
        self._monkeypatch.setattr(sys, "argv", ["convotui", *arguments])
        self._monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        with pytest.raises(SystemExit) as ended:
            run()
        out, err = self._capfd.readouterr()
        assert ended.value.code == code, err
        return Outcome(code, out.encode(), err.encode())

    def fails(self, *arguments: str, stdin: bytes = b"", code: int = 1) -> str:
        """What it says in one line when it cannot."""
        outcome = self(*arguments, stdin=stdin, code=code)
        assert outcome.err.startswith("convotui: "), outcome.err
        assert outcome.err.count("\n") == 1, outcome.err
        return outcome.err


@contextmanager
def started(convotui: Program, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run the program beside the test; it does not outlive the block."""
    with subprocess.Popen(
        [*COMMAND, *arguments],
        cwd=convotui.directory,
        env=convotui.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def kept(project: Path, *, later: bool = False) -> list[ChatMessage]:
    """All messages of a project, the oldest first, as of now or when beats are old."""
    age = 2 * BEAT_LIFETIME if later else BEAT_LIFETIME * 0
    with Store(project / ".cpeconvo", clock=lambda: utc_now() + age) as store:
        return store.list_messages(ascending=True)


def said(project: Path) -> list[str]:
    """What was said in a project, the oldest first."""
    return [message.text for message in kept(project)]


def files_that_hold(secret: bytes, *directories: Path) -> list[Path]:
    """The files below some directories in which something stands."""
    return [
        path
        for directory in directories
        for path in directory.rglob("*")
        if path.is_file() and os.access(path, os.R_OK) and secret in path.read_bytes()
    ]
