"""convotui's own command line, with a note of each heavy module and when it came.

The notes go into the report line by line, as the program is ended from outside.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

_HEAVY = ("litellm", "openai", "rich.markdown")


def _run() -> None:
    report, *sys.argv[1:] = sys.argv[1:]
    Path(report).touch()

    def note(event: str, arguments: tuple[object, ...]) -> None:
        if event == "import" and arguments[0] in _HEAVY:
            with Path(report).open("a") as notes:
                notes.write(f"{time.monotonic()} {arguments[0]}\n")

    sys.addaudithook(note)
    from convotui.cli import main

    main()


if __name__ == "__main__":
    _run()
