"""Write the manual page anew: `python -m manual`."""

from __future__ import annotations

from pathlib import Path

from manual.page import page

if __name__ == "__main__":
    (Path(__file__).parent / "convotui.1").write_text(page())
