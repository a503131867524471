"""The user's own editor."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from textual.app import App, SuspendNotSupported


def edit_text(app: App[Any], text: str) -> str | None:
    """Return a text as the user leaves it in `$EDITOR`; `None` without one."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if not editor:
        return None
    with tempfile.NamedTemporaryFile("w", suffix=".md", delete=False) as file:
        file.write(text)
    path = Path(file.name)
    try:
        with app.suspend():
            subprocess.run([*shlex.split(editor), str(path)], check=False)
        return path.read_text(errors="replace").rstrip("\n")
    except (SuspendNotSupported, OSError, ValueError):
        return None
    finally:
        path.unlink(missing_ok=True)
