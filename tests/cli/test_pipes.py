"""Output into pipes and files: no colour, and no fuss when nobody reads on."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import pytest

from .program import COMMAND, Program
from .stores import make, said

FULL = Path("/dev/full")


@pytest.fixture
def large(project: Path) -> Path:
    """A store whose listing is larger than any pipe."""
    return make(
        project / ".cpeconvo",
        *(
            said(f"m{n:05}", "x" * 40, f"m{n - 1:05}" if n else None)
            for n in range(5000)
        ),
    )


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize(
    "command",
    [
        "list",
        "list --json",
        "search x --limit 5000",
        "print m04999",
        "export",
    ],
)
def test_a_reader_that_has_read_enough_ends_it_quietly(
    command: str, convotui: Program
) -> None:
    with (
        subprocess.Popen(
            [*COMMAND, *command.split()],
            cwd=convotui.directory,
            env=convotui.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as program,
        subprocess.Popen(
            ["head", "-1"], stdin=program.stdout, stdout=subprocess.PIPE
        ) as head,
    ):
        assert program.stdout is not None
        program.stdout.close()
        assert program.stderr is not None
        said = program.stderr.read()
        first_line, _ = head.communicate()

    assert first_line.count(b"\n") == 1
    assert said == b""
    assert program.returncode == 0


@pytest.mark.usefixtures("large")
def test_an_interrupt_ends_it_with_one_line(convotui: Program) -> None:
    with subprocess.Popen(
        [*COMMAND, "list"],
        cwd=convotui.directory,
        env=convotui.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as program:
        assert program.stdout is not None
        # Once it has begun it cannot end, as the pipe is too small for all of it.
        assert program.stdout.read(1)
        program.send_signal(signal.SIGINT)
        _, said = program.communicate()

    assert said.strip() == b"convotui: Interrupted."
    assert program.returncode == 130


@pytest.mark.usefixtures("forked")
@pytest.mark.parametrize("command", ["list", "list --roots", "stats", "search help"])
def test_a_pipe_gets_no_colour(command: str, convotui: Program) -> None:
    colourful = {"TERM": "xterm-256color", "FORCE_COLOR": "", "COLORTERM": "truecolor"}

    output = convotui.prints(*command.split(), environment=colourful)

    assert "\x1b" not in output


@pytest.mark.usefixtures("forked")
@pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("command", ["list", "stats", "export", "label hI7", "--help"])
def test_output_onto_a_full_disk_is_told_in_one_line(
    command: str, convotui: Program
) -> None:
    with FULL.open("wb") as full:
        convotui.refuses(*command.split(), stdout=full)


@pytest.mark.usefixtures("forked")
def test_output_that_is_closed_is_no_crash(convotui: Program) -> None:
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", *COMMAND, "list"],
        cwd=convotui.directory,
        env=convotui.environment,
        stderr=subprocess.PIPE,
        check=False,
    )

    assert b"Traceback" not in done.stderr
