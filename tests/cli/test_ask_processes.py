"""`convotui ask` in a process of its own: stopped, killed, overheard, on a terminal."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from convotui.storage import Store
from tests.llm.server import PATIENCE, OpenAIServer, say
from tests.storage.helpers import is_whole

from .asking import configure, files_that_hold, kept, said, started
from .program import Program, contents
from .stores import make
from .stores import said as stored
from .terminal import on_terminal

FULL = Path("/dev/full")
SECRET = "sk-canary-8b1c55"


@pytest.fixture
def server(convotui: Program) -> Iterator[OpenAIServer]:
    with OpenAIServer() as server:
        configure(convotui, server)
        yield server


def wait_for(process: subprocess.Popen[bytes], holds: Callable[[], bool]) -> None:
    """Wait until something holds of a store while a process writes to it."""
    for _ in range(int(PATIENCE / 0.05)):
        if holds():
            return
        with suppress(subprocess.TimeoutExpired):
            code = process.wait(timeout=0.05)
            raise AssertionError(f"it ended with {code} before that")
    raise AssertionError("it never came to that")


def test_a_kill_loses_nothing_that_was_on_the_screen_for_long(
    convotui: Program, server: OpenAIServer, project: Path
) -> None:
    gate = server.gate()
    server.script(say("Half a", gate, " reply"))
    with started(convotui, "ask", "a question") as process:
        gate.wait_until_reached()
        path = project / ".cpeconvo"
        wait_for(process, lambda: said(project)[1:] == ["Half a"])
        process.kill()
        process.wait()

    prompt, reply = kept(project, later=True)
    assert (prompt.text, reply.text) == ("a question", "Half a")
    assert reply.facts is not None
    assert reply.facts.state == "interrupted"
    assert is_whole(path)
    with Store(path) as store:
        assert store.health().is_sound


def test_a_kill_before_the_first_word_keeps_the_question(
    convotui: Program, server: OpenAIServer, project: Path
) -> None:
    gate = server.gate()
    server.script(say(gate, "a reply"))
    with started(convotui, "ask", "a question") as process:
        server.next_request()
        process.kill()
        process.wait()

    prompt, reply = kept(project, later=True)
    assert (prompt.text, reply.text) == ("a question", "")
    assert reply.facts is not None
    assert reply.facts.state == "interrupted"
    assert is_whole(project / ".cpeconvo")


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)]
)
def test_a_signal_stops_it_and_keeps_what_came(
    number: signal.Signals,
    code: int,
    convotui: Program,
    server: OpenAIServer,
    project: Path,
) -> None:
    gate = server.gate()
    server.script(say("Half a", gate, " reply"))
    with started(convotui, "ask", "a question") as process:
        request = server.next_request()
        assert process.stdout is not None
        assert process.stdout.read(6) == b"Half a"
        process.send_signal(number)
        request.wait_for_hang_up()
        out, err = process.communicate()

    [_, reply] = kept(project)
    assert (process.returncode, out) == (code, b"\n")
    assert err.startswith(b"convotui: Interrupted.")
    assert err.count(b"\n") == 1
    assert f"--resume {reply.id}" in err.decode()
    assert reply.text == "Half a"
    assert reply.facts is not None
    assert reply.facts.state == "interrupted"


def test_a_signal_while_the_library_is_loaded_ends_it_too(
    convotui: Program, server: OpenAIServer, project: Path
) -> None:
    with started(convotui, "ask", "a question") as process:
        wait_for(process, lambda: said(project)[:1] == ["a question"])
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 130

    states = [message.facts.state for message in kept(project) if message.facts]
    assert states == ["interrupted"]
    assert server.requests == []


def test_a_reader_that_has_read_enough_loses_no_reply(
    convotui: Program, server: OpenAIServer, project: Path
) -> None:
    gate = server.gate()
    server.script(say("first\n", gate, *(f"line {n}\n" for n in range(20))))
    with started(convotui, "ask", "a question") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"first\n"
        process.stdout.close()
        gate.release()
        assert process.stderr is not None
        err = process.stderr.read()
        process.wait()

    [_, reply] = kept(project)
    assert (process.returncode, err.decode()) == (0, f"{reply.id}\n")
    assert reply.text.endswith("line 19\n")
    assert reply.facts is not None
    assert reply.facts.state == "complete"


def test_a_reader_that_waits_does_not_keep_a_reply_from_being_kept(
    convotui: Program, server: OpenAIServer, project: Path
) -> None:
    long = "x" * 1_000_000
    server.script(say(long))
    with started(convotui, "ask", "a question") as process:
        # Nobody reads, and the pipe is too small for the reply.
        wait_for(process, lambda: said(project)[1:] == [long])
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 130
        assert process.stderr is not None
        assert f"kept as {kept(project)[1].id}" in process.stderr.read().decode()


@pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full here")
def test_a_reply_that_cannot_be_printed_is_kept(
    convotui: Program, server: OpenAIServer, project: Path
) -> None:
    server.script(say("a reply"))

    with FULL.open("wb") as full:
        outcome = convotui("ask", "a question", stdout=full)

    assert (outcome.code, outcome.err.count("\n")) == (1, 1)
    assert "No space left" in outcome.err
    assert said(project) == ["a question", "a reply"]


def test_a_file_that_was_taken_away_meanwhile_is_told_and_ends_it(
    convotui: Program, server: OpenAIServer, project: Path
) -> None:
    gate = server.gate()
    server.script(say("Half a", gate, " reply"))
    with started(convotui, "ask", "a question") as process:
        gate.wait_until_reached()
        other = make(project / "other", stored("x", "another file"))
        other.replace(project / ".cpeconvo")
        gate.release()
        out, err = process.communicate()

    assert (process.returncode, out) == (1, b"Half a reply\n")
    assert b"could not be kept" in err.splitlines()[-1]


def test_incognito_leaves_nothing_behind(
    convotui: Program, server: OpenAIServer, project: Path, tmp_path: Path
) -> None:
    (project / ".git" / "info").mkdir(parents=True)
    before = contents(tmp_path)

    outcome = convotui("ask", "-G", "a secret")

    assert (outcome.code, outcome.out, outcome.err) == (0, "You said: a secret\n", "")
    assert contents(tmp_path) == before


def test_a_key_is_kept_nowhere(
    convotui: Program, server: OpenAIServer, project: Path, tmp_path: Path
) -> None:
    settings = Path(convotui.environment["XDG_CONFIG_HOME"], "convotui/config.toml")
    text = settings.read_text()
    settings.write_text(
        text.replace('"openai/scripted"', '"openai/x"\nkey_variable = "OPENAI_API_KEY"')
    )

    outcome = convotui("ask", "hi", environment={"OPENAI_API_KEY": SECRET})

    assert outcome.code == 0, outcome.err
    assert server.requests[0].headers["Authorization"] == f"Bearer {SECRET}"
    assert said(project)[0] == "hi"
    assert SECRET not in outcome.out + outcome.err
    assert files_that_hold(SECRET.encode(), tmp_path) == []


def test_a_terminal_shows_the_reply_as_it_comes_and_is_not_steered(
    convotui: Program, server: OpenAIServer
) -> None:
    gate = server.gate()
    server.script(say("Half a\x1b[2J", gate, " reply\r", "\n\ud83d", "\ude00"))
    with on_terminal(convotui, "ask", "a question") as terminal:
        terminal.wait_for("Half a␛[2J")
        gate.release()
        rest = terminal.rest()
        assert terminal.exit_code() == 0

    assert rest.startswith(" reply\n😀\n")
    assert "\x1b" not in rest
