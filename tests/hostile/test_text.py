"""No text crashes the screen, steers the terminal, runs anything or is hidden."""

from __future__ import annotations

import asyncio
import re
import shutil
import subprocess
import sys
import time
import webbrowser
from pathlib import Path

import pytest
from rich.segment import Segment
from rich.style import Style
from textual.color import Color

from convotui.llm import Endpoint
from convotui.settings import NamedModel, Settings
from convotui.storage import Block, Draft, MessageId, ReplyFacts, Store
from convotui.storage.records import ChatMessage
from convotui.ui.guard import TextGuard
from tests.llm.server import OpenAIServer, failure, say
from tests.ui.browsing import FORKED, PATIENCE, Browser, browse, plant
from tests.ui.terminal import Terminal
from tests.ui.thread.helpers import lines, message, reply, shown, text

from .strings import PROBE, STEERING, STRINGS, of_kind, storable

BODIES = ("content", "thinking", "tool_call", "other")
CONTROLS = of_kind("escape", "escape_split", "c0", "c1", "fuzz")


def unsafe(drawn: list[str]) -> list[str]:
    return [line for line in drawn if STEERING.search(line)]


@pytest.mark.parametrize("kind", BODIES)
async def test_01_every_text_is_shown_as_every_kind_of_block(kind: str) -> None:
    async with shown(size=(60, 20)) as (_, view, pilot):
        for string in STRINGS.values():
            view.show([message("asked"), reply(Block(string, type=kind))])
            await pilot.pause()
            await pilot.press("G", "enter")
            assert unsafe(lines(view)) == []
            assert len(lines(view)) == 20


async def test_02_every_text_is_a_row_a_label_and_a_model(store: Store) -> None:
    for string in STRINGS.values():
        label = storable(string)[:2_000] or None
        facts = ReplyFacts(model=storable(string)[:2_000])
        store.save([Draft("assistant", [Block(string)], title=label, facts=facts)])
    async with browse(store, size=(160, 50)) as browser:
        await browser.press("g")
        seen = 0
        while seen < len(STRINGS):
            assert unsafe(browser.tree_lines()) == []
            await browser.press("ctrl+d")
            seen += browser.tree.size.height // 2
        await browser.press("apostrophe")
        await browser.until(lambda: len(browser.app.screen_stack) == 2)
        await browser.press("escape")


@pytest.mark.parametrize("where", ["tell", "notice", "context", "hits", "file"])
async def test_02_every_text_is_a_notice(store: Store, where: str) -> None:
    plant(store, FORKED)
    async with browse(store) as browser:
        for string in STRINGS.values():
            if where == "tell":
                browser.screen.tell(string[:2_000], "error")
            else:
                setattr(browser.status, where, string[:2_000])
            await browser.pilot.pause()
        assert browser.app.is_running


def test_03_nothing_that_could_steer_gets_past_the_last_guard() -> None:
    guard, black = TextGuard(), Color(0, 0, 0)
    for string in (*STRINGS.values(), "a\tb\nc"):
        before = Segment(string, Style(link="https://x.example/\x1b]0;x\x07"))
        (after,) = guard.apply([before], black)
        assert not STEERING.search(after.text)
        assert after.cell_length == before.cell_length
        assert after.style is not None
        assert after.style.link is None


