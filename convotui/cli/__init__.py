"""The command line: everything the screen does, for shells, scripts and readers.

Each command is a module of its own that is loaded when it is used. Commands read the
environment and build the store; what they do with it is in `conversations`.
"""

from __future__ import annotations

import gc
import sys


def main() -> None:
    """Run convotui with the arguments of this process."""
    # Nothing that is loaded to begin with is ever garbage.
    gc.disable()
    from convotui.cli.run import run

    try:
        run()
    except SystemExit as ending:
        # A thread that still loads the models' library would be stopped with Python's
        # import lock in its hands, for which the end of Python may wait for ever.
        if "convotui.llm.background" in sys.modules:
            _exit_at_once(ending.code)
        raise


def _exit_at_once(code: str | int | None) -> None:
    import os
    from contextlib import suppress

    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code if isinstance(code, int) else bool(code))
