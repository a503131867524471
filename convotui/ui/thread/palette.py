"""The colours and the signs that messages are drawn with."""

from __future__ import annotations

from dataclasses import dataclass

from rich.style import Style

from convotui.ui.colours import Colours

ROLES = {"user": "user", "assistant": "assistant", "tool_result": "tool"}
"""The name under which a role is drawn; any other role is `other`."""

STYLES = {
    "user": "bold $text-primary",
    "assistant": "bold $text-success",
    "tool": "bold $foreground 60%",
    "other": "bold $text-error",
    "header": "$foreground 50%",
    "id": "$foreground 50%",
    "label": "bold $text-accent",
    "warning": "bold $text-warning",
    "error": "bold $text-error",
    "highlight": "on $foreground 12%",
    "fork": "bold $text-secondary",
    "found": "bold $foreground on $warning-muted",
    "hint": "$foreground 50%",
    "title": "bold underline $text-primary",
    "heading": "bold $text-primary",
    "strong": "bold",
    "emphasis": "italic",
    "strike": "strike",
    "inline": "$text-warning",
    "link": "underline $text-primary",
    "url": "$foreground 50%",
    "quote": "$foreground 70%",
    "rule": "$foreground 25%",
    "bullet": "$foreground 55%",
    "table": "$foreground 25%",
    "fold": "$foreground 65%",
    "detail": "$foreground 70%",
    "notice": "italic $text-warning",
    "code": "on $foreground 5%",
    "keyword": "$text-accent",
    "string": "$text-success",
    "number": "$text-warning",
    "comment": "italic $foreground 50%",
    "name": "$text-primary",
    "type": "$text-warning",
    "operator": "$foreground 80%",
}

ANSI = {
    **dict.fromkeys(
        ("header", "id", "hint", "url", "quote", "rule"), "dim $foreground"
    ),
    **dict.fromkeys(("bullet", "table", "fold", "detail"), "dim $foreground"),
    "tool": "bold dim $foreground",
    "comment": "dim italic $foreground",
    "highlight": "reverse",
}
"""What is drawn otherwise in the terminal's own colours."""

CSS = """
ThreadView {
    height: 1fr;
    overflow-x: hidden;
    overflow-y: auto;
    scrollbar-gutter: stable;
    scrollbar-size-vertical: 1;
    background: $surface;
}
"""


@dataclass(frozen=True, slots=True)
class Signs:
    """The signs that stand for something."""

    bars: dict[str, str]
    """What runs down the left edge, by the role's name."""
    roles: dict[str, str]
    interrupted: str = "⚠"
    failed: str = "✗"
    streaming: str = "…"
    closed: str = "▸"
    opened: str = "▾"
    earlier: str = "‹"
    later: str = "›"
    to: str = "→"
    dot: str = "·"
    ellipsis: str = "…"
    bullets: str = "•◦▪"
    quote: str = "▏"
    rule: str = "─"
    column: str = "│"
    crossing: str = "┼"


UNICODE = Signs(
    bars={"user": "▌", "assistant": "▎", "tool": "┆", "other": "╎"},
    roles={"user": "❯", "assistant": "✦", "tool": "ƒ", "other": "?"},
)

ASCII = Signs(
    bars={"user": "|", "assistant": "|", "tool": ":", "other": "!"},
    roles={"user": ">", "assistant": "<", "tool": "f", "other": "?"},
    interrupted="!",
    failed="x",
    streaming="...",
    closed="+",
    opened="-",
    earlier="<",
    later=">",
    to="->",
    dot="-",
    ellipsis="...",
    bullets="-*-",
    quote="|",
    rule="-",
    column="|",
    crossing="+",
)


@dataclass(frozen=True, slots=True)
class Palette:
    """The styles of one theme, each with only what it adds to plain text."""

    styles: Colours
    signs: Signs

    def __getitem__(self, name: str) -> Style:
        return self.styles[name]

    def role(self, role: str) -> str:
        """The name under which a role is drawn."""
        return ROLES.get(role, "other")
