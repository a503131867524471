"""What is left of a conversation when its process is killed."""

from __future__ import annotations

import signal
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from convotui.storage import BEAT_LIFETIME, Store, utc_now
from tests.llm.server import OpenAIServer, say

from .browsing import FORKED, plant
from .terminal import Terminal


@pytest.fixture
def project(tmp_path: Path) -> Path:
    with Store(tmp_path / ".cpeconvo") as store:
        plant(store, FORKED)
    return tmp_path


def use(server: OpenAIServer, project: Path) -> None:
    """Have the program in this project ask a server."""
    settings = project / "home" / ".config" / "convotui" / "config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text(
        'model = "tester"\n[models.tester]\n'
        f'model = "openai/tester"\napi_base = "{server.base_url}"\n'
    )


def wait_until(terminal: Terminal, holds: Callable[[], bool]) -> None:
    """Wait until something holds, the terminal being read meanwhile."""
    while not holds():
        terminal.read()


def test_a_killed_reply_is_kept_and_marked(project: Path) -> None:
    with OpenAIServer() as server, Store(project / ".cpeconvo") as store:
        gate = server.gate()
        server.script(say("Half a reply", gate, "never"))
        use(server, project)
        with Terminal(cwd=project, size=(120, 40)) as terminal:
            terminal.wait_for("reply to haiku1")
            terminal.wait_for("tester")
            terminal.send("\r")
            # All in one go, as fast typists and pastes do.
            terminal.send("Is this kept?\r")
            terminal.wait_for("Half a reply")
            wait_until(
                terminal, lambda: store.list_rows(limit=1)[0].text == "Half a reply"
            )
            assert store.list_rows(limit=1)[0].state == "streaming"
            terminal.child.kill(signal.SIGKILL)
            terminal.child.wait()

    def later() -> datetime:
        return utc_now() + BEAT_LIFETIME + timedelta(seconds=1)

    with Store(project / ".cpeconvo", clock=later) as store:
        thread = store.thread(store.list_rows(limit=1)[0].id)
        assert [message.text for message in thread[-2:]] == [
            "Is this kept?",
            "Half a reply",
        ]
        assert thread[-1].facts is not None
        assert thread[-1].facts.state == "interrupted"
        assert store.health().damage == ()
