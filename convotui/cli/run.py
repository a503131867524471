"""One run of the command line, from the arguments to the exit code.

0 is done, 1 failed, 2 a mistake in how it was called, 130 interrupted. Whatever goes
wrong is said in one line on standard error.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NoReturn

_COMPLETING = "_CONVOTUI_COMPLETE"
"""The variable by which a shell asks for completions instead of a run."""


def run() -> NoReturn:
    """Run the command that the arguments name, and exit."""
    _prepare_streams()
    try:
        if sys.argv[1:] or _COMPLETING in os.environ:
            from convotui.cli.root import cli

            cli.main(prog_name="convotui", standalone_mode=False)
        else:
            _open_screen()
        sys.stdout.flush()
    except Exception as error:  # noqa: BLE001 - every one is told in a line
        from convotui.cli.failing import end_with

        end_with(error)
    except KeyboardInterrupt as error:
        from convotui.cli.failing import end_with

        end_with(error)
    sys.exit(0)


def _open_screen() -> None:
    """Open the screen without loading what only arguments need."""
    from convotui.cli.context import Session
    from convotui.cli.screen import open_screen

    named = os.environ.get("CONVOTUI_DB")
    open_screen(Session(Path(named) if named else None))


def _prepare_streams() -> None:
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            # It was closed before we began.
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115
        else:
            # What a terminal's encoding lacks becomes a question mark, not a crash.
            stream.reconfigure(errors="replace")
