"""The command line: everything the screen does, for shells, scripts and readers.

Each command is a module of its own that is loaded when it is used. Commands read the
environment and build the store; what they do with it is in `conversations`.
"""

from __future__ import annotations

import gc


def main() -> None:
    """Run convotui with the arguments of this process."""
    # Nothing that is loaded to begin with is ever garbage.
    gc.disable()
    from convotui.cli.run import run

    run()