def test_03_in_a_terminal_no_text_adds_a_byte_that_steers(tmp_path: Path) -> None:
    with Store(tmp_path / ".cpeconvo") as store:
        for number, string in enumerate(CONTROLS.values()):
            body = f"{PROBE}{string[:3_000]}"
            facts = ReplyFacts(model=f"m/{PROBE}", error=body[:500], state="failed")
            store.save(
                [
                    Draft(
                        "assistant",
                        [Block(body)],
                        title=f"{PROBE}{storable(string)[:200]}",
                        id=MessageId(f"s{number:05}"),
                        facts=facts,
                    )
                ]
            )
    with Terminal(cwd=tmp_path, size=(120, 30)) as terminal:
        for number in range(len(CONTROLS) - 1, -1, -1):
            # In the tree, above the thread and above the prompt.
            deadline = time.monotonic() + PATIENCE
            while " ".join(terminal.lines).count(f"s{number:05}") < 3:
                assert time.monotonic() < deadline, terminal.lines
                terminal.read()
            terminal.send("k")
        for key, shows in (("e", "enter Send"), ("\x1b", "f Fork"), ("L", "removes")):
            terminal.send(key)
            terminal.wait_for(shows)
        terminal.send("\x1b")
        terminal.wait_for("f Fork")
        terminal.send("q")
        assert terminal.wait_for_exit() == 0
    output = terminal.output.decode()
    # What Textual writes itself, when it starts, draws, and ends.
    own = re.compile(
        r"\x1b\[(?:\?[0-9]+(?:[hl]|\$p)|[0-9;]*m|[0-9]+;[0-9]+H|[<>][0-9]*u|H)"
        r"|\x1b\][0-9]*;[a-z]*\x1b\\"
    )
    assert "[997m" in output
    assert "\x1b[997" not in output
    assert "\x1b[998" not in output
    left = own.sub("", output).replace("\r\n", "").replace("\n", "")
    assert STEERING.findall(left) == []


@pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not here")
def test_04_in_tmux_neither_the_title_nor_the_clipboard_changes(
    tmp_path: Path,
) -> None:
    with Store(tmp_path / ".cpeconvo") as store:
        for string in of_kind("escape").values():
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
        wait_for("1/")
        for _ in of_kind("escape"):
            tmux("send-keys", "j")
        wait_for("the last one")
        assert tmux("display-message", "-p", "#{pane_title}").strip() == "untouched"
        assert tmux("show-buffer") == ""
    finally:
        tmux("kill-server")


async def test_05_a_sequence_split_over_two_pieces_is_none() -> None:
    async with shown(message("asked"), reply("")) as (_, view, pilot):
        for string in of_kind("escape", "c1", "escape_split").values():
            for at in range(1, min(len(string), 60)):
                for part in (string[:at], string):
                    view.set_tail(reply(part))
                    assert unsafe(lines(view)) == []
        await pilot.pause()


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
            await see(browser, "[@click=app.quit]here[/]")
            assert unsafe(browser.thread_lines() + browser.tree_lines()) == []


async def test_07_nothing_that_is_clicked_runs_what_a_text_says(store: Store) -> None:
    hit = "[@click=app.hit]press[/] [@click=app.hit()]here[/] [x](app.hit)"
    facts = ReplyFacts(model=hit, error=hit, state="failed")
    store.save([Draft("assistant", [Block(hit)], title=hit, facts=facts)])
    hits: list[bool] = []
    async with browse(store, size=(80, 16)) as browser:
        browser.app.action_hit = lambda: hits.append(True)  # type: ignore[attr-defined]
        browser.screen.tell(hit)
        browser.status.notice = hit
        await browser.pilot.pause()
        for y in range(15):
            for x in range(0, 80, 3):
                await browser.pilot.click(offset=(x, y))
        assert hits == []


@pytest.mark.parametrize("name", sorted(of_kind("markup")))
async def test_08_brackets_are_shown_as_they_are(store: Store, name: str) -> None:
    string = STRINGS[name][:40]
    store.save([Draft("user", [Block(string)])])
    async with browse(store, size=(200, 30)) as browser:
        line = " ".join(browser.tree_lines()[0].split())
        for word in string.split():
            assert STEERING.sub("", word)[:20] in line or STEERING.search(word)


