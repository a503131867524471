"""The words of a paragraph: emphasis, code, links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.style import Style

from convotui.text import visible_line
from convotui.ui.thread.lines import Run, clean
from convotui.ui.thread.palette import Palette

if TYPE_CHECKING:
    from markdown_it.token import Token

LINK = "thread-link"
"""Under this name the target of a link is kept with its style."""

_OPENABLE = ("http://", "https://", "mailto:")
_STYLES = {"strong_open": "strong", "em_open": "emphasis", "s_open": "strike"}


def inline(tokens: Sequence[Token], palette: Palette, base: Style) -> list[Run]:
    """Return the text of a paragraph; a link is followed by where it leads."""
    runs: list[Run] = []
    styles = [base]
    links: list[tuple[str, int]] = []
    for token in tokens:
        kind = token.type
        if kind in _STYLES:
            styles.append(styles[-1] + palette[_STYLES[kind]])
        elif kind == "link_open":
            target = str(token.attrs.get("href", ""))
            links.append((target, len(runs)))
            styles.append(styles[-1] + _link(target, palette))
        elif kind == "link_close":
            styles.pop()
            target, start = links.pop()
            text = "".join(text for text, _ in runs[start:])
            runs += _shown_target(target, text, palette, base)
        elif kind.endswith("_close"):
            styles.pop()
        elif kind in ("softbreak", "hardbreak"):
            runs.append(("\n", styles[-1]))
        elif kind == "code_inline":
            runs.append((clean(token.content), styles[-1] + palette["inline"]))
        elif kind == "image":
            target = str(token.attrs.get("src", ""))
            text = clean(token.content)
            runs.append((f"[{text or 'image'}]", styles[-1] + _link(target, palette)))
            runs += _shown_target(target, text, palette, base)
        elif token.content:
            runs.append((clean(token.content), styles[-1]))
    return runs


def _link(target: str, palette: Palette) -> Style:
    style = palette["link"]
    if is_openable(target):
        style += Style.from_meta({LINK: target})
    return style


def is_openable(target: str) -> bool:
    """Whether a link may be handed on when it is clicked."""
    return target.lower().startswith(_OPENABLE) and visible_line(target) == target


def _shown_target(target: str, text: str, palette: Palette, base: Style) -> list[Run]:
    shown = visible_line(target)
    if not shown or text.strip() in (shown, shown.removeprefix("mailto:")):
        return []
    style = base + palette["url"]
    if is_openable(target):
        style += Style.from_meta({LINK: target})
    return [(f" ({shown})", style)]
