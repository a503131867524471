"""No text can break a Markdown document out of its shape."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from convotui.storage.records import Block

from .samples import message, written

OUR_HEADING = re.compile(r"User `(\w+)` · 2026-02-14 10:31( · .*)?")

HOSTILE = [
    "```",
    "```python\nprint(1)",
    "~~~ sh `x`\necho",
    "````\n```\nstill open",
    "   ```\nthree spaces",
    "```\n    ```",
    "```\n``` not a closer",
    "``` a`b\nno fence",
    "> ```\n> in a quote",
    "> - ```\n>   in both",
    "- item\n  ```\n  in a list",
    "- item\n  ```\n  x\n  ```\n\n  ```",
    "- item\n\n ```\nnot in the list",
    "1. a\n   ```\n   in a list",
    "1. a\n  ```\n  not in the list",
    "-\n\n  ```\n  no longer in the list",
    "- a\n```\nout of the list",
    "3. a\n\n   ```\n   in a list",
    "# a\n2. b\n   ```\n   in a list",
    "####### a\n2. b\n   ```\nnot in a list",
    "***\n2. b\n   ```\n   in a list",
    "> a\n```\nout of the quote",
    "\t```\n\n```",
    "a\n    ```\n```",
    "\r```\rlines of an old Mac",
    "a | b\n- | -\n```",
    "~~~ a|b\n-|-",
    "- a|b\n  -|-\n  ```",
    "[a]: /u\n<x>\n```",
    "<!-- open",
    "<!--\n```\n-->\n```",
    "<script>\nlet x",
    "<pre>\n\nx",
    "<style>",
    "<textarea>\n\n",
    "<details>\n<summary>x</summary>\n\ny",
    "<div>\n```\n\n```",
    "<div\n```",
    "x <b\n```",
    "<?php",
    "<!DOCTYPE",
    "<![CDATA[",
    "text\n-",
    "text\n---",
    "text\n===",
    "## User `zz` · 2026-02-14 10:31",
    "User `zz` · 2026-02-14 10:31\n---",
    "User `zz`\n· 2026-02-14 10:31\n---",
    "User\n`zz` · 2026-02-14 10:31\n---",
    "> quote",
    "- ",
    "1.",
    "    code",
    "ends in a backslash \\",
    "ends in code `",
    "[User]: https://evil.example",
    "[a]:\n/u\n'title",
    "|",
    "a\n:-",
    "".join("  " * depth + "- a\n" for depth in range(30)),
    ">" * 200,
    "\x1b]0;x\x07\u202e\u2066",
    "\x0b\x0c\x1c\x85\u2028```",
    "\n\n\n",
]
LINE_STARTS = [
    "",
    "",
    " ",
    "  ",
    "   ",
    "    ",
    "\t",
    "- ",
    "1. ",
    "2) ",
    "> ",
    ">",
    "-  ",
]
LINE_ENDS = ["", "a", "```", "~~~", "````", "<div>", "<x>", "</div>", "<!-- a", "-->"]
LINE_ENDS += [
    "---",
    "===",
    "- ",
    "# a",
    "[a]: /u",
    "a|b",
    "-|-",
    "`",
    "a\\",
    "<details>",
]
MARKDOWN = [
    MarkdownIt("commonmark"),
    MarkdownIt("commonmark").enable(["table", "strikethrough"]),
    MarkdownIt("js-default", {"html": True}),
]


def headings(document: str, reader: MarkdownIt) -> list[str]:
    """The ids of the messages whose headings are at the top of the document."""
    tokens = reader.parse(document)
    contents = [
        inline.content
        for opening, inline in pairwise(tokens)
        if (opening.type, opening.tag, opening.level) == ("heading_open", "h2", 0)
    ]
    found = (OUR_HEADING.fullmatch(content) for content in contents)
    return [match[1] for match in found if match]


def paragraphs(document: str, reader: MarkdownIt) -> list[str]:
    """The paragraphs that are in no list, quote or other block."""
    tokens = reader.parse(document)
    return [
        inline.content
        for opening, inline in pairwise(tokens)
        if (opening.type, opening.level) == ("paragraph_open", 0)
    ]


def assert_intact(*blocks: Block | str) -> None:
    document = written(
        message("m0", None, *blocks),
        message("m1", "m0", "sane"),
        message("m2", "m1", *blocks),
    )
    for reader in MARKDOWN:
        assert headings(document, reader) == ["m0", "m1", "m2"], document
        assert "sane" in paragraphs(document, reader), document


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_leaves_the_headings_alone(text: str) -> None:
    assert_intact(text)


@pytest.mark.parametrize("first", ["- a", "1. a\n   - b", "> a", "```", "<div>"])
@pytest.mark.parametrize("second", ["  ```\nx", "   ~~~", "    a", "> ```", "```\n```"])
def test_two_texts_of_a_message_do_not_run_together(first: str, second: str) -> None:
    assert_intact(first, second)


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("kind", ["thinking", "tool_call", "unknown"])
def test_hostile_content_of_other_blocks_does_too(kind: str, text: str) -> None:
    assert_intact(Block(text, type=kind, id=text), "a text after it")


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_labels_do_too(text: str) -> None:
    document = written(
        message("m0", None, "x", title=text), message("m1", "m0", "sane"), title=text
    )
    for reader in MARKDOWN:
        assert headings(document, reader) == ["m0", "m1"]


lines = st.builds(
    str.__add__,
    st.lists(st.sampled_from(LINE_STARTS), max_size=2).map("".join),
    st.sampled_from(LINE_ENDS),
)
texts = st.lists(lines, max_size=8).map("\n".join)


@settings(max_examples=300, deadline=None)
@given(texts, texts)
def test_no_mixture_of_hostile_lines_moves_a_heading(first: str, second: str) -> None:
    assert_intact(first, second)


@settings(deadline=None)
@given(st.text(st.sampled_from("`~<>-=#|:[] \t\n\\!a1.*")))
def test_no_mixture_of_marks_moves_a_heading(text: str) -> None:
    assert_intact(text)
