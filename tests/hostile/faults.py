"""Ways to have the real program meet what it would rarely meet by itself."""

from __future__ import annotations

import os
from pathlib import Path

COUNT = int(os.environ.get("CONVOTUI_FAULTS", "2"))
"""How often what happens at random is tried."""

CRASH = """
import convotui.ui.screens.browser as browser

def crash(self):
    token = __import__("os").environ["CANARY"]
    written = self.conversation.prompt.text
    raise RuntimeError(f"{token} {written}")

browser.BrowserScreen.action_help = crash
"""
"""Makes the key for help crash with a secret and a prompt in its hands."""

MISSES = """
import signal
import convotui.ui.screens.browser as browser

def leave_and_look(self):
    self.app.exit(return_code=128 + signal.SIGTERM)
    self.query_one("#gone")

browser.BrowserScreen.action_help = leave_and_look
"""
"""Makes the key for help leave, and look for what is not there any more."""

AUDIT = """
import os, sys

def watch(event, details):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname"):
        place = details[1] if event == "socket.connect" else details[0]
        with open(os.environ["REACHED"], "a") as file:
            print(event, place, file=file)

sys.addaudithook(watch)
"""
"""Writes down every place that the program tries to reach."""


def inject(directory: Path, code: str) -> str:
    """Return a Python path from which some code is run before anything else."""
    directory.mkdir(exist_ok=True)
    (directory / "sitecustomize.py").write_text(code)
    return str(directory)
