"""Whatever happens to the terminal or the process, nothing is left broken."""

from __future__ import annotations

import fcntl
import os
import random
import select
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pexpect
import pytest

from convotui.storage import Store
from tests.llm.server import OpenAIServer, say
from tests.ui.browsing import FORKED, plant
from tests.ui.terminal import PATIENCE, RESTORED, Terminal

from .faults import COUNT

ENDS = [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    with Store(tmp_path / ".cpeconvo") as store:
        plant(store, FORKED)
    return tmp_path


def with_model(project: Path, server: OpenAIServer) -> Path:
    """Have a project ask a server."""
    config = project / "home" / ".config" / "convotui"
    config.mkdir(parents=True)
    (config / "config.toml").write_text(
        f'model = "tester"\n[models.tester]\nmodel = "openai/tester"\n'
        f'api_base = "{server.base_url}"\n'
    )
    return project


def write(terminal: Terminal) -> None:
    """Go to the prompt of a new conversation."""
    terminal.wait_for("reply to haiku1")
    terminal.send("o")
    terminal.wait_for("enter Send")


def ask(terminal: Terminal) -> None:
    """Ask for a reply, the first half of which comes."""
    write(terminal)
    terminal.send("Go on")
    terminal.wait_for("Go on")
    terminal.send("\r")
    terminal.wait_for("half a")


def modes(terminal: Terminal) -> list[object]:
    """How the terminal treats what is typed, as the shell would find it."""
    return termios.tcgetattr(terminal.child.child_fd)[:4]


def check_restored(terminal: Terminal, before: list[object]) -> None:
    begun = terminal.output.rfind(b"\x1b[?1049h")
    left = terminal.output[max(0, begun) :].decode(errors="replace")
    if begun >= 0:
        assert [code for code in RESTORED if code not in left] == []
        for mode in ("?1049", "?1000", "?1003", "?2004"):
            assert left.rfind(f"{mode}l") > left.rfind(f"{mode}h")
        assert left.rfind("?25h") > left.rfind("?25l")
    assert modes(terminal) == before


@pytest.mark.parametrize("number", ENDS)
def test_69_a_signal_at_any_moment_leaves_a_working_terminal(
    project: Path, number: signal.Signals
) -> None:
    moments = random.Random(number)
    for _ in range(COUNT):
        with Terminal(cwd=project) as terminal:
            before = modes(terminal)
            keys = "".join(moments.choices("jkgGzZ/oe\x1b", k=moments.randrange(8)))
            terminal.wait_for_output(b"\x1b[?1049h")
            if moments.random() < 0.7:
                terminal.wait_for("How do we store branches?")
                terminal.send(keys)
            terminal.child.kill(number)
            assert terminal.wait_for_exit() == 128 + number
            check_restored(terminal, before)
            assert b"Traceback" not in terminal.output


@pytest.mark.parametrize("number", ENDS)
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
            check_restored(terminal, before)
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


@pytest.mark.parametrize("how", HOW)
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


def test_75_a_storm_of_sizes_ends_in_a_whole_screen(project: Path) -> None:
    sizes = [(1, 1), (20, 5), (400, 120), (80, 24), (33, 7), (200, 3), (2, 60)]
    with OpenAIServer() as server:
        with_model(project, server)
        gate = server.gate()
        server.script(say("half a ", gate, "reply"))
        with Terminal(cwd=project) as terminal:
            ask(terminal)
            for number in range(300):
                terminal.resize(*sizes[number % len(sizes)])
            terminal.resize(120, 40)
            gate.release()
            terminal.wait_for("half a reply")
            terminal.wait_for("How do we store branches?")
            terminal.send("\x1b")
            terminal.wait_for("f Fork")
            terminal.send("q")
            assert terminal.wait_for_exit() == 0
    with Terminal(cwd=project, size=(120, 40)) as fresh:
        fresh.wait_for("half a reply")


def test_75_no_size_at_all_is_no_crash(project: Path) -> None:
    with Terminal(cwd=project, size=(0, 0)) as terminal:
        terminal.wait_for_output(b"\x1b[?1049h")
        terminal.resize(80, 24)
        terminal.wait_for("How do we store branches?")
        terminal.send("q")
        assert terminal.wait_for_exit() == 0


def test_13_what_is_typed_need_not_be_text(project: Path) -> None:
    noise = bytes(random.Random(7).choices(range(0x80, 0x100), k=4_000))
    with Terminal(cwd=project) as terminal:
        write(terminal)
        for start in range(0, len(noise), 100):
            terminal.child.write(noise[start : start + 50])
            terminal.child.write(b"\x1b[200~" + noise[start + 50 : start + 100])
            terminal.child.write(b"\x1b[31m\x9b\xff\x1b[201~\x1b[2000~\xc3(")
        terminal.send("\x1b[200~the end\x1b[201~")
        terminal.wait_for("the end")


def test_13_a_paste_is_text_and_runs_no_command(project: Path) -> None:
    with Terminal(cwd=project) as terminal:
        write(terminal)
        terminal.send("\x1b[200~one\rtwo\x03\x11\x1b[31mthree\x1b[201~")
        terminal.wait_for("three")
        assert not any("three" in line and "❯" in line for line in terminal.lines)
    with Store(project / ".cpeconvo") as store:
        assert len(store.list_rows()) == len(FORKED)


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
