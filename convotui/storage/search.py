"""What was typed into a search, and whether a text holds it.

Every word must occur, upper or lower case and with or without accents, at the start of
a word; what stands in quotes must occur as it is. Everything is literal. `Query` is the
only judge: the full-text index merely spares it most of the reading, so a search finds
the same whether or not a message is indexed.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

_TERM = re.compile(r'"([^"]+)"|(\S+)')
_ACCENT = re.compile("[\u0300-\u036f]")
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uf900-\ufaff"
    "\uff66-\uff9f\U00020000-\U0003ffff"
)
"""Letters of scripts that put no spaces between words."""
_LETTER = rf"[^\W_{_UNSPACED}]"
_WORD = re.compile(rf"{_LETTER}+")

_CONTEXT = 60


@dataclass(frozen=True, slots=True)
class Found:
    """A match and the words around it, on one line."""

    before: str
    match: str
    after: str


class Query:
    """What was typed, ready to be looked for."""

    def __init__(self, typed: str) -> None:
        terms = [_plain(quoted or bare) for quoted, bare in _TERM.findall(typed)]
        self._terms = [term for term in terms if term.strip()]
        self._patterns = [_pattern(term) for term in self._terms]

    def __bool__(self) -> bool:
        return bool(self._terms)

    @property
    def index_expression(self) -> str | None:
        """An FTS5 expression that finds at least all that matches.

        `None` if the index is of no use, as for punctuation.
        """
        phrases = (" ".join(_WORD.findall(term)) for term in self._terms)
        return " ".join(f'"{phrase}" *' for phrase in phrases if phrase) or None

    def touches(self, text: str) -> bool:
        """Return whether a text holds any of the terms."""
        plain = _plain(text)
        return any(pattern.search(plain) for pattern in self._patterns)

    def find(self, texts: list[str]) -> Found | None:
        """Return the first match if the texts together hold every term."""
        plain = [_plain(text) for text in texts]
        if not all(any(p.search(text) for text in plain) for p in self._patterns):
            return None
        for text, original in zip(plain, texts, strict=True):
            if match := self._patterns[0].search(text):
                composed = unicodedata.normalize("NFC", original)
                # One accented letter is one plain letter, so places agree; where a
                # rare letter makes two, show the plain text.
                shown = composed if len(composed) == len(text) else text
                return _around(shown, match.start(), match.end())
        return None


def words_of(text: str) -> str:
    """Return the words of a text as they go into the index, spaces between them."""
    return " ".join(_WORD.findall(_plain(text)))


def _plain(text: str) -> str:
    """Return `text` in lower case without accents."""
    if text.isascii():
        return text.lower()
    bare = _ACCENT.sub("", unicodedata.normalize("NFD", text))
    return unicodedata.normalize("NFC", bare).lower()


def _pattern(term: str) -> re.Pattern[str]:
    parts = term.split()
    literal = r"\s+".join(re.escape(part) for part in parts)
    return re.compile((rf"(?<!{_LETTER})" if _WORD.match(parts[0]) else "") + literal)


def _around(text: str, start: int, end: int) -> Found:
    before = text[max(0, start - _CONTEXT) : start]
    after = text[end : end + _CONTEXT]
    return Found(
        before=("…" if start > _CONTEXT else "") + _one_line(before).lstrip(),
        match=_one_line(text[start:end]),
        after=_one_line(after).rstrip() + ("…" if end + _CONTEXT < len(text) else ""),
    )


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text)
