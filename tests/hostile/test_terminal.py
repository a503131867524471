"""Whatever happens to the terminal or the process, nothing is left broken."""

from __future__ import annotations

import fcntl
import os
import random
import re
import select
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pexpect
import pytest

from convotui.storage import Block, Draft, ReplyFacts, Store
from tests.llm.server import OpenAIServer, failure, say
from tests.ui.browsing import FORKED, plant
from tests.ui.terminal import PATIENCE, Terminal

from .faults import COUNT, MISSES, inject
from .screen_faults import (
    ENDS,
    Figures,
    end_by,
    is_restored,
    kill_reply,
    modes,
    with_model,
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    with Store(tmp_path / ".cpeconvo") as store:
        plant(store, FORKED)
    return tmp_path


def write(terminal: Terminal) -> None:
    """Go to the prompt of a new conversation."""
    terminal.wait_for("f Fork")
    terminal.send("o")
    terminal.wait_for("enter Send")


def ask(terminal: Terminal) -> None:
    """Ask for a reply, the first half of which comes."""
    write(terminal)
    terminal.send("Go on")
    terminal.wait_for("Go on")
    terminal.send("\r")
    terminal.wait_for("half a")


@pytest.mark.parametrize("number", ENDS)
def test_69_a_signal_at_any_moment_leaves_a_working_terminal(
    project: Path, number: signal.Signals
) -> None:
    found = sum((end_by(project, number, seed) for seed in range(COUNT)), Figures())

    assert found == Figures(signals=COUNT, restored=COUNT)


def test_69_what_goes_on_while_it_ends_does_not_make_it_a_crash(
    project: Path, tmp_path: Path
) -> None:
    faults = inject(tmp_path / "faults", MISSES)
    with Terminal(cwd=project, PYTHONPATH=faults) as terminal:
        before = modes(terminal)
        terminal.wait_for("f Fork")
        terminal.send("?")
        assert terminal.wait_for_exit() == 128 + signal.SIGTERM
        assert is_restored(terminal, before)
        assert b"bug" not in terminal.output


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_67_a_signal_while_a_reply_comes_keeps_what_has_come(
    project: Path, number: signal.Signals
) -> None:
    with OpenAIServer() as server:
        with_model(project, server)
        gate = server.gate()
        server.script(say("half a ", gate, "never"))
        with Terminal(cwd=project) as terminal:
            before = modes(terminal)
            ask(terminal)
            terminal.child.kill(number)
            assert terminal.wait_for_exit() == 128 + number
            assert is_restored(terminal, before)
        with Store(project / ".cpeconvo") as store:
            row = store.list_rows()[0]
            assert (row.text, row.state) == ("half a", "interrupted")


class Line:
    """A terminal of which the test holds the other end, to let go of it."""

    def __init__(self, project: Path, how: str) -> None:
        self._end, theirs = os.openpty()
        termios.tcsetwinsize(theirs, (24, 80))
        self._output = b""

        def prepare() -> None:
            if how == "nohup":
                signal.signal(signal.SIGHUP, signal.SIG_IGN)
            if how != "a terminal of another session":
                fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        self.child = subprocess.Popen(
            [sys.executable, "-m", "convotui"],
            cwd=project,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(project / "home"),
                "TERM": "xterm-256color",
                "LANG": "C.UTF-8",
            },
            start_new_session=True,
            preexec_fn=prepare,
        )
        os.close(theirs)

    def wait_for(self, text: bytes) -> None:
        deadline = time.monotonic() + PATIENCE
        while text not in self._output:
            ready, _, _ = select.select([self._end], [], [], PATIENCE)
            assert ready, f"{text!r} did not come"
            assert time.monotonic() < deadline, f"{text!r} did not come"
            self._output += os.read(self._end, 65536)

    def send(self, text: bytes) -> None:
        os.write(self._end, text)

    def let_go(self) -> int:
        """Close the terminal; how the program ended."""
        os.close(self._end)
        try:
            return self.child.wait(PATIENCE)
        finally:
            self.child.kill()


HOW = ["an ordinary terminal", "nohup", "a terminal of another session"]


@pytest.mark.parametrize("how", HOW)
def test_71_a_terminal_that_vanishes_ends_the_program(project: Path, how: str) -> None:
    line = Line(project, how)
    line.wait_for(b"haiku")

    assert line.let_go() == 128 + signal.SIGHUP


