"""A terminal may have any size, and change it at any time."""

from __future__ import annotations

import time
from pathlib import Path
from random import Random

import pytest

from convotui.storage import Store
from tests.llm.server import OpenAIServer, say
from tests.ui.browsing import FORKED, browse, plant
from tests.ui.terminal import PATIENCE, Terminal

from .faults import COUNT
from .screen_faults import with_model

SIZES = [(1, 1), (0, 0), (20, 5), (400, 120), (80, 24), (33, 7), (200, 3), (2, 60)]

DIALOGS = {
    "question_mark": 2,
    "L": 2,
    "x": 2,
    "y": 2,
    "i": 2,
    "d": 2,
    "m": 2,
    "ctrl+p": 2,
    "slash": 1,
    "f": 1,
    "apostrophe": 2,
}
"""Keys that open something, and how many screens there are then."""

TABLE = (
    "# Head\n\n| a | b |\n|---|---|\n| " + "x " * 30 + "| " + "w" * 80 + "|\n\n"
    "- one\n  - two 日本語日本語\n\n> quote\n\n```python\nprint('日本語')\n```\n\n"
    "[link](https://a.example/xyz) " + "words and 日本語 more " * 30
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    with Store(tmp_path / ".cpeconvo") as store:
        plant(store, FORKED)
    return tmp_path


async def test_75_whatever_is_open_takes_every_size(store: Store) -> None:
    plant(store, (*FORKED, ("table1", "haiku1", "assistant", TABLE)))
    store.label(store.list_rows()[0].id, "label")
    async with browse(store, start="root01") as browser:
        for key, count in DIALOGS.items():
            await browser.pilot.press(key)
            await browser.until(lambda n=count: len(browser.app.screen_stack) == n)  # type: ignore[misc]
            for size in ((1, 1), (120, 40)):
                await browser.pilot.resize_terminal(*size)
            await browser.pilot.press("escape")
            await browser.until(lambda: len(browser.app.screen_stack) == 1)
            browser.tree.focus()
        for size in ((0, 0), (9, 200), (70_000, 70_000)):
            await browser.pilot.resize_terminal(*size)
        assert browser.app.is_running


@pytest.mark.parametrize("last", [(40, 10), (400, 120)])
def test_75_a_storm_of_sizes_ends_in_a_whole_screen(
    project: Path, last: tuple[int, int]
) -> None:
    chance = Random(last[0])
    with OpenAIServer() as server:
        with_model(project, server)
        gate = server.gate()
        server.script(say("half a ", gate, "reply"))
        with Terminal(cwd=project) as terminal:
            terminal.wait_for("reply to haiku1")
            terminal.send("o")
            terminal.wait_for("enter Send")
            terminal.send("Go on\r")
            terminal.wait_for("half a")
            for _ in range(150 * COUNT):
                terminal.resize(*chance.choice(SIZES))
            terminal.resize(*last)
            gate.release()
            terminal.send("\x1b")
            stormy = whole_screen(terminal)
            terminal.send("q")
            assert terminal.wait_for_exit() == 0
    with Terminal(cwd=project, size=last) as fresh:
        assert whole_screen(fresh) == stormy


def whole_screen(terminal: Terminal) -> list[str]:
    """Wait until tree, thread and keys are there; what stands above the prompt."""
    deadline = time.monotonic() + PATIENCE
    while True:
        lines = terminal.lines
        is_whole = sum("half a reply" in line for line in lines) == 2 or (
            # The two stand side by side.
            any(line.count("half a reply") == 2 for line in lines)
        )
        if is_whole and "f Fork" in lines[-1]:
            return lines[:-5]
        assert time.monotonic() < deadline, lines
        terminal.read()


def test_75_no_size_at_all_is_no_crash(project: Path) -> None:
    with Terminal(cwd=project, size=(0, 0)) as terminal:
        terminal.wait_for_output(b"\x1b[?1049h")
        terminal.resize(80, 24)
        terminal.wait_for("How do we store branches?")
        terminal.send("q")
        assert terminal.wait_for_exit() == 0
