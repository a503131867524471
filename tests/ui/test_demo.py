"""The demo: a sample to try everything on, a tour, and nothing left behind."""

from __future__ import annotations

import signal
from datetime import datetime
from pathlib import Path

import pytest

from convotui.demo import fill
from convotui.storage import Modality, Store, is_subagent
from convotui.tree import Forest

from .terminal import Terminal

SIZE = (120, 40)
NOBODY = {"OLLAMA_HOST": "127.0.0.1:9"}
"""No model but the built-in one."""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A directory to run in, with a place for temporary files."""
    (tmp_path / "tmp").mkdir()
    return tmp_path


def left_in(directory: Path) -> list[str]:
    """Every file below a directory."""
    files = [path for path in directory.rglob("*") if path.is_file()]
    return [str(path.relative_to(directory)) for path in files]


def demo(place: Path) -> Terminal:
    temporary = str(place / "tmp")
    return Terminal("demo", cwd=place, size=SIZE, TMPDIR=temporary, **NOBODY)


def test_the_sample_has_everything_that_can_be_tried(store: Store) -> None:
    fill(store, datetime(2026, 3, 1))

    messages = store.list_messages(ascending=True)
    parts = [block for message in messages for block in message.blocks]
    facts = [message.facts for message in messages if message.facts]
    assert sum(message.parent_id is None for message in messages) >= 4
    assert {"thinking", "tool_call"} <= {part.type for part in parts}
    assert any(part.modality == Modality.IMAGE for part in parts)
    assert any(message.tool_result_error for message in messages)
    assert any(fact.state == "interrupted" for fact in facts)
    assert sum(fact.cost or 0 for fact in facts) > 0.05
    labels = [message.title for message in messages if message.title]
    assert any(map(is_subagent, labels))
    assert sum(not is_subagent(label) for label in labels) >= 4


def test_the_sample_forks_three_deep(store: Store) -> None:
    fill(store, datetime(2026, 3, 1))
    outline = store.outline()

    forest = Forest(outline)

    assert max(forest.lanes) == 3


def test_the_demo_can_be_browsed_and_leaves_nothing_behind(place: Path) -> None:
    with demo(place) as terminal:
        terminal.wait_for("How should we store")
        terminal.wait_for("Tour 1/5")
        terminal.send("k")
        terminal.wait_for("Tour 2/5")
        terminal.send("gd")
        terminal.wait_for("15 messages will go")
        terminal.send("d")
        terminal.wait_for("Deleted 15 messages")
        terminal.send("u")
        terminal.wait_for("Undone: 15 messages")
        terminal.send("q")
        assert terminal.wait_for_exit() == 0
    assert left_in(place) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_however_the_demo_ends_nothing_is_left_behind(
    place: Path, number: signal.Signals
) -> None:
    with demo(place) as terminal:
        terminal.wait_for("Tour 1/5")
        terminal.wait_for("How should we store")
        terminal.child.kill(number)
        terminal.wait_for_exit()
    assert left_in(place) == []


def test_what_the_project_holds_is_neither_shown_nor_touched(place: Path) -> None:
    with Store(place / ".cpeconvo") as store:
        fill(store, datetime(2001, 1, 1))
        store.empty_trash()
    before = (place / ".cpeconvo").read_bytes()

    with demo(place) as terminal:
        terminal.wait_for("Tour 1/5")
        terminal.wait_for("29/29")
        terminal.send("S")
        terminal.wait_for("nothing is kept")
        terminal.send("q")
        assert terminal.wait_for_exit() == 0

    assert left_in(place) == [".cpeconvo"]
    assert (place / ".cpeconvo").read_bytes() == before


def test_without_a_terminal_the_demo_says_so(place: Path) -> None:
    with Terminal("demo", cwd=place, TERM="dumb") as terminal:
        assert terminal.wait_for_exit() == 2
        assert b"cannot show a screen" in terminal.output
