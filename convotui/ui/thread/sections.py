"""A long text cut into sections that can be drawn one by one.

Where a section ends follows from the text up to there and the line after it, so that
the sections of a text that grows stay as they are, all but the last two.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

MARKDOWN_LIMIT = 200_000
"""After so many characters the rest is not read as Markdown."""
BLOCK_LIMIT = 400
"""After so many blocks neither."""
LINE_LIMIT = 20_000
"""A line longer than this neither."""

_CHUNK = 8_192
_CODE_LINES = 64
_LINES = 60
_MOST_LINES = 400
_MOST_CHARACTERS = 16_384

_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})(.*)")
_ITEM = re.compile(r"[ \t]*(?:[-+*]|\d{1,9}[.)])(?:[ \t]|$)")
_BLOCK = re.compile(_ITEM.pattern + r"|[ \t]*[#|]")


class State(NamedTuple):
    """What a section must know of those before it."""

    fence: str = ""
    """The fence that is open."""
    info: str = ""
    """What was written behind it."""
    blocks: int = 0
    """How many blocks there were."""
    inside: bool = False
    """Whether the section begins in the middle of an endless line."""
    after_code: bool = False
    plain: bool = False
    """Whether nothing is read as Markdown any more."""


class Section(NamedTuple):
    """A part of a text that can be drawn without the others."""

    kind: Literal["markdown", "code", "plain"]
    start: int
    end: int
    body: tuple[int, int]
    """What of it is shown."""
    state: State
    gap: bool
    """Whether a blank line belongs above it."""

    @property
    def info(self) -> str:
        """The language of code."""
        return self.state.info

    @property
    def continues(self) -> bool:
        """Whether it goes on with the code of the section before."""
        return self.kind == "code" and bool(self.state.fence)


def cut(text: str) -> list[Section]:
    """Cut a text into sections."""
    return list(_cut(text, 0, State()))


def recut(text: str, sections: list[Section]) -> list[Section]:
    """Cut a text that was shorter when these were its sections."""
    kept = sections[:-2]
    if len(sections) < 2:
        return cut(text)
    return [*kept, *_cut(text, sections[-2].start, sections[-2].state)]


def code(text: str, language: str) -> list[Section]:
    """Cut a text that is code from its beginning to its end."""
    if len(text) > MARKDOWN_LIMIT:
        return list(_plain(text, 0, State()))
    # A fence that no line can close.
    return list(_cut(text, 0, State(fence="\n", info=language)))


def _cut(text: str, position: int, state: State) -> Iterator[Section]:
    while position < len(text):
        over = position >= MARKDOWN_LIMIT or state.blocks >= BLOCK_LIMIT
        if over or state.plain:
            yield from _plain(text, position, state)
            return
        section, state = _next(text, position, state)
        yield section
        position = section.end


def _next(text: str, start: int, state: State) -> tuple[Section, State]:
    if state.inside:
        return _endless(text, start, start, state)
    if state.fence:
        return _fenced(text, start, start, state)
    position, blank = _skip_blank(text, start)
    gap = blank or state.after_code or _follows_blank(text, start)
    line, end = _line(text, position)
    if end - position > LINE_LIMIT:
        section, state = _endless(text, start, position, state)
        return section._replace(gap=gap), state
    if fence := _FENCE.fullmatch(line):
        opened = state._replace(fence=fence[1], info=fence[2].strip())
        section, after = _fenced(text, start, end, opened)
        before = state._replace(info=opened.info)
        return section._replace(state=before, gap=True), after
    end, blocks = _markdown_end(text, position)
    section = Section("markdown", start, end, (position, end), state, gap)
    return section, State(blocks=state.blocks + blocks)


def _fenced(
    text: str, start: int, position: int, state: State
) -> tuple[Section, State]:
    """Take lines of code until the fence is closed or there are enough of them."""
    begin = position
    fence = state.fence
    for _ in range(_CODE_LINES):
        if position >= len(text) or position - begin > _MOST_CHARACTERS:
            break
        line, end = _line(text, position)
        if end - position > LINE_LIMIT:
            if position == begin:
                section, after = _endless(text, start, position, state)
                return section, after
            break
        if _closes(line, fence):
            after = State(blocks=state.blocks + 1, after_code=True)
            section = Section("code", start, end, (begin, position), state, False)
            return section, after
        position = end
    section = Section("code", start, position, (begin, position), state, False)
    return section, state


def _closes(line: str, fence: str) -> bool:
    closing = line.strip(" ")
    indent = len(line) - len(line.lstrip(" "))
    whole = len(closing) >= len(fence) and not closing.strip(fence[0])
    return whole and indent < 4


def _endless(
    text: str, start: int, position: int, state: State
) -> tuple[Section, State]:
    """Take a piece of a line that is too long."""
    newline = text.find("\n", position, position + _CHUNK)
    end = newline + 1 if newline >= 0 else min(len(text), position + _CHUNK)
    inside = state._replace(inside=newline < 0, after_code=False)
    section = Section("plain", start, end, (position, end), state, False)
    return section, inside


def _plain(text: str, position: int, state: State) -> Iterator[Section]:
    gap = not state.plain and not state.fence
    inside = state.inside
    while position < len(text):
        end = position + _CHUNK
        if end < len(text):
            newline = text.rfind("\n", position, end)
            end = newline + 1 if newline >= 0 else end
        end = min(end, len(text))
        before = State(inside=inside, plain=True) if not gap else state
        yield Section("plain", position, end, (position, end), before, gap)
        inside = text[end - 1] != "\n"
        gap = False
        position = end


def _markdown_end(text: str, position: int) -> tuple[int, int]:
    """Find where the section that begins here ends, and how many blocks it has."""
    begin = position
    blocks, lines, blank, in_list = 0, 0, True, False
    while position < len(text):
        line, end = _line(text, position)
        if not line or line.isspace():
            blank = True
            if end - begin > _MOST_CHARACTERS:
                position = end
                break
        else:
            item = _ITEM.match(line) is not None
            if lines and _ends_before(line, item, blank, in_list, lines):
                break
            too_much = lines > 0 and end - begin > _MOST_CHARACTERS
            if too_much or end - position > LINE_LIMIT:
                break
            blocks += blank or _BLOCK.match(line) is not None
            in_list = in_list or item
            blank = False
        lines += 1
        position = end
    return position, blocks


def _ends_before(line: str, item: bool, blank: bool, in_list: bool, lines: int) -> bool:
    if lines >= _MOST_LINES:
        return True
    outside = not line[0].isspace()
    if _FENCE.fullmatch(line) and (outside or not in_list):
        return True
    if in_list and item:
        return outside and lines >= _LINES
    is_row = "|" in line
    return outside and (blank or (lines >= _LINES and not in_list and not is_row))


def _skip_blank(text: str, position: int) -> tuple[int, bool]:
    blank = False
    start = position
    while position < len(text) and position - start < _MOST_CHARACTERS:
        line, end = _line(text, position)
        if line and not line.isspace():
            break
        position, blank = end, True
    return position, blank


def _follows_blank(text: str, position: int) -> bool:
    line = text.rfind("\n", 0, max(0, position - 1)) + 1
    return position > 0 and text[line:position].isspace()


def _line(text: str, position: int) -> tuple[str, int]:
    """A line without its end, and where the next one begins.

    Of a line that is too long only the beginning is returned.
    """
    newline = text.find("\n", position, position + LINE_LIMIT + 1)
    if newline >= 0:
        return text[position:newline].rstrip("\r"), newline + 1
    end = min(len(text), position + LINE_LIMIT + 1)
    return text[position:end], end
