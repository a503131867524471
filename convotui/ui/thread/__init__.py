"""The chat pane: one thread of messages, of which only what shows is drawn."""

from __future__ import annotations

from convotui.ui.thread.view import ThreadView

__all__ = ["ThreadView"]