@pytest.mark.parametrize("how", HOW[:2])
def test_76_a_terminal_that_vanishes_while_a_reply_comes_loses_nothing(
    project: Path, how: str
) -> None:
    with OpenAIServer() as server:
        with_model(project, server)
        server.script(say("half a ", server.gate(), "never"))
        line = Line(project, how)
        line.wait_for(b"reply to haiku1")
        line.send(b"o")
        line.wait_for(b"Send")
        line.send(b"Go on")
        line.wait_for(b"Go on")
        line.send(b"\r")
        line.wait_for(b"half")
        assert line.let_go() == 128 + signal.SIGHUP
    with Store(project / ".cpeconvo") as store:
        row = store.list_rows()[0]
        assert (row.text, row.state) == ("half a", "interrupted")


def test_70_a_stop_while_a_reply_comes_loses_nothing(project: Path) -> None:
    with OpenAIServer() as server:
        with_model(project, server)
        gate = server.gate()
        server.script(say("half a ", gate, "reply"))
        with Terminal(cwd=project) as terminal:
            ask(terminal)
            terminal.child.kill(signal.SIGTSTP)
            terminal.wait_for_output(b"\x1b[?1049l")
            _, status = os.waitpid(terminal.child.pid, os.WUNTRACED)
            assert os.WIFSTOPPED(status)
            gate.release()
            terminal.child.kill(signal.SIGCONT)
            terminal.wait_for("half a reply")


def test_58_a_reply_that_is_killed_is_kept_and_marked(project: Path) -> None:
    found = sum((kill_reply(project, seed) for seed in range(COUNT)), Figures())

    assert found == Figures(kills=COUNT)


class Shell(Terminal):
    """A shell in a terminal."""

    program = ("/bin/sh",)


def test_72_after_a_kill_the_next_start_leaves_a_working_terminal(
    project: Path,
) -> None:
    start = f"{sys.executable} -m convotui"
    # The shell says which process is to be killed, and begins it again.
    script = f"{start} & echo $! > pid; fg %1; {start}; exit $?"
    with Shell("-mc", script, cwd=project) as terminal:
        before = modes(terminal)
        terminal.wait_for("reply to haiku1")
        os.kill(int((project / "pid").read_text()), signal.SIGKILL)
        terminal.wait_for_output(b"\x1b[?1049h", times=2)
        assert modes(terminal) != before
        terminal.wait_for_output(b"reply to haiku1", times=2)
        terminal.send("q")
        assert terminal.wait_for_exit() == 0
        assert is_restored(terminal, before)
    with Store(project / ".cpeconvo") as store:
        assert store.health().is_sound


def test_74_in_any_locale_it_shows_what_it_can(project: Path) -> None:
    with Store(project / ".cpeconvo") as store:
        store.save([Draft("user", [Block("naïve 日本語 😀 \x1b[31m")])])
    for locale in ("C", "de_DE.ISO-8859-1", "xx_YY.nonsense"):
        with Terminal(
            cwd=project,
            LC_ALL=locale,
            LANG=locale,
            PYTHONUTF8="0",
            PYTHONCOERCECLOCALE="0",
            PYTHONIOENCODING="latin-1" if "ISO" in locale else "ascii",
        ) as terminal:
            terminal.wait_for("And deletes?")
            terminal.wait_for("f Fork")
            terminal.send("q")
            assert terminal.wait_for_exit() == 0
            assert b"Error" not in terminal.output


def test_77_nothing_is_told_by_colour_alone(project: Path) -> None:
    with Store(project / ".cpeconvo") as store:
        for state in ("failed", "interrupted"):
            facts = ReplyFacts(model="m", state=state, error="no")
            store.save([Draft("assistant", [Block(state)], facts=facts)])
        store.save([Draft("tool_result", [Block("t")], tool_result_error=True)])
    shown = []
    for variables in ({"NO_COLOR": "1"}, {"COLORTERM": "", "TERM": "xterm"}, {}):
        with Terminal(cwd=project, size=(100, 40), **variables) as terminal:
            terminal.wait_for("interrupted")
            terminal.wait_for("reply to")
            shown.append([line[:12] for line in terminal.lines[: len(FORKED) + 3]])
            colours = set(re.findall(rb"[34]8;2;(\d+);(\d+);(\d+)", terminal.output))
            if "NO_COLOR" in variables:
                assert all(red == green == blue for red, green, blue in colours)
    plain, few, many = shown
    assert plain == few == many
    marks = [line.split()[1] for line in plain]
    assert len({*marks[:2], *marks[-3:-1]}) == 4


