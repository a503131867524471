"""The terminal, which may send anything and go away at any time."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import sys
import termios
import tty
from codecs import getincrementaldecoder
from typing import TYPE_CHECKING, Any, TextIO, cast

from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver
from textual.events import Resize
from textual.geometry import Size

from convotui.ui.pastes import Pastes

if TYPE_CHECKING:
    from textual.app import App

_WAIT_SECONDS = 0.1
_MOST_BYTES = 4096
_WORKING = {
    tty.IFLAG: termios.ICRNL | termios.IXON,
    tty.OFLAG: termios.OPOST | termios.ONLCR,
    tty.LFLAG: termios.ICANON | termios.ECHO | termios.ISIG | termios.IEXTEN,
}
"""What makes a terminal one in which a user can type a command."""


class TerminalDriver(LinuxDriver):
    """Takes bytes that are no text, and ends the program with its terminal."""

    def __init__(
        self,
        app: App[object],
        *,
        debug: bool = False,
        mouse: bool = True,
        size: tuple[int, int] | None = None,
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self._file = cast(Any, _Output(sys.__stderr__))

    def start_application_mode(self) -> None:
        """Take over the terminal, and follow its size."""
        super().start_application_mode()  # type: ignore[no-untyped-call]
        # One handler that interrupts another would have the older size told last.
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGWINCH, self._tell_size)
        self._mend()

    def run_input_thread(self) -> None:
        """Hand on what is typed until the program ends or the terminal is gone."""
        parser = XTermParser(self._debug)
        decoder = getincrementaldecoder("utf-8")("replace")
        pastes = Pastes()
        while not self.exit_event.is_set():
            if self._is_typed(_WAIT_SECONDS):
                data = self._read()
                if not data:
                    # A terminal that goes away does not always say so.
                    os.kill(os.getpid(), signal.SIGHUP)
                    return
                typed = pastes.take(decoder.decode(data), is_more=self._is_typed(0))
                # Nothing at all would be the end of it.
                for event in parser.feed(typed) if typed else ():
                    self.process_message(event)
            for event in parser.tick():
                self.process_message(event)

    def _tell_size(self) -> None:
        if not self._in_band_window_resize:
            size = Size(*self._get_terminal_size())
            self._app.post_message(Resize(size, size))

    def _is_typed(self, seconds: float) -> bool:
        return bool(select.select([self.fileno], [], [], seconds)[0])

    def _mend(self) -> None:
        """Leave a terminal that works, also where a program was killed in it."""
        attributes = self.attrs_before
        if attributes is not None and not attributes[tty.LFLAG] & termios.ICANON:
            for index, flags in _WORKING.items():
                attributes[index] |= flags

    def _read(self) -> bytes:
        try:
            return os.read(self.fileno, _MOST_BYTES)
        except OSError:
            return b""


class _Output:
    """What is drawn on; once it is gone, drawing is in vain and nothing else."""

    def __init__(self, file: TextIO | None) -> None:
        assert file is not None
        self._file = file

    def write(self, text: str) -> int:
        """Write, or not."""
        try:
            return self._file.write(text)
        except OSError:
            self._give_up()
            return 0

    def flush(self) -> None:
        """Flush, or not."""
        try:
            self._file.flush()
        except OSError:
            self._give_up()

    def fileno(self) -> int:
        """Return the number of the file."""
        return self._file.fileno()

    def _give_up(self) -> None:
        # Everything from here on succeeds, also what Python flushes at its end.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._file.fileno())
        os.close(nowhere)
