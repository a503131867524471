"""What was said is shown as Markdown."""

from __future__ import annotations

import pytest

from convotui.ui.thread import ThreadView
from tests.ui.thread.helpers import lines, message, reply, shown, text, where


def body(view: ThreadView) -> list[str]:
    """What is below the header, without the bar."""
    return "\n".join(line[2:] for line in lines(view)[1:]).rstrip().split("\n")


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("# One\n\n## Two\ntext", ["One", "", "Two", "", "text"]),
        ("a\nb", ["a", "b"]),
        ("**b** *i* ~~s~~ `c`", ["b i s c"]),
        ("- a\n- b\n  - c", ["• a", "• b", "  ◦ c"]),
        ("- a\n\n- b", ["• a", "", "• b"]),
        ("3. a\n4. b", ["3. a", "4. b"]),
        ("- [ ] a\n- [x] b", ["• [ ] a", "• [x] b"]),
        ("> a\n> b\n>\n> c", ["▏ a", "▏ b", "▏", "▏ c"]),
        ("a\n\n***\n\nb", ["a", "", "─" * 37, "", "b"]),
        ("```\nx  =  1\n```", ["  x  =  1"]),
        ("a\n```sh\nls\n```\nb", ["a", "", f"{'sh':>36}", "  ls", "", "b"]),
        ("    indented", ["  indented"]),
        ("1. a\n\n   ```\n   x\n   ```", ["1. a", "", "     x"]),
        ("<b>x</b> <!-- y -->", ["<b>x</b> <!-- y -->"]),
        ("<thinking>\nx\n</thinking>", ["<thinking>", "x", "</thinking>"]),
        ("Vec<T> & list[int]", ["Vec<T> & list[int]"]),
        ("[a]: http://u\n\n[b][a]", ["[a]: http://u", "", "[b][a]"]),
        ("&lt;b&gt; &#27;[2J", ["<b> �[2J"]),
        (":smile: x[0] [/foo]", [":smile: x[0] [/foo]"]),
        ("a\tb", ["a   b"]),
        ("a\r\nb", ["a", "b"]),
        ("```\nnever closed", ["  never closed"]),
        ("![cat](http://a/cat.png)", ["[cat] (http://a/cat.png)"]),
        ("main.py readme.md", ["main.py readme.md"]),
    ],
)
async def test_a_text(source: str, expected: list[str]) -> None:
    async with shown(reply(source), size=(41, 30)) as (_, view, _):
        assert body(view) == expected


async def test_a_table_in_columns() -> None:
    source = "| a | bb |\n|:--|---:|\n| 1 | 2 |\n| long | x |"
    async with shown(reply(source)) as (_, view, _):
        assert body(view) == ["a    │ bb", "─────┼───", "1    │  2", "long │  x"]


async def test_a_table_that_is_too_wide_is_wrapped() -> None:
    source = f"| a | b |\n|---|---|\n| {'one ' * 20} | {'two ' * 20} |"
    async with shown(reply(source), size=(41, 30)) as (_, view, _):
        assert all(len(line) <= 37 for line in body(view))
        assert text(view).count("one") == text(view).count("two") == 20


async def test_a_table_of_many_columns_is_shown_row_by_row() -> None:
    cells = [f"value{number}" for number in range(9)]
    heads = [f"head{number}" for number in range(9)]
    source = f"|{'|'.join(heads)}|\n|{'-|' * 9}\n|{'|'.join(cells)}|"
    async with shown(reply(source), size=(41, 30)) as (_, view, _):
        assert body(view)[:2] == ["head0: value0", "head1: value1"]


async def test_long_code_is_folded_and_no_space_is_lost() -> None:
    source = f"```\n{'x ' * 40}\n```"
    async with shown(reply(source), size=(41, 30)) as (_, view, _):
        assert "".join(line[2:] for line in body(view)).replace(" ", "") == "x" * 40


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("[docs](https://a.example/x)", "docs (https://a.example/x)"),
        ("<https://a.example/x>", "https://a.example/x"),
        ("https://a.example/x", "https://a.example/x"),
        ("[https://good.example](https://evil.example)", "(https://evil.example)"),
        (
            "[x](https://good.example@evil.example)",
            "(https://good.example@evil.example)",
        ),
        ("[mail](mailto:a@b.example)", "mail (mailto:a@b.example)"),
        ("[x](/etc/passwd)", "x (/etc/passwd)"),
        ("[x](javascript:alert(1))", "[x](javascript:alert(1))"),
    ],
)
async def test_a_link_shows_where_it_leads(source: str, expected: str) -> None:
    async with shown(reply(source)) as (_, view, _):
        assert expected in body(view)[0]


@pytest.mark.parametrize(
    ("source", "url"),
    [
        ("[docs](https://a.example/x)", "https://a.example/x"),
        ("docs: http://a.example", None),
        ("[docs](mailto:a@b.example)", "mailto:a@b.example"),
        ("[docs](--version)", None),
        ("[docs](/etc/passwd)", None),
        ("[docs](../../x)", None),
        ("[docs](smb://host/x)", None),
        ("[docs](ftp://host/x)", None),
        ("[docs](file:///etc/passwd)", None),
        ("[docs](javascript:alert)", None),
    ],
)
async def test_only_links_to_the_web_or_to_mail_are_handed_on(
    source: str, url: str | None
) -> None:
    async with shown(message("x"), reply(source)) as (host, view, pilot):
        await pilot.click(view, offset=where(view, "docs"))
        clicked = [m.url for m in host.posted if isinstance(m, ThreadView.LinkClicked)]
        assert clicked == ([url] if url else [])


async def test_wide_characters_do_not_move_what_is_beside_them() -> None:
    cells = ("日本語", "👩‍💻", "e\u0301e\u0301", "plain")
    rows = "\n".join(f"| {cell} | end |" for cell in cells)
    async with shown(reply(f"| a | b |\n|---|---|\n{rows}")) as (_, view, _):
        for y in range(view.size.height):
            strip = view.render_line(y)
            assert strip.cell_length == view.size.width
        assert text(view).count("│ end") == 4