HIDDEN = {
    "thinking": "<thinking>plan word</thinking>",
    "comment": "before <!-- word --> after",
    "block comment": "<!--\nword\n-->",
    "generic": "Vec<word>",
    "tool": '<tool name="word">',
    "script": "<script>word</script>",
    "cdata": "<![CDATA[ word ]]>",
    "instruction": "<?php word ?>",
    "quotes": "> " * 25 + "word",
    "list": "".join("  " * depth + "- x\n" for depth in range(30)) + "  " * 30 + "word",
    "image": "![word](https://a.example/x.png)",
    "table": "| a |\n|---|\n| word |",
    "heading": "###### word",
    "strike": "~~word~~",
    "front matter": "---\nkey: word\n---\n",
}


@pytest.mark.parametrize("name", HIDDEN)
async def test_09_no_word_is_hidden(name: str) -> None:
    async with shown(reply(HIDDEN[name]), size=(100, 60)) as (_, view, _):
        assert "word" in text(view)


LINKS = {
    "https://a.example/x": True,
    "http://a.example/": True,
    "mailto:a@b.example": True,
    "--version": False,
    "-h": False,
    "/etc/passwd": False,
    "../../etc/passwd": False,
    "smb://host/share": False,
    "file:///etc/passwd": False,
    "javascript:alert(1)": False,
    "https://good.example@evil.example/": True,
}


@pytest.mark.parametrize("target", LINKS)
async def test_10_a_link_is_never_opened_and_shows_where_it_goes(
    store: Store, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda url, *_, **__: opened.append(url))
    store.save([Draft("assistant", [Block(f"[press]({target})")])])
    async with browse(store, size=(120, 20)) as browser:
        view = browser.thread
        drawn = [view.render_line(y).text for y in range(view.size.height)]
        y = next(y for y, line in enumerate(drawn) if "press" in line)
        assert target in drawn[y]
        await browser.pilot.click(view, offset=(drawn[y].index("press") + 1, y))
        await browser.pilot.pause()
        assert opened == []
        assert (browser.app.clipboard == target) is LINKS[target]


def test_11_what_is_invisible_is_marked_and_kept_in_the_store(store: Store) -> None:
    string = "a\u202eb\u2066c\U000e0041d\u200be"
    store.save([Draft("user", [Block(string)])])

    assert store.list_rows()[0].text == string


async def test_12_what_is_copied_can_be_pasted_anywhere(store: Store) -> None:
    plant(store, FORKED)
    async with browse(store) as browser:
        for string in STRINGS.values():
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


async def test_15_a_stream_of_any_shape_is_shown_to_its_end(store: Store) -> None:
    plant(store, FORKED)
    with OpenAIServer() as server:
        endpoint = Endpoint("openai/x", api_base=server.base_url)
        settings = Settings(model="x", models={"x": NamedModel(endpoint)})
        streams = (
            ["- item\n"] * 600,
            ["words\n\n"] * 600,
            ["x" * 2_000_000],
        )
        server.script(*(say(*pieces, "\n\nthe end") for pieces in streams))
        async with browse(store, settings=settings) as browser:
            for _ in streams:
                await browser.press("o")
                browser.prompt.focus()
                await browser.type("Go")
                await browser.press("enter")
                browser.thread.focus()
                await see(browser, "the end")
                browser.tree.focus()


async def test_16_a_search_is_for_what_is_typed(store: Store) -> None:
    queries = [*of_kind("query").values(), "100%", "a_b", '"', "(.*)+$", "%" * 5_000]
    for query in queries:
        store.save([Draft("user", [Block(f"begin {query} end")])])
    async with browse(store) as browser:
        for query in queries:
            found = store.search(query)
            assert any(query in hit.before + hit.match + hit.after for hit in found), (
                query[:40]
            )
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
    with Store(theirs) as store:
        parent: MessageId | None = None
        for string in STRINGS.values():
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
        rows = store.list_rows()
        after: list[ChatMessage] = store.thread(rows[0].id)
    assert [it.text for it in after] == before
    assert before == [storable(string) for string in STRINGS.values()]
