"""What a page says, and that nothing in it can do anything but be read."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from convotui.storage.records import UNKNOWN_TIME, Block, ReplyFacts
from convotui.text import visible

from .pages import Page
from .samples import PNG, every_kind_of_block, message

ATTRIBUTES = {
    "alt", "charset", "class", "content", "dir", "href", "http-equiv", "id", "lang",
    "name", "open", "rel", "src", "start", "style", "title",
}  # fmt: skip
HOSTILE = [
    "<script>alert(1)</script>",
    "</style></main><img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "' onmouseover='alert(1)",
    "<!-- ",
    "]]>",
    "![x](https://evil.example/x.png)",
    "![x](data:image/png;base64,AAAA)",
    "[x](javascript:alert(1))",
    "[x](data:text/html,<script>)",
    "[x](file:///etc/passwd)",
    "[x](//evil.example)",
    "[x](../up)",
    '[x](https://a.example "\\" onclick=\\"x")',
    "<javascript:alert(1)>",
    "```\" onclick=alert(1)\nx\n```",
    "|a|\n|:-|\n|<b>|",
    "&lt;script&gt; &#60;b&#62; &#x202e; &#27;",
    "\x1b]0;x\x07\u202e\x9b\x00\ud800",
    "[" * 20_000,
    "> " * 200 + "deep",
]  # fmt: skip


def hostile_message(text: str) -> list[Block | str]:
    return [
        text,
        Block(text, type="thinking"),
        Block(json.dumps({"name": text, "parameters": {text: text}}), type="tool_call"),
        Block(text, type="tool_call", id=text),
        Block(text, type=text, mime_type=text),
        Block(text, modality=1, mime_type=text),
        Block(text, modality=1, mime_type="image/png"),
        Block(
            PNG, "content", 1, "image/png", text, json.dumps({"filename": text})
        ),
    ]  # fmt: skip


def assert_harmless(page: Page) -> None:
    assert visible(page.source) == page.source
    assert page.source.encode()
    assert {name for _, name, _ in page.attributes} <= ATTRIBUTES
    assert not {"script", "iframe", "object", "svg", "form", "link", "base"} & set(
        page.tags
    )
    for value in page.values("src"):
        assert re.fullmatch(r"data:image/png;base64,[A-Za-z0-9+/=]*", value)
    for value in page.values("href"):
        assert value.startswith(("#m-", "http://", "https://", "mailto:"))
    for value in page.values("style"):
        assert value in ("text-align:left", "text-align:center", "text-align:right")


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_only_text(text: str) -> None:
    blocks = hostile_message(text)
    page = Page(
        [
            message("a", None, *blocks, title=text, role="assistant"),
            message(
                text or "b",
                "a",
                *blocks,
                role=text,
                facts=ReplyFacts(model=text, state="failed", error=text),
            ),
            message("c", "a", *blocks, role="tool_result", title=text),
        ],
        title=text,
    )

    assert_harmless(page)
    assert page.tags["article"] == 3


@settings(deadline=None)
@given(st.text(st.sampled_from("<>\"'&;#/!-[]()`*_|~:\\ \nahrefscipt=")))
def test_no_mixture_of_marks_becomes_markup(text: str) -> None:
    page = Page([message("a", None, *hostile_message(text), title=text)], title=text)

    assert_harmless(page)
    assert page.tags["article"] == 1


def test_the_page_forbids_all_but_its_style_and_its_images() -> None:
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    page = Page([])
    assert ("meta", "content", policy) in page.attributes
    assert "Content-Security-Policy" in page.values("http-equiv")


def test_only_links_to_the_web_and_to_mailboxes_are_links() -> None:
    text = "[a](https://a.example) <mailto:b@c.example> [d](ftp://e.example)"
    page = Page([message("m", None, text)])

    assert page.values("href") == ["#m-m", "https://a.example", "mailto:b@c.example"]
    assert page.values("rel") == ["noopener noreferrer"] * 2
    assert "[d](ftp://e.example)" in "".join(page.text)


def test_every_kind_of_block_is_shown() -> None:
    page = Page(every_kind_of_block())
    text = "".join(page.text)

    assert page.values("src") == [f"data:image/png;base64,{PNG}"]
    for shown in (
        "First *picture*",
        "[application/pdf, 5 bytes, a_b.pdf]",
        "Let me look.",
        "Thinking (redacted)",
        "Thinking (encrypted)",
        '"at": "<dot>"',
        "not ```` JSON",
        '"tokens": 7',
        "gpt-5",
        "failed: Cut *off*.",
        "timed out",
        "2026-02-14 10:31",
    ):
        assert shown in text
    assert "opaque" not in text
    assert page.source.count("<em>look</em>") == 1


def test_a_result_names_the_tool_of_the_nearest_reply_above() -> None:
    def call(tool: str) -> Block:
        return Block(json.dumps({"name": tool}), type="tool_call", id="call_1")

    page = Page(
        [
            message("a", None, call("far"), role="assistant"),
            message("b", "a", call("near"), role="assistant"),
            message("c", "b", Block("x", id="other"), role="tool_result"),
            message("d", "c", Block("y", id="call_1"), role="tool_result"),
        ]
    )
    assert "<b>Result of</b> <code>near</code>" in page.source
    assert "<b>Result of</b> <code>other</code>" in page.source


@pytest.mark.parametrize(
    ("content", "mime_type"),
    [("AAA", "image/png"), ("", "image/png"), ('A"AA', "image/png"), ("é", "image/gif"),
     (PNG, "image/svg+xml"), (PNG, "text/html"), (PNG, "image/png;x")],
)  # fmt: skip
def test_what_is_no_image_is_only_named(content: str, mime_type: str) -> None:
    page = Page([message("a", None, Block(content, modality=1, mime_type=mime_type))])

    assert page.tags["img"] == 0
    assert f"[{mime_type}, " in "".join(page.text)


@pytest.mark.parametrize("text", ["> " * 100 + "deep", "- " * 100 + "deep"])
def test_what_is_nested_too_deep_for_markdown_is_not_lost(text: str) -> None:
    page = Page([message("a", None, text)])
    assert text in page.text


def test_a_very_long_text_is_shown_as_it_is() -> None:
    page = Page([message("a", None, "*a* " * 100_000)])
    assert page.tags["em"] == 0
    assert "*a* " * 100_000 in page.text


def test_a_page_of_nothing_is_a_page() -> None:
    page = Page([], title="None & <none>")
    assert page.text.count("None & <none>") == 2
    assert "0 messages" in page.text


def test_the_head_tells_when_the_first_and_the_last_message_were_written() -> None:
    page = Page([message("a"), message("b", "a", created_at=UNKNOWN_TIME)])
    assert "2 messages · 2026-02-14 10:31" in page.text
    assert "time unknown" in page.text
