"""The program on a terminal of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import pexpect

from .program import COMMAND, Program


class Terminal:
    """A terminal in which the program is running."""

    def __init__(self, child: pexpect.spawn) -> None:
        self._child = child

    def wait_for(self, text: str) -> None:
        self._child.expect_exact(text)

    def press(self, keys: str) -> None:
        self._child.send(keys)

    def rest(self) -> str:
        """What is shown until the program ends."""
        self._child.expect(pexpect.EOF)
        shown: str = self._child.before
        return shown.replace("\r\n", "\n")

    def exit_code(self) -> int | None:
        self._child.wait()
        code: int | None = self._child.exitstatus
        return code


@contextmanager
def on_terminal(
    convotui: Program,
    *arguments: str,
    columns: int = 80,
    environment: Mapping[str, str] | None = None,
) -> Iterator[Terminal]:
    """Run the program on a terminal."""
    child = pexpect.spawn(
        COMMAND[0],
        [*COMMAND[1:], *arguments],
        cwd=str(convotui.directory),
        env={**convotui.environment, "TERM": "xterm-256color", **(environment or {})},
        dimensions=(24, columns),
        encoding="utf-8",
        timeout=20,
    )
    try:
        yield Terminal(child)
    finally:
        child.close(force=True)


def shown_on_terminal(
    convotui: Program,
    *arguments: str,
    columns: int = 80,
    environment: Mapping[str, str] | None = None,
) -> str:
    """What a command shows on a terminal."""
    with on_terminal(
        convotui, *arguments, columns=columns, environment=environment
    ) as terminal:
        return terminal.rest()
