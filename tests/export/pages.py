"""Exported pages as a browser would take them apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from html.parser import HTMLParser

from convotui.export.html import html
from convotui.storage.records import ChatMessage

from .samples import one_hour_east

VOID = ("br", "hr", "img", "meta")


class Page(HTMLParser):
    """The elements and the text of a page, which must be well formed."""

    def __init__(self, messages: Sequence[ChatMessage], title: str = "Title") -> None:
        super().__init__()
        self.source = "".join(html(messages, title, local=one_hour_east))
        self.tags: Counter[str] = Counter()
        self.attributes: list[tuple[str, str, str]] = []
        """Every tag, attribute name and value."""
        self.text: list[str] = []
        self.nesting: list[tuple[str, int]] = []
        """Every message's anchor and how many branches it is inside."""
        self._open: list[str] = []
        self._branches: list[bool] = []
        self.feed(self.source)
        self.close()
        assert self._open == []

    def values(self, attribute: str) -> list[str]:
        return [value for _, name, value in self.attributes if name == attribute]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        found = {name: value or "" for name, value in attrs}
        self.attributes += [(tag, name, value) for name, value in found.items()]
        if tag == "article":
            self.nesting.append((found["id"], sum(self._branches)))
        if tag == "details":
            self._branches.append(found["class"] == "branch")
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        assert self._open.pop() == tag
        if tag == "details":
            self._branches.pop()

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")
