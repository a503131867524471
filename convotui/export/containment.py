"""Foreign text put into a Markdown document so that nothing in it reaches past it."""

from __future__ import annotations

import re

from convotui.export.raw_html import may_stay, pairs_up, tags_shown
from convotui.export.structure import Scan, UnsureError

_LINE_END = re.compile(r"\r\n|\n|\r")
_LIKE_OUR_HEADING = re.compile(r"`[^`\n]*`\s*·")
_BACKTICKS = re.compile("`+")
_MARKUP = re.compile(r"[\\`*\[\]<>#|~]|&(?=[#\w])|(?<![^\W_])_|_(?![^\W_])")


def contained(text: str) -> str:
    """Return Markdown as it is, with the code that it left open closed.

    HTML that may be left open is shown as text. Text that different readers would
    read differently, or that could pass for a heading of the document, becomes a
    block quote, which ends by itself.
    """
    text = _with_html_closed(text)
    closer = _closer(text)
    if closer is None or _LIKE_OUR_HEADING.search(text):
        return _quote(text)
    return _ended(text, closer)


def quoted(text: str) -> str:
    """Return Markdown as a block quote."""
    return _quote(_with_html_closed(text))


def fenced(text: str, info: str = "text") -> str:
    """Return plain text as a code block that nothing in it can end."""
    longest = max(map(len, _BACKTICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return _ended(f"{fence}{info}\n{text}", fence)


def code_span(text: str) -> str:
    """Return one line of plain text as inline code."""
    if text.isalnum():
        return f"`{text}`"
    line = " ".join(text.split())
    longest = max(map(len, _BACKTICKS.findall(line)), default=0)
    if not longest:
        return f"`{line or ' '}`"
    fence = "`" * (longest + 1)
    return f"{fence} {line} {fence}"


def plain(text: str) -> str:
    """Return plain text as one line of Markdown that shows it as it is."""
    if text.isalnum():
        return text
    return _MARKUP.sub(r"\\\g<0>", " ".join(text.split()))


def _quote(text: str) -> str:
    lines = _LINE_END.split(text.rstrip("\r\n"))
    return "\n".join(f"> {line}" if line else ">" for line in lines)


def _ended(text: str, closer: str) -> str:
    body = text.rstrip("\r\n")
    return f"{body}\n{closer}" if closer else body


def _closer(text: str) -> str | None:
    """The line that closes what `text` leaves open; `None` if that is in doubt."""
    scan = Scan()
    try:
        for line in _LINE_END.split(text):
            scan.feed(line)
    except UnsureError:
        return None
    return scan.closer


def _with_html_closed(text: str) -> str:
    """Return `text` as it is, or with its tags shown if they may be left open."""
    if "<" not in text:
        return text
    lines = _LINE_END.split(text)
    scan = Scan()
    try:
        prose = [line for line in lines if not scan.feed(line)]
    except UnsureError:
        prose = lines
    if may_stay("\n".join(prose)):
        return text
    try:
        return "\n".join(_tags_shown(lines))
    except UnsureError:
        return "\n".join(tags_shown(line, sure=False) for line in lines)


def _tags_shown(lines: list[str]) -> list[str]:
    scan, shown, sure = Scan(), [], True
    for line in lines:
        # Code and links end at the end of their paragraph.
        sure = (sure or not line.strip()) and pairs_up(line)
        escaped = tags_shown(line, sure)
        is_code = scan.feed(escaped)
        shown.append(line if is_code else escaped)
        sure = sure or is_code
    return shown
