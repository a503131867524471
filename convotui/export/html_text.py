"""Markdown text as HTML that fetches nothing, runs nothing and loses nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import OptionsDict

from convotui.text import visible

_MAX_LENGTH = 200_000
_MAX_BRACKETS = 5_000
_MAX_NESTING = 30
_LINK = re.compile(r"https?://|mailto:", re.IGNORECASE)


def text_html(text: str) -> str:
    """Return Markdown as HTML; text that would take too long is shown as it is."""
    text = visible(text)
    if len(text) > _MAX_LENGTH or text.count("[") > _MAX_BRACKETS:
        return plain_html(text)
    markdown = _markdown()
    environment: dict[str, Any] = {}
    tokens = markdown.parse(text, environment)
    # What is nested deeper than that has been left out.
    if any(token.level >= _MAX_NESTING - 1 for token in tokens):
        return plain_html(text)
    # Character references can bring back what `visible` took out.
    return visible(markdown.renderer.render(tokens, markdown.options, environment))


def plain_html(text: str) -> str:
    """Return plain text as HTML that keeps its lines."""
    return f"<pre>{escape(visible(text))}</pre>\n"


class _Markdown(MarkdownIt):
    """Markdown whose links lead to the web or to a mailbox."""

    def validateLink(self, url: str) -> bool:
        return _LINK.match(url) is not None


class _Renderer(RendererHTML):
    """Links that tell nobody where they were followed from; tables that scroll."""

    def link_open(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Any
    ) -> str:
        tokens[idx].attrSet("rel", "noopener noreferrer")
        return self.renderToken(tokens, idx, options, env)

    def table_open(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Any
    ) -> str:
        return '<div class="wide">' + self.renderToken(tokens, idx, options, env)

    def table_close(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Any
    ) -> str:
        return self.renderToken(tokens, idx, options, env) + "</div>\n"


@cache
def _markdown() -> MarkdownIt:
    options = {"html": False, "maxNesting": _MAX_NESTING}
    markdown = _Markdown("commonmark", options, renderer_cls=_Renderer)
    return markdown.enable(["table", "strikethrough"]).disable("image")
