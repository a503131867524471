"""The colours of the tree, by names that rows are drawn with."""

from __future__ import annotations

COMPONENTS = {
    f"tree--{name}"
    for name in (
        *(f"lane-{number}" for number in range(6)),
        "assistant",
        "cursor",
        "cursor-focused",
        "dim",
        "failed",
        "fold",
        "hit",
        "id",
        "interrupted",
        "label",
        "new",
        "other",
        "prompt",
        "subagent",
        "text",
        "tool-result",
        "user",
    )
}

CSS = """
MessageTree {
    height: 1fr;
    overflow-x: hidden;
    scrollbar-size-vertical: 1;
    background: $surface;

    & > .tree--text { color: $foreground; }
    & > .tree--prompt { color: $foreground; text-style: bold; }
    & > .tree--dim { color: $foreground; text-style: dim; }
    & > .tree--id { color: $warning; }
    & > .tree--user { color: $primary; text-style: bold; }
    & > .tree--assistant { color: $success; }
    & > .tree--tool-result { color: $foreground; text-style: dim; }
    & > .tree--subagent { color: $foreground; text-style: dim; }
    & > .tree--other { color: $error; }
    & > .tree--interrupted { color: $warning; text-style: bold; }
    & > .tree--failed { color: $error; text-style: bold; }
    & > .tree--label { color: $accent; text-style: bold; }
    & > .tree--new { color: $accent; text-style: bold; }
    & > .tree--fold { color: $secondary; text-style: bold; }
    & > .tree--hit { color: $foreground; background: $warning-muted; text-style: bold; }
    & > .tree--cursor { background: $panel; }
    & > .tree--cursor-focused { background: $primary-muted; }
    & > .tree--lane-0 { color: $primary; }
    & > .tree--lane-1 { color: $success; }
    & > .tree--lane-2 { color: $warning; }
    & > .tree--lane-3 { color: $accent; }
    & > .tree--lane-4 { color: $secondary; }
    & > .tree--lane-5 { color: $error; }
}
"""
