"""Code in colours. Pygments is loaded with the first code that is drawn."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import import_module
from typing import Any

from rich.style import Style

from convotui.ui.thread.lines import Run
from convotui.ui.thread.palette import Palette

_LONGEST_LINE = 2_000
_LANGUAGE = re.compile(r"[\w+#.-]{1,40}")

_CLASSES = (
    ("Comment", "comment"),
    ("Keyword", "keyword"),
    ("Literal.String", "string"),
    ("Literal.Number", "number"),
    ("Operator.Word", "keyword"),
    ("Operator", "operator"),
    ("Punctuation", "operator"),
    ("Name.Class", "type"),
    ("Name.Tag", "name"),
    ("Name.Attribute", "type"),
    ("Name.Builtin", "name"),
    ("Name.Function", "name"),
    ("Name.Decorator", "name"),
    ("Name.Exception", "type"),
    ("Generic.Inserted", "string"),
    ("Generic.Deleted", "number"),
    ("Generic.Heading", "heading"),
    ("Generic.Subheading", "heading"),
)


def highlight(code: str, language: str, palette: Palette, base: Style) -> list[Run]:
    """Return code that is fit to be shown, in colours if its language is known."""
    words = _LANGUAGE.match(language)
    lexer = _lexer(words[0].lower()) if words else None
    if lexer is None or max(map(len, code.split("\n"))) > _LONGEST_LINE:
        return [(code, base)]
    try:
        tokens = [(_class(str(kind)), text) for kind, text in lexer.get_tokens(code)]
    except (ValueError, RecursionError, KeyError, IndexError, TypeError):
        return [(code, base)]
    if "".join(text for _, text in tokens) != code:
        return [(code, base)]
    return [(text, base + palette[name] if name else base) for name, text in tokens]


@lru_cache(maxsize=256)
def _lexer(language: str) -> Any | None:
    # Pygments has no types.
    lexers = import_module("pygments.lexers")
    try:
        return lexers.get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ValueError:
        return None


@lru_cache(maxsize=512)
def _class(kind: str) -> str:
    kind = kind.removeprefix("Token.")
    for prefix, name in _CLASSES:
        if kind == prefix or kind.startswith(f"{prefix}."):
            return name
    return ""
