"""The whole program in a real terminal: start, sizes, signals, and what it leaves."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from convotui.storage import Store

from .browsing import FORKED, plant
from .terminal import RESTORED, Terminal


@pytest.fixture
def project(tmp_path: Path) -> Path:
    with Store(tmp_path / ".cpeconvo") as store:
        plant(store, FORKED)
    return tmp_path


def is_restored(terminal: Terminal) -> bool:
    tail = terminal.output[terminal.output.rfind(b"\x1b[?1049h") :].decode(
        errors="replace"
    )
    return all(sequence in tail for sequence in RESTORED)


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 50)])
def test_it_starts_shows_the_tree_and_quits(
    project: Path, size: tuple[int, int]
) -> None:
    with Terminal(cwd=project, size=size) as terminal:
        terminal.wait_for("How do we store branches?")
        terminal.wait_for("Frames upon frames rest")
        terminal.send("q")
        assert terminal.wait_for_exit() == 0
        assert is_restored(terminal)


def test_c_opens_at_a_message_and_n_in_the_prompt(project: Path) -> None:
    with Terminal("-c", "json", cwd=project) as terminal:
        terminal.wait_for("It is copied on every write.")
        terminal.wait_for("reply to json01")
    with Terminal("-n", cwd=project) as terminal:
        terminal.wait_for("new conversation")
        terminal.send("hello")
        terminal.wait_for("hello")


def test_incognito_touches_no_file(tmp_path: Path) -> None:
    with Terminal("-G", cwd=tmp_path) as terminal:
        terminal.wait_for("INCOGNITO")
        terminal.send("q")
        assert terminal.wait_for_exit() == 0
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_with_the_terminal_restored(
    project: Path, number: signal.Signals
) -> None:
    with Terminal(cwd=project) as terminal:
        terminal.wait_for("How do we store branches?")
        terminal.child.kill(number)
        assert terminal.wait_for_exit() == 128 + number
        assert is_restored(terminal)


def test_ctrl_z_suspends_and_comes_back(project: Path) -> None:
    with Terminal(cwd=project) as terminal:
        terminal.wait_for("How do we store branches?")
        terminal.send("\x1a")
        terminal.wait_for_output(b"\x1b[?1049l")
        _, status = os.waitpid(terminal.child.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status)
        drawn = terminal.output.count(b"branches?")
        terminal.child.kill(signal.SIGCONT)
        terminal.wait_for_output(b"branches?", times=drawn + 1)
        terminal.send("gj")
        terminal.wait_for("reply to reply1")
        terminal.send("q")
        assert terminal.wait_for_exit() == 0


def test_any_change_of_size_leaves_a_whole_screen(project: Path) -> None:
    with Terminal(cwd=project) as terminal:
        terminal.wait_for("How do we store branches?")
        for size in ((200, 50), (30, 8), (1, 1), (45, 12), (120, 40)):
            terminal.resize(*size)
        terminal.wait_for("How do we store branches?")
        terminal.wait_for("reply to haiku1")
        terminal.send("q")
        assert terminal.wait_for_exit() == 0


@pytest.mark.parametrize("term", ["dumb", ""])
def test_a_terminal_that_can_do_nothing_is_told_so(project: Path, term: str) -> None:
    with Terminal(cwd=project, TERM=term) as terminal:
        assert terminal.wait_for_exit() == 2
        assert b"convotui list" in terminal.output
        assert b"\x1b" not in terminal.output


def test_without_a_terminal_it_says_so_and_writes_no_escape(project: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "convotui"],
        cwd=project,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stdout == b""
    assert done.stderr.count(b"\n") == 1
    assert b"\x1b" not in done.stderr


def test_a_locale_without_utf_8_gets_an_ascii_tree(project: Path) -> None:
    with Terminal(
        cwd=project,
        LC_ALL="POSIX",
        PYTHONUTF8="0",
        PYTHONCOERCECLOCALE="0",
        PYTHONIOENCODING="ascii",
    ) as terminal:
        terminal.wait_for("How do we store branches?")
        terminal.wait_for("|-*")


def test_the_place_comes_back_at_the_next_start(project: Path) -> None:
    with Terminal(cwd=project) as terminal:
        terminal.wait_for("reply to haiku1")
        terminal.send("gj")
        terminal.wait_for("reply to reply1")
        terminal.send("q")
        assert terminal.wait_for_exit() == 0
    with Terminal(cwd=project) as terminal:
        terminal.wait_for("reply to reply1")


def test_a_file_of_todays_cpe_is_shown_as_read_only(tmp_path: Path) -> None:
    fixture = Path(__file__).parent.parent / "fixtures" / "cpe_today.cpeconvo"
    shutil.copy(fixture, tmp_path / ".cpeconvo")
    before = (tmp_path / ".cpeconvo").read_bytes()
    with Terminal(cwd=tmp_path, size=(200, 50)) as terminal:
        terminal.wait_for("READ-ONLY")
        terminal.wait_for("Why does `sort.Slice`")
        terminal.send("L")
        terminal.wait_for("empty removes it")
        terminal.send("x\r")
        terminal.wait_for("was written by a newer CPE")
        terminal.send("q")
        assert terminal.wait_for_exit() == 0
    assert (tmp_path / ".cpeconvo").read_bytes() == before


def test_a_file_that_is_no_store_is_told_in_a_line(tmp_path: Path) -> None:
    (tmp_path / ".cpeconvo").write_bytes(b"\x0f\xff\x81\x02\x01\x02")
    with Terminal(cwd=tmp_path) as terminal:
        assert terminal.wait_for_exit() == 1
        assert b"is no SQLite database" in terminal.output
        screen, line = terminal.output.split(b"convotui: ")
        assert screen.rfind(b"\x1b[?1049l") >= screen.rfind(b"\x1b[?1049h")
        assert line.count(b"\n") == 1


def test_sixteen_colours_are_the_terminals_own(project: Path) -> None:
    with Terminal(cwd=project, TERM="xterm-16color", COLORTERM="") as terminal:
        terminal.wait_for("How do we store branches?")
        terminal.wait_for("Frames upon frames rest")
        terminal.send("q")
        assert terminal.wait_for_exit() == 0
    assert b"38;2;" not in terminal.output
    assert b"38;5;" not in terminal.output
    # Where there are more colours, the theme is what it was.
    with Terminal(cwd=project) as terminal:
        terminal.wait_for("How do we store branches?")
        terminal.send("q")
        assert terminal.wait_for_exit() == 0
    assert b"38;2;" in terminal.output


def test_what_the_mouse_selects_can_be_copied(project: Path) -> None:
    with Terminal(cwd=project, size=(120, 40)) as terminal:
        terminal.wait_for("▎ Frames upon frames rest")
        row, column = terminal.find("Frames upon frames rest", after_column=48)
        terminal.drag((column, row), (column + 5, row))
        terminal.send("y")
        terminal.wait_for("what is selected")
        terminal.send("\r")
        # OSC 52 hands the terminal what to copy, in base64.
        terminal.wait_for_output(b"\x1b]52;c;RnJhbWVz")


def test_a_click_selects_a_message_and_another_folds_it(project: Path) -> None:
    with Terminal(cwd=project, size=(120, 40)) as terminal:
        terminal.wait_for("reply to haiku1")
        row, column = terminal.find("With a parent column.")
        terminal.click(column, row)
        terminal.wait_for("reply to reply1")
        terminal.click(column, row)
        terminal.click(column, row)
        terminal.wait_for("▸ +4")
