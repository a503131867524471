"""No text can crash the screen, steer the terminal or run anything."""

from __future__ import annotations

import re

import pytest

from convotui.storage.records import Block, ReplyFacts
from convotui.ui.thread import ThreadView
from tests.ui.thread.helpers import lines, message, reply, shown, text

UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)

STRINGS = {
    "title": "\x1b]0;owned\x07",
    "clipboard": "\x1b]52;c;cm0gLXJmIH4K\x1b\\",
    "clear": "\x1b[2J\x1b[Hfake",
    "reset": "\x1bc",
    "hyperlink": "\x1b]8;;file:///etc/passwd\x1b\\x\x1b]8;;\x1b\\",
    "sixel": "\x1bPq#0~~@@\x1b\\",
    "repeat": "x\x1b[2147483647b",
    "c1": "\x9b2J\x9d0;owned\x9c\x90q\x9c",
    "all controls": "".join(map(chr, range(32))) + "".join(map(chr, range(127, 160))),
    "nul": "a\x00b",
    "carriage": "good\rbad",
    "backspace": "good\x08\x08\x08\x08bad",
    "shift out": "\x0eqqq\x0f",
    "entity": "&#27;[2J &#x9b;2J &#x202e;x &#0; &#10;&#13;",
    "direction": "a\u202eb\u2066c\u2069\u200f\u061cd",
    "zero width": "a\u200bb\u2060c\ufeffd",
    "tags": "a\U000e0061\U000e0062\U000e007f",
    "separators": "a\u2028b\u2029c\x85d\x0bd\x0ce",
    "surrogates": "a\ud800b\udfff",
    "close tag": "[/foo] [/] [/",
    "click": "[@click=app.hit]press[/] [@click=app.hit()]here[/]",
    "click link": "[press](app.hit) [x](action:app.hit) <app.hit>",
    "colour": "[red]x[/red] [on red]y[/] [bold]z[/italic]",
    "rich link": "[link=https://a]b[/link]",
    "variables": "$primary {x} %s {{}} ${y}",
    "emoji name": ":smile: :skull:",
    "html": "<script>app.hit()</script><img src=x onerror=y><!-- z -->",
    "thinking": '<thinking>\nplan\n</thinking>\n<tool name="x">',
    "cdata": "<![CDATA[x]]> <?php y ?> <!DOCTYPE z>",
    "open fence": "```python\nwhile True:\n",
    "odd fence": "````\n```\n~~~\n````\n~~~~",
    "fence language": "```\x1b[2J[/foo] <b>\nx\n```\n\n```" + "y" * 500 + "\nz\n```",
    "deep quote": ">" * 5_000 + " deep",
    "deep list": "".join("  " * depth + "- x\n" for depth in range(200)),
    "deep mix": "> - " * 300 + "x",
    "deep emphasis": "*a **b " * 1_000,
    "brackets": "[" * 15_000 + "]" * 15_000,
    "images": "![" * 5_000 + "](x)" * 1_000,
    "backticks": "".join("`" * count + " " for count in range(1, 150)),
    "links": "[a](<" * 2_000,
    "many items": "- item\n" * 5_000,
    "many numbers": "999999999. x\n\n" * 300,
    "many lines of code": "```python\n" + "x = '''\n" * 10_000 + "```",
    "many fences": "```py\nx\n```\n" * 1_000,
    "many rows": "| a | b |\n|---|---|\n" + "| x | y |\n" * 1_000,
    "many columns": f"|{'a|' * 300}\n|{'-|' * 300}\n|{'b|' * 300}",
    "ragged table": "| a | b |\n|---|---|\n| 1 |\n| 1 | 2 | 3 |",
    "many paragraphs": "words\n\n" * 10_000,
    "one long line": "x" * 1_000_000,
    "one long line of code": "```json\n" + "[1," * 300_000 + "\n```",
    "long wide line": "漢" * 100_000,
    "many newlines": "\n" * 300_000,
    "spaces": " " * 100_000 + "x",
    "zalgo": "z" + "\u0301" * 50_000,
    "joiners": "\u200d" * 5_000 + "👩‍👩‍👧‍👦" * 500,
    "selectors": "\ufe0f" * 1_000 + "❤️" * 100,
    "wide edge": "字" * 79 + " " + "字" * 200,
    "tabs": "\t" * 200 + "x\ty",
    "json bomb": "[" * 50_000,
    "numbers": '{"a": 1e999999, "b": NaN, "a": 2}',
}

everywhere = pytest.mark.parametrize("name", STRINGS)


def check(view: ThreadView) -> None:
    for y in range(view.size.height):
        strip = view.render_line(y)
        assert strip.cell_length == view.size.width
        for segment in strip:
            assert not UNSAFE.search(segment.text)
            assert segment.style is not None
            assert not segment.style.link
            assert (
                not {"@click", "@mouse.down", "@mouse.up"} & segment.style.meta.keys()
            )


@everywhere
async def test_text_everywhere_it_can_stand(name: str) -> None:
    string = STRINGS[name]
    short = string[:2_000]
    asked = message(string, title=short)
    blocks = [
        Block(string),
        Block(string, type="thinking", extra_fields=short),
        Block(string, type="tool_call"),
        Block(string, type=short),
        Block(string, modality=1, mime_type=short, extra_fields=short),
    ]
    answered = message(
        *blocks, role="assistant", id="bbbbbb", facts=ReplyFacts(model=short)
    )
    result = message(string, role="tool_result", id="cccccc")
    other = message(string, role=short, id="d" + short)
    async with shown(asked, answered, result, other, size=(60, 30)) as (_, view, pilot):
        check(view)
        for key in ("enter", "K", "enter", "K", "enter", "g", "G"):
            await pilot.press(key)
            check(view)


@pytest.mark.parametrize("name", ["click", "click link", "html"])
async def test_a_click_runs_nothing(name: str) -> None:
    async with shown(reply(STRINGS[name])) as (host, view, pilot):
        for y, line in enumerate(lines(view)):
            for x in range(0, len(line), 3):
                await pilot.click(view, offset=(x, y))
        assert not host.was_hit
        assert not any(isinstance(m, ThreadView.LinkClicked) for m in host.posted)


@pytest.mark.parametrize(
    "name",
    [
        *("one long line", "many items", "many rows", "many paragraphs"),
        *("many fences", "long wide line", "one long line of code"),
    ],
)
async def test_what_is_too_much_is_shown_as_plain_text_and_says_so(name: str) -> None:
    async with shown(message("x"), reply(STRINGS[name])) as (_, view, _):
        assert lines(view)[1].startswith("▎ shown as plain text: ")


async def test_the_end_of_a_huge_message_can_be_read() -> None:
    huge = reply("word " * 400_000 + "the very end")
    async with shown(message("x"), huge) as (_, view, pilot):
        await pilot.press("G")
        assert lines(view)[-1].endswith("the very end")
        await pilot.press("pageup", "pageup", "g")
        assert "aaaaaa" in lines(view)[0]


@pytest.mark.parametrize(
    "name", ["html", "thinking", "cdata", "variables", "emoji name", "colour", "click"]
)
async def test_nothing_is_hidden(name: str) -> None:
    async with shown(reply(STRINGS[name])) as (_, view, _):
        for word in STRINGS[name].split():
            assert word in text(view)


@pytest.mark.parametrize("depth", [10, 25, 100])
async def test_deep_quotes_still_show_their_words(depth: int) -> None:
    async with shown(reply("> " * depth + "found")) as (_, view, _):
        assert "found" in text(view)