def test_79_what_libraries_print_does_not_reach_the_screen(
    project: Path, tmp_path: Path
) -> None:
    code = (
        "import litellm, logging, sys, warnings\n"
        "before = litellm.acompletion\n"
        "async def noisy(**options):\n"
        "    warnings.warn('noise1')\n"
        "    logging.getLogger('LiteLLM').error('noise2')\n"
        "    logging.getLogger('httpx').error('noise3')\n"
        "    return await before(**options)\n"
        "litellm.acompletion = noisy\n"
    )
    with OpenAIServer() as server:
        with_model(project, server)
        server.script(failure(500, "no"), say("half", usage=None, finish=None))
        with Terminal(
            cwd=project,
            PYTHONPATH=inject(tmp_path / "faults", code),
            LITELLM_LOG="DEBUG",
            LITELLM_LOCAL_MODEL_COST_MAP="True",
        ) as terminal:
            for number in range(2):
                write(terminal)
                terminal.send(f"Go {number}")
                terminal.wait_for(f"Go {number}")
                terminal.send("\r")
                terminal.wait_for("trouble" if number == 0 else "broke off")
                terminal.send("\x1b")
                terminal.wait_for("f Fork")
            terminal.send("q")
            assert terminal.wait_for_exit() == 0
    assert b"noise" not in terminal.output


def test_13_what_is_typed_need_not_be_text(project: Path) -> None:
    noise = bytes(random.Random(7).choices(range(0x80, 0x100), k=4_000))
    with Terminal(cwd=project) as terminal:
        write(terminal)
        for start in range(0, len(noise), 100):
            piece = noise[start : start + 50] + b"\x1b[200~"
            piece += noise[start + 50 : start + 100]
            piece += b"\x1b[31m\x9b\xff\x1b[201~\x1b[2000~\xc3("
            os.write(terminal.child.child_fd, piece)
            terminal.read()
        terminal.send("\x1b[200~the end\x1b[201~")
        terminal.wait_for("the end")


def test_13_a_character_may_arrive_in_halves(project: Path) -> None:
    with Terminal(cwd=project) as terminal:
        write(terminal)
        for byte in "é日😀 whole".encode():
            os.write(terminal.child.child_fd, bytes([byte]))
            terminal.read()
        terminal.wait_for("é日😀 whole")


@pytest.mark.parametrize("at_once", [True, False])
def test_13_what_ends_a_paste_within_a_paste_is_text(
    project: Path, at_once: bool
) -> None:
    paste = b"\x1b[200~one\x1b[201~\r\x1b[48;9;9;9;9ttwo\x1b[201~\x1bqq\r\x1b[201~"
    with Terminal(cwd=project) as terminal:
        write(terminal)
        if at_once:
            os.write(terminal.child.child_fd, paste)
        else:
            # Its end has not arrived before the terminal's own is there.
            cut = len("\x1b[200~on")
            os.write(terminal.child.child_fd, paste[:cut])
            terminal.read()
            os.write(terminal.child.child_fd, paste[cut:])
        terminal.send("three")
        terminal.wait_for("three")
        assert any("two␛[201~␛qq" in line for line in terminal.lines)
    with Store(project / ".cpeconvo") as store:
        assert len(store.list_rows()) == len(FORKED)


def test_13_a_paste_is_text_and_runs_no_command(project: Path) -> None:
    with Terminal(cwd=project) as terminal:
        write(terminal)
        terminal.send("\x1b[200~one\rtwo\x03\x11\x1b[31mthree\x1b[201~")
        terminal.wait_for("three")
        assert not any("three" in line and "❯" in line for line in terminal.lines)
    with Store(project / ".cpeconvo") as store:
        assert len(store.list_rows()) == len(FORKED)


@pytest.mark.parametrize(
    "command",
    ["--version", "--help", "list", "export root01 -o out.md", "print root01"],
)
def test_73_what_needs_no_terminal_works_without_one(
    project: Path, command: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "convotui", *command.split()],
        cwd=project,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env={"PATH": os.environ["PATH"], "HOME": str(project)},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout or (project / "out.md").exists()
    assert b"\x1b" not in done.stdout + done.stderr


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-"])
def test_73_a_stream_that_is_closed_is_told_or_ends_quietly(
    project: Path, closed: str
) -> None:
    child = pexpect.spawn(
        "/bin/sh",
        ["-c", f"{sys.executable} -m convotui {closed}; echo code $?"],
        cwd=str(project),
        timeout=PATIENCE,
        env={"PATH": os.environ["PATH"], "HOME": str(project), "TERM": "xterm"},
    )
    output = child.read()
    child.close()

    assert b"code 2" in output
    assert b"\x1b" not in output
    assert b"Traceback" not in output
