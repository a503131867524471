"""Raw HTML in a Markdown text: what may stay, and how the rest is shown as text.

A browser does not end an open tag where Markdown ends a block, so HTML stays only
where it is plain to see that all of it is closed.
"""

from __future__ import annotations

import re

_INLINE = (
    "a abbr b br code del em i img ins kbd mark q s samp small span strong sub sup u"
)
_BLOCKS = (
    "blockquote center dd details div dl dt h1 h2 h3 h4 h5 h6 hr li ol p summary ul"
)
_VOID = frozenset(("br", "hr", "img"))
_NAMES = "|".join(sorted(f"{_INLINE} {_BLOCKS}".split(), key=len, reverse=True))
_ATTRIBUTE = r'(?:open|(?:align|alt|height|href|id|name|src|title|width)="[^"<>\n]*")'

_TAG = re.compile(
    rf"<(?:/(?P<closed>{_NAMES}) *|(?P<opened>{_NAMES})(?: +{_ATTRIBUTE})* */?)>",
    re.IGNORECASE,
)
_COMMENT = re.compile(r"<!--(?!-?>)[^<>\n]*-->")
_BLOCK_TAG = re.compile(
    rf"</?(?:{_BLOCKS.replace(' ', '|')})(?: |/?>|$)", re.IGNORECASE
)

_START = r"<(?=[A-Za-z/!?])"
_ANY_TAG = re.compile(rf"(?P<slashes>\\*){_START}")
_FIRST_ON_LINE = re.compile(rf"^[\s>*+\-\d.)]*{_START}", re.MULTILINE)
_NO_TAG = re.compile(
    r"(?<![`\\])(?P<ticks>`+)(?!`)[^`|\n]*(?<!`)(?P=ticks)(?!`)"  # code
    r"|<[A-Za-z][A-Za-z0-9+.-]+:[^<>\s]*>"  # a link
)
_TAG_OR_NOT = re.compile(f"{_NO_TAG.pattern}|{_ANY_TAG.pattern}")

_PLAIN_LINK = re.compile(r"\]\([^()\s`<>\"']*\)")
_ODD_LINK = re.compile(r"\][(\[:]")
_HIDING = re.compile(r"[`\[]|\\<|^ {0,3}\t|^ {4}")


def begins_html(line: str) -> tuple[bool, bool] | None:
    """Whether an unindented line begins HTML that may stay.

    The two answers are whether it goes on to the next blank line, and whether it can
    begin in the middle of a paragraph.
    """
    if _COMMENT.match(line):
        return False, True
    if _BLOCK_TAG.match(line):
        return True, True
    tag = _TAG.match(line)
    return (True, False) if tag and not line[tag.end() :].strip(" ") else None


def may_stay(prose: str) -> bool:
    """Whether `prose`, a Markdown text without its fenced code, leaves no HTML open."""
    lines = prose.split("\n")
    if not all(map(pairs_up, lines)):
        return not _may_have_tags(prose)
    if not _may_have_tags(_NO_TAG.sub(" ", prose)):
        return True
    if any("<" in line and _HIDING.search(line) for line in lines):
        return False
    without_comments = _COMMENT.sub(" ", prose)
    # Beside a tag that stays, one that never ends would be passed on as it is, too.
    rest = _TAG.sub(" ", without_comments)
    return not _ANY_TAG.search(rest) and _is_balanced(without_comments)


def pairs_up(line: str) -> bool:
    """Whether it is beyond doubt which characters of `line` are in code or a link."""
    if _ODD_LINK.search(_PLAIN_LINK.sub(" ", line)):
        return False
    return "`" not in line or "`" not in _NO_TAG.sub(" ", line)


def tags_shown(line: str, sure: bool) -> str:
    """Return a line of Markdown with its tags escaped.

    Code and links on it stay as they are if it is `sure` that they are such.
    """
    return (_TAG_OR_NOT if sure else _ANY_TAG).sub(_escaped, line)


def _escaped(match: re.Match[str]) -> str:
    slashes = match["slashes"]
    if slashes is None or len(slashes) % 2:
        return match[0]
    return f"{slashes}\\<"


def _may_have_tags(prose: str) -> bool:
    """Whether a tag, or what could become one, begins in `prose`."""
    ended = prose[: prose.rfind(">") + 1]
    return bool(_ANY_TAG.search(ended) or _FIRST_ON_LINE.search(prose))


def _is_balanced(prose: str) -> bool:
    opened: list[str] = []
    for tag in _TAG.finditer(prose):
        if tag["closed"]:
            if not opened or opened.pop() != tag["closed"].lower():
                return False
        elif tag["opened"].lower() not in _VOID:
            opened.append(tag["opened"].lower())
    return not opened
