"""convotui's own command line, with a report of the most memory it had."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from benchmarks.terminal import peak_memory


def _run() -> None:
    report, *sys.argv[1:] = sys.argv[1:]
    from convotui.cli import main

    try:
        main()
    finally:
        Path(report).write_text(json.dumps(peak_memory()))


if __name__ == "__main__":
    _run()
