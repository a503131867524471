"""Programs that measure themselves, each run in a terminal by `terminal.probe`.

A screen is measured in a process of its own, so that no other one's garbage is
collected at its expense, and in a real terminal, as Textual draws nothing without one.
"""
