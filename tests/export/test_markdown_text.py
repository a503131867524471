"""Markdown stays as it was written, unless it would reach past its message."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from .samples import message, written

ORDINARY = [
    "Plain text.",
    "# A heading\n\n## Another with `code`\n\n- a\n- b\n  - c\n\n1. x\n2. y",
    "```python\nif a < b:\n    print('<div>')\n```",
    "- a step:\n\n  ```sh\n  make\n  ```\n\n- and the next",
    "1. First:\n   ~~~\n   x\n   ~~~\n2. Second",
    "> a quote\n> ```\n> code\n> ```",
    "| a | b |\n|---|---|\n| `x` | y |\n\nAfter the table.",
    "Use `<div>` and `<!--` with [a link](https://example.org).",
    "See <https://example.org> and 1 < 2 and a<b.",
    "<details>\n<summary>More</summary>\n\nSome `code` and **text**.\n\n</details>",
    "Press <kbd>Ctrl</kbd>+<kbd>C</kbd><br>now.",
    "- [ ] to do\n- [x] done",
    "[docs]: https://example.org\n\nSee [docs].",
    "Hard  \nbreaks\\\nstay, and so does\r\nwhat Windows writes.",
    "    indented code\n\nafter it",
]
TAGS = [
    "<details>",
    "</details>",
    "<div hidden>",
    '<a title="',
    "<!--",
    "-->",
    "<title>",
]
TAGS += [
    "<textarea>",
    "</textarea>",
    "<script>",
    "<svg>",
    "<table>",
    "<x hidden>",
    "<i>",
]
TAGS += ["</i>", "<plaintext>", "`", "``", "\\", "\n", "\n\n", "    ", "- ", "> ", "a"]
TAGS += ["[a](b`c) ", "|", "<p", ">", "```\n", "<!-- a --> ", "<https:/hidden> ", "'"]


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_markdown_is_left_alone(text: str) -> None:
    assert f"10:31\n\n{text}\n" in written(message("a", None, text))


@pytest.mark.parametrize(
    ("text", "closed"),
    [
        ("```py\nx", "```py\nx\n```\n"),
        ("~~~~\nx\n\n", "~~~~\nx\n~~~~\n"),
        ("- a\n\n```\nx", "- a\n\n```\nx\n```\n"),
        ("- a\n  ```\n  x", "- a\n  ```\n  x\n"),
    ],
)
def test_code_left_open_is_closed(text: str, closed: str) -> None:
    assert written(message("a", None, text)).endswith(f"\n\n{closed}")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<details>\nx", "\\<details>\nx\n"),
        ("<!-- b", "\\<!-- b\n"),
        ("<div></div>\n<title>", "\\<div>\\</div>\n\\<title>\n"),
        ("\\<b> \\\\<b>", "\\<b> \\\\\\<b>\n"),
        ("`<b>` and <b>", "`<b>` and \\<b>\n"),
        ("<b>\n```\n<b>\n```", "\\<b>\n```\n<b>\n```\n"),
    ],
)
def test_html_left_open_is_shown_as_text(text: str, shown: str) -> None:
    assert written(message("a", None, text)).endswith(f"\n\n{shown}")


def test_what_could_pass_for_a_heading_of_ours_is_quoted() -> None:
    forged = "Hi\n\n## User `zz` · 2026-02-14 10:31\n\nYes"
    assert "> ## User `zz` · 2026-02-14 10:31\n>\n> Yes\n" in written(
        message("a", None, forged)
    )


class Reader(HTMLParser):
    """Remembers which elements were open at each heading of the second level."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.around_headings: list[list[str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "h2":
            self.around_headings.append(list(self.open))
        if tag not in ("br", "hr", "p"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self.open:
            while self.open.pop() != tag:
                pass


@settings(max_examples=300, deadline=None)
@example("<!-- a --> \\--><p")
@given(st.lists(st.sampled_from(TAGS), max_size=9).map("".join))
def test_no_html_is_open_when_the_next_message_begins(text: str) -> None:
    document = written(message("m0", None, text), message("m1", "m0", "sane"))
    for reader in (MarkdownIt("commonmark"), MarkdownIt("commonmark").enable("table")):
        page = Reader()
        page.feed(reader.render(document))
        assert page.around_headings[-1] == [], document
        assert len(page.around_headings) >= 2
