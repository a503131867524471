"""The tree pane: every message on a line of its own, drawn only where it shows."""

from convotui.ui.tree.view import MessageTree

__all__ = ["MessageTree"]
