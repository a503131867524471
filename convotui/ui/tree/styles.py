"""The colours of the tree, by names that rows are drawn with."""

from __future__ import annotations

STYLES = {
    "text": "$foreground",
    "prompt": "bold $foreground",
    "dim": "dim $foreground",
    "id": "$warning",
    "user": "bold $primary",
    "assistant": "$success",
    "tool-result": "dim $foreground",
    "subagent": "dim $foreground",
    "other": "$error",
    "streaming": "bold $accent",
    "interrupted": "bold $warning",
    "failed": "bold $error",
    "label": "bold $accent",
    "new": "bold $accent",
    "fold": "bold $secondary",
    "hit": "bold $foreground on $warning-muted",
    "cursor": "on $panel",
    "cursor-focused": "on $primary-muted",
    "lane-0": "$primary",
    "lane-1": "$success",
    "lane-2": "$warning",
    "lane-3": "$accent",
    "lane-4": "$secondary",
    "lane-5": "$error",
}

ANSI = {"cursor": "underline", "cursor-focused": "reverse"}
"""What is drawn otherwise in the terminal's own colours."""

CSS = """
MessageTree {
    height: 1fr;
    overflow-x: hidden;
    scrollbar-size-vertical: 1;
    background: $surface;
}
"""
