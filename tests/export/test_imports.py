"""What it costs to import the package."""

from __future__ import annotations

import subprocess
import sys


def loaded(statement: str) -> set[str]:
    """The modules that are there after a statement in a new interpreter."""
    program = f"{statement}\nimport sys\nprint(*sys.modules)"
    run = [sys.executable, "-c", program]
    done = subprocess.run(run, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_the_door_loads_no_markdown_parser() -> None:
    assert "markdown_it" not in loaded("import convotui.export.markdown")


def test_the_page_loads_a_markdown_parser() -> None:
    assert "markdown_it" in loaded("import convotui.export.html")
