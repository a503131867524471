"""Where a Markdown text leaves off: which block is still open at its end.

It reads blocks as CommonMark does and knows no inline syntax. Where the dialects of
Markdown read a text differently it says so instead of guessing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from convotui.export.raw_html import begins_html

_QUOTE = -1
_MAX_DEPTH = 8
"""Readers stop following somewhere deeper, and may then skip all that comes after."""

_QUOTE_MARK = re.compile(r" {0,3}> ?")
_HEADING = re.compile(r"#{1,6}(?: |$)")
_FENCE = re.compile(r"(?P<ticks>`{3,})[^`]*$|(?P<tildes>~{3,})")
_UNDERLINE = re.compile(r"(?:=+|-+) *$")
_RULE = re.compile(r"(?:(?:\* *){3,}|(?:- *){3,}|(?:_ *){3,})$")
_ITEM = re.compile(r"(?P<mark>[-+*]|(?P<number>[0-9]{1,9})[.)])(?P<gap> +|$)")
_MAYBE_TABLE = re.compile(r".*\||[ :-]*:[ :-]*$")
_TABLE_RULE = re.compile(r"[ >|:-]*-[ >|:-]*$")
_MAYBE_DEFINITION = re.compile(r"\[(?![ xX]\] )")


class UnsureError(Exception):
    """A line is read differently by different readers of Markdown."""


@dataclass(slots=True)
class Scan:
    """The blocks that are open after the lines that were fed."""

    containers: list[int] = field(default_factory=list)
    """Outermost first: the width of a list item's margin, or `_QUOTE`."""
    fence: str = ""
    """The marks that opened the fenced code that is open."""
    in_html: bool = False
    in_paragraph: bool = False
    is_surely_paragraph: bool = True
    """Whether every dialect takes the open paragraph for one."""
    item_is_empty: bool = False
    maybe_header: bool = False
    """Whether the last line opened a block, but may be the head of a table."""

    @property
    def closer(self) -> str:
        """The line that ends the open block; empty if the next heading does."""
        return "" if self.containers else self.fence

    def feed(self, line: str) -> bool:
        """Take one line; return whether it belongs to fenced code.

        Raises:
            UnsureError: If what is open after it depends on who reads it.
        """
        line = line.expandtabs(4)
        if self.maybe_header and _TABLE_RULE.match(line):
            raise UnsureError
        self.maybe_header = False
        matched, rest = self._continued(line)
        blank = not rest.strip(" ")
        if matched == len(self.containers):
            if self.fence:
                self._in_fence(rest)
                return True
            if self.in_html:
                self.in_html = not blank
                return False
        if blank:
            self._close(matched)
            return False
        self._start(matched, rest)
        opened = self.maybe_header or not self.in_paragraph
        self.maybe_header = opened and "|" in rest
        return bool(self.fence)

    def _continued(self, rest: str) -> tuple[int, str]:
        """How many containers the line is in, and what is left of it inside them."""
        for index, container in enumerate(self.containers):
            if container == _QUOTE:
                mark = _QUOTE_MARK.match(rest)
                if mark is None:
                    return index, rest
                rest = rest[mark.end() :]
                continue
            blank = not rest.strip(" ")
            last = index == len(self.containers) - 1
            if blank and last and self.item_is_empty:
                return index, rest
            if not blank and _indent(rest) < container:
                return index, rest
            rest = rest[container:]
        return len(self.containers), rest

    def _in_fence(self, rest: str) -> None:
        run = rest.strip(" ")
        if (
            _indent(rest) < 4
            and len(run) >= len(self.fence)
            and run == self.fence[0] * len(run)
        ):
            self.fence = ""

    def _close(self, matched: int) -> None:
        """Close every block but the outermost `matched` containers."""
        del self.containers[matched:]
        self.fence = ""
        self.in_html = self.in_paragraph = self.item_is_empty = False

    def _start(self, matched: int, rest: str) -> None:
        """Open what the line opens, or let it continue the paragraph."""
        lazy = matched < len(self.containers)
        while True:
            body = rest.lstrip(" ")
            if len(rest) - len(body) >= 4:
                if not self._paragraph_goes_on():
                    self._close(matched)
                return
            if body.startswith(">"):
                self._close(matched)
                rest = body[1:].removeprefix(" ")
                self._enter(_QUOTE)
            elif self._leaf(matched, body, lazy):
                return
            elif width := self._item(body, lazy):
                self._close(matched)
                self._enter(len(rest) - len(body) + width)
                rest = body[width:]
                self.item_is_empty = not rest.strip(" ")
            else:
                self._text(matched, body, lazy)
                return
            if not rest.strip(" "):
                return
            matched, lazy = len(self.containers), False

    def _enter(self, container: int) -> None:
        self.containers.append(container)
        self.maybe_header = True
        if len(self.containers) > _MAX_DEPTH:
            raise UnsureError

    def _leaf(self, matched: int, body: str, lazy: bool) -> bool:
        """Open the heading, rule, code or HTML that `body` begins, if it does."""
        fence = _FENCE.match(body)
        goes_on, interrupts = begins_html(body) or (False, False)
        html = interrupts or (goes_on and not self._paragraph_goes_on())
        underline = _UNDERLINE.match(body) and not lazy and self._paragraph_goes_on()
        one_line = underline or _HEADING.match(body) or _RULE.match(body)
        if not (fence or html or one_line):
            return False
        self._close(matched)
        self.fence = (fence["ticks"] or fence["tildes"]) if fence else ""
        self.in_html = html and goes_on
        return True

    def _item(self, body: str, lazy: bool) -> int:
        """The width of the list marker that `body` begins with; 0 if it has none."""
        item = _ITEM.match(body)
        if item is None:
            return 0
        empty = item.end() == len(body)
        weak = empty or (item["number"] is not None and int(item["number"]) != 1)
        if weak and not lazy and self._paragraph_goes_on():
            return 0
        gap = len(item["gap"])
        return item.end("mark") + (gap if 1 <= gap <= 4 and not empty else 1)

    def _text(self, matched: int, body: str, lazy: bool) -> None:
        if not (lazy and self._paragraph_goes_on()) and not self.in_paragraph:
            self._close(matched)
            self.in_paragraph = True
            self.is_surely_paragraph = not _MAYBE_DEFINITION.match(body)
        if _MAYBE_TABLE.match(body):
            self.is_surely_paragraph = False

    def _paragraph_goes_on(self) -> bool:
        """Whether a paragraph is open, where the answer decides how a line is read."""
        if self.in_paragraph and not self.is_surely_paragraph:
            raise UnsureError
        return self.in_paragraph


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
