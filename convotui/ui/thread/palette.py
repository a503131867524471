"""The colours and the signs that messages are drawn with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rich.style import Style

ROLES = {"user": "user", "assistant": "assistant", "tool_result": "tool"}
"""The name under which a role is drawn; any other role is `other`."""

NAMES = (
    *("user", "assistant", "tool", "other"),
    *("header", "id", "label", "warning", "error", "highlight", "fork", "hint"),
    *("heading", "title", "strong", "emphasis", "strike", "inline", "link", "url"),
    *("quote", "rule", "bullet", "table", "fold", "detail", "notice"),
    *("code", "keyword", "string", "number", "comment", "name", "type", "operator"),
)

COMPONENTS = {f"thread--{name}" for name in NAMES}

CSS = """
ThreadView {
    height: 1fr;
    overflow-x: hidden;
    overflow-y: auto;
    scrollbar-gutter: stable;
    scrollbar-size-vertical: 1;
    background: $surface;

    & > .thread--user { color: $text-primary; text-style: bold; }
    & > .thread--assistant { color: $text-success; text-style: bold; }
    & > .thread--tool { color: $foreground 60%; text-style: bold; }
    & > .thread--other { color: $text-error; text-style: bold; }
    & > .thread--header { color: $foreground 50%; }
    & > .thread--id { color: $foreground 50%; }
    & > .thread--label { color: $text-accent; text-style: bold; }
    & > .thread--warning { color: $text-warning; text-style: bold; }
    & > .thread--error { color: $text-error; text-style: bold; }
    & > .thread--highlight { background: $foreground 12%; }
    & > .thread--fork { color: $text-secondary; text-style: bold; }
    & > .thread--hint { color: $foreground 50%; }
    & > .thread--title { color: $text-primary; text-style: bold underline; }
    & > .thread--heading { color: $text-primary; text-style: bold; }
    & > .thread--strong { text-style: bold; }
    & > .thread--emphasis { text-style: italic; }
    & > .thread--strike { text-style: strike; }
    & > .thread--inline { color: $text-warning; }
    & > .thread--link { color: $text-primary; text-style: underline; }
    & > .thread--url { color: $foreground 50%; }
    & > .thread--quote { color: $foreground 70%; }
    & > .thread--rule { color: $foreground 25%; }
    & > .thread--bullet { color: $foreground 55%; }
    & > .thread--table { color: $foreground 25%; }
    & > .thread--fold { color: $foreground 65%; }
    & > .thread--detail { color: $foreground 70%; }
    & > .thread--notice { color: $text-warning; text-style: italic; }
    & > .thread--code { background: $foreground 5%; }
    & > .thread--keyword { color: $text-accent; }
    & > .thread--string { color: $text-success; }
    & > .thread--number { color: $text-warning; }
    & > .thread--comment { color: $foreground 50%; text-style: italic; }
    & > .thread--name { color: $text-primary; }
    & > .thread--type { color: $text-warning; }
    & > .thread--operator { color: $foreground 80%; }

    &:ansi {
        & > .thread--tool { text-style: bold dim; }
        & > .thread--header, & > .thread--id, & > .thread--hint { text-style: dim; }
        & > .thread--url, & > .thread--quote, & > .thread--rule { text-style: dim; }
        & > .thread--bullet, & > .thread--table { text-style: dim; }
        & > .thread--fold, & > .thread--detail { text-style: dim; }
        & > .thread--comment { text-style: dim italic; }
        & > .thread--highlight { text-style: reverse; }
    }
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

    styles: dict[str, Style]
    signs: Signs

    @classmethod
    def of(
        cls, component: Callable[[str], Style], base: Style, signs: Signs
    ) -> Palette:
        """Read the styles of the component classes, drawn over `base`."""
        return cls(
            {name: _added(component(f"thread--{name}"), base) for name in NAMES}, signs
        )

    def __getitem__(self, name: str) -> Style:
        return self.styles[name]

    def role(self, role: str) -> str:
        """The name under which a role is drawn."""
        return ROLES.get(role, "other")


def _added(style: Style, base: Style) -> Style:
    return Style(
        color=style.color if style.color != base.color else None,
        bgcolor=style.bgcolor if style.bgcolor != base.bgcolor else None,
        bold=style.bold or None,
        dim=style.dim or None,
        italic=style.italic or None,
        underline=style.underline or None,
        strike=style.strike or None,
        reverse=style.reverse or None,
    )
