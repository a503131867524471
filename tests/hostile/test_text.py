"""No text crashes the screen, steers the terminal, runs anything or is hidden."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
import time
import unicodedata
from pathlib import Path

import pytest
from rich.segment import Segment
from rich.style import Style
from textual.color import Color

from convotui.llm import Endpoint
from convotui.settings import NamedModel, Settings
from convotui.storage import Block, Draft, MessageId, Store
from convotui.text import visible, width_of
from convotui.ui.guard import TextGuard
from tests.llm.server import OpenAIServer, failure
from tests.ui.browsing import FORKED, PATIENCE, Browser, browse, plant
from tests.ui.terminal import Terminal
from tests.ui.thread.helpers import lines, message, reply, shown, text

from .screen_faults import show_all, stream_all
from .strings import PROBE, STEERING, STRINGS, odd_characters, of_kind, storable

BODIES = ("content", "thinking", "tool_call", "other")
CONTROLS = of_kind("escape", "escape_split", "c0", "c1", "fuzz")


def unsafe(drawn: list[str]) -> list[str]:
    return [line for line in drawn if STEERING.search(line)]


async def test_01_every_text_is_shown_as_every_kind_of_block() -> None:
    async with shown(size=(60, 40)) as (_, view, _):
        for string in (*STRINGS.values(), *odd_characters()):
            blocks = [Block(string, type=kind) for kind in BODIES]
            view.show([message(string), reply(*blocks)])
            view.action_fold()
            assert unsafe(lines(view)) == []
            view.action_scroll_home()
            assert unsafe(lines(view)) == []


async def test_02_every_text_is_a_notice(store: Store) -> None:
    plant(store, FORKED)
    strings = [string[:2_000] for string in (*STRINGS.values(), *odd_characters())]
    async with browse(store) as browser:
        for start in range(0, len(strings), 30):
            browser.app.clear_notifications()
            for string in strings[start : start + 30]:
                browser.screen.tell(string, "error")
                for part in ("notice", "context", "hits", "file"):
                    setattr(browser.status, part, string)
                browser.prompt.address(string)
                browser.prompt.show_attached([string])
            await browser.pilot.pause()
        assert browser.app.is_running


def test_02_03_07_no_text_steers_the_terminal_or_runs_anything(tmp_path: Path) -> None:
    strings = [*of_kind("escape", "c1", "fuzz").values(), *odd_characters()[::20]]
    found = show_all(tmp_path, strings)

    assert found["strings rendered"] == len(strings)
    assert found["escape bytes out"] == found["actions fired"] == found["crashes"] == 0


def test_05_a_sequence_split_over_pieces_of_a_stream_is_none(tmp_path: Path) -> None:
    found = stream_all(tmp_path, list(CONTROLS.values()), 1)

    assert found["strings rendered"] == len(CONTROLS)
    assert found["escape bytes out"] == found["crashes"] == 0


async def test_05_a_sequence_split_at_every_character_is_none() -> None:
    async with shown(message("asked"), reply("")) as (_, view, _):
        for string in of_kind("escape", "c1", "escape_split").values():
            for at in range(1, min(len(string), 60)):
                for part in (string[:at], string):
                    view.set_tail(reply(part))
                    assert unsafe(lines(view)) == []


def test_03_nothing_that_could_steer_gets_past_the_last_guard() -> None:
    guard, black = TextGuard(), Color(0, 0, 0)
    for string in (*STRINGS.values(), *odd_characters(), "a\tb\nc"):
        before = Segment(string, Style(link="https://x.example/\x1b]0;x\x07"))
        (after,) = guard.apply([before], black)
        assert not STEERING.search(after.text)
        assert after.cell_length == before.cell_length
        assert after.style is not None
        assert after.style.link is None


def test_03_every_character_that_is_not_for_a_reader_is_marked() -> None:
    # These are drawn, and belong to the text of their scripts.
    drawn = {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD}
    for code in range(0x110000):
        character = chr(code)
        shown_as = visible(f"x{character}")[1:]
        is_odd = unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp")
        if STEERING.match(character) or (is_odd and code not in drawn):
            assert (character in "\t\n") == (shown_as == character), hex(code)


@pytest.mark.parametrize(
    "text",
    [
        "می‌خواهم",
        "क्‍ष",
        "👨‍👩‍👧",
        "❤️",
        "👍🏽",
        "1️⃣",
        "🇩🇪",
        "ᠠ᠋",
        "naïve 日本語",
        "e\u0301",
        "\ue0b0",
    ],
)
def test_03_what_is_for_a_reader_stays(text: str) -> None:
    assert visible(text) == text


@pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not here")
def test_04_in_tmux_neither_the_title_nor_the_clipboard_changes(
    tmp_path: Path,
) -> None:
    strings = of_kind("escape", "c1", "escape_split").values()
    with Store(tmp_path / ".cpeconvo") as store:
        for string in strings:
            store.save([Draft("user", [Block(f"{string[:500]}{PROBE}")])])
        store.save([Draft("user", [Block("the last one")])])

    def tmux(*arguments: str) -> str:
        run = subprocess.run(
            ["tmux", "-S", str(tmp_path / "tmux"), "-f", "/dev/null", *arguments],
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
            env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "LANG": "C.UTF-8"},
            timeout=PATIENCE,
        )
        return run.stdout

    def wait_for(words: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while words not in tmux("capture-pane", "-p"):
            assert time.monotonic() < deadline, tmux("capture-pane", "-p")

    tmux("new-session", "-d", "-x", "120", "-y", "30", "/bin/sh")
    try:
        tmux("set-option", "-g", "set-clipboard", "on")
        tmux("select-pane", "-T", "untouched")
        tmux("send-keys", f"{sys.executable} -m convotui", "Enter")
        wait_for("f Fork")
        tmux("send-keys", "g")
        wait_for(" 1/")
        for number in range(len(strings)):
            tmux("send-keys", "j")
            wait_for(f" {number + 2}/")
        wait_for("the last one")
        assert tmux("display-message", "-p", "#{pane_title}").strip() == "untouched"
        assert tmux("show-buffer") == ""
    finally:
        tmux("kill-server")


async def see(browser: Browser, words: str) -> None:
    async with asyncio.timeout(PATIENCE):
        while not any(words in line for line in browser.thread_lines()):
            await browser.pilot.pause(0.02)


async def test_06_what_a_server_says_is_told_to_the_letter(store: Store) -> None:
    plant(store, FORKED)
    with OpenAIServer() as server:
        endpoint = Endpoint("openai/[/foo]\x1b[31m", api_base=server.base_url)
        settings = Settings(model="x", models={"x": NamedModel(endpoint)})
        server.script(failure(400, "[/bad] \x1b]0;x\x07 [@click=app.quit]here[/]"))
        async with browse(store, settings=settings) as browser:
            browser.prompt.focus()
            await browser.type("Go")
            await browser.press("enter")
            await see(browser, "[/bad]")
            await see(browser, "[@click=app.quit]here")
            assert unsafe(browser.thread_lines() + browser.tree_lines()) == []


async def test_08_brackets_are_shown_as_they_are(store: Store) -> None:
    strings = [string[:40] for string in of_kind("markup").values()]
    for string in strings:
        store.save([Draft("user", [Block(string)])])
    async with browse(store, size=(240, len(strings) + 12)) as browser:
        rows = [" ".join(line.split()) for line in browser.tree_lines()]
        for string in strings:
            words = " ".join(visible(string).split())[:30]
            assert any(words in row for row in rows), string


HIDDEN = (
    "<thinking>plan {}</thinking>",
    "before <!-- {} --> after",
    "<!--\n{}\n-->",
    "Vec<{}>",
    '<tool name="{}">',
    "<script>{}</script>",
    "<style>{}</style>",
    "<details><summary>{}</summary></details>",
    "<![CDATA[ {} ]]>",
    "<?php {} ?>",
    "<!DOCTYPE {}>",
    "> " * 25 + "{}",
    "".join("  " * depth + "- x\n" for depth in range(30)) + "  " * 30 + "{}",
    "![{}](https://a.example/x.png)",
    "| a |\n|---|\n| {} |",
    "###### {}",
    "~~{}~~",
    "---\nkey: {}\n---\n",
    "[//]: # ({})",
    "[{}]: https://a.example/",
    "<{}@b.example>",
    "<https://a.example/{}>",
    "[x](https://a.example/{})",
    "\\{}",
)


async def test_09_no_word_is_hidden() -> None:
    messages = [
        message(form.replace("{}", f"word{number}"), id=f"m{number:05}")
        for number, form in enumerate(HIDDEN)
    ]
    async with shown(*messages, size=(100, 400)) as (_, view, _):
        drawn = text(view)
        for number, form in enumerate(HIDDEN):
            assert f"word{number}" in drawn, form


FAMILIES = (
    "👨‍👩‍👧 x",
    "❤️ x",
    "🇩🇪 x",
    "👍🏽 x",
    "1️⃣ x",
    "🏳️‍🌈 x",
    "日本語 x",
    "e\u0301 x",
)


def is_drawn_here(string: str) -> bool:
    """Whether the terminal of these tests draws what follows each of the marks."""
    (segment,) = TextGuard().apply([Segment(visible(string))], Color(0, 0, 0))
    return all(width_of(it) or unicodedata.combining(it) for it in segment.text)


def test_11_columns_stand_where_they_stood(tmp_path: Path) -> None:
    texts = [string[:60] for string in of_kind("unicode").values()]
    texts = [*filter(is_drawn_here, texts), *FAMILIES]
    with Store(tmp_path / ".cpeconvo") as store:
        for string in texts:
            store.save([Draft("user", [Block(string)])])
    with Terminal(cwd=tmp_path, size=(80, 3 * len(texts))) as terminal:
        deadline = time.monotonic() + PATIENCE
        ends: list[str] = []
        while len(ends) < len(texts):
            assert time.monotonic() < deadline, terminal.lines
            terminal.read()
            ends = [it for it in terminal.lines if it.rstrip().endswith("now")]
    assert len(texts) > 20
    assert [it for it in ends if width_of(it.rstrip()) != 80] == []


def test_11_what_is_invisible_is_marked_and_kept_in_the_store(store: Store) -> None:
    string = "a\u202eb\u2066c\U000e0041d\u200be\u200df"
    (kept,) = store.save([Draft("user", [Block(string)])])

    assert store.get([kept])[0].text == string
    assert visible(string) == "a�b�c�d�e�f"


async def test_12_what_is_copied_can_be_pasted_anywhere(store: Store) -> None:
    plant(store, FORKED)
    async with browse(store) as browser:
        for string in (*STRINGS.values(), *odd_characters()):
            browser.app.copy_to_clipboard(string)
            copied = browser.app.clipboard
            assert "\r" not in copied
            assert not STEERING.search(copied.replace("\n", "").replace("\t", ""))


@pytest.mark.parametrize("name", ["pi_paste_newline", "pi_copy_trap", "esc_ris"])
async def test_12_y_copies_a_command_that_does_not_run_by_itself(
    store: Store, name: str
) -> None:
    store.save([Draft("user", [Block(STRINGS[name])])])
    async with browse(store) as browser:
        await browser.press("y")
        await browser.until(lambda: len(browser.app.screen_stack) == 2)
        await browser.press("enter")
        await browser.until(lambda: browser.app.clipboard != "")
        assert not browser.app.clipboard.endswith("\n")
        assert "\x1b" not in browser.app.clipboard


async def test_16_a_search_is_for_what_is_typed(store: Store) -> None:
    queries = [*of_kind("query").values(), "100%", "a_b", '"', "(.*)+$", "%" * 5_000]
    for query in queries:
        store.save([Draft("user", [Block(f"begin {query} end")])])
    for query in queries:
        found = store.search(query)
        assert any(query in hit.before + hit.match + hit.after for hit in found), query
    async with browse(store) as browser:
        for query in ("%" * 5_000, "(.*)+$", '"', "\x1b[31m[/x]"):
            browser.screen.action_search(query)
            await browser.settle()
            await browser.press("escape")


async def test_17_what_follows_a_nul_is_found_and_shown(store: Store) -> None:
    store.save([Draft("user", [Block("before\x00after")])])
    assert len(store.search("after")) == 1
    async with browse(store) as browser:
        assert any("before␀after" in line for line in browser.thread_lines())


def test_18_every_text_comes_back_from_an_export(tmp_path: Path) -> None:
    theirs, ours = tmp_path / "a" / ".cpeconvo", tmp_path / "b" / ".cpeconvo"
    for path in (theirs, ours):
        path.parent.mkdir()
    strings = [*STRINGS.values(), *odd_characters()]
    with Store(theirs) as store:
        parent: MessageId | None = None
        for string in strings:
            (parent,) = store.save([Draft("user", [Block(string)], parent=parent)])
        assert parent is not None
        before = [it.text for it in store.thread(parent)]

    def convotui(directory: Path, *arguments: str) -> None:
        done = subprocess.run(
            [sys.executable, "-m", "convotui", *arguments],
            cwd=directory,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr

    convotui(theirs.parent, "export", "-o", str(tmp_path / "all.json"), "--", parent)
    convotui(ours.parent, "import", str(tmp_path / "all.json"))

    with Store(ours) as store:
        after = store.thread(store.list_rows()[0].id)
    assert [it.text for it in after] == before
    assert before == [storable(string) for string in strings]
