"""The prompt: whom it answers, what its keys and commands do."""

from __future__ import annotations

import pytest

from convotui.storage import MessageId, Store
from convotui.ui.screens.help import HelpDialog
from convotui.ui.widgets.search_bar import SearchBar

from .browsing import FORKED, browse, plant


@pytest.mark.parametrize(
    ("key", "title"),
    [
        ("enter", "reply to reply1"),
        ("f", "fork from reply1"),
        ("o", "new conversation"),
    ],
)
async def test_a_key_opens_the_prompt_and_says_whom_it_answers(
    store: Store, key: str, title: str
) -> None:
    plant(store, FORKED)
    async with browse(store, start="reply1") as browser:
        await browser.press(key)
        assert browser.prompt.has_focus
        assert str(browser.prompt.border_title) == title


async def test_e_puts_the_text_in_to_be_sent_beside_it(store: Store) -> None:
    plant(store, FORKED)
    async with browse(store, start="ask001") as browser:
        await browser.press("e")
        await browser.until_done()
        assert browser.prompt.text == "Why not JSON?"
        assert str(browser.prompt.border_title) == "another reply to reply1"


async def test_ctrl_j_makes_a_line_and_escape_keeps_the_text(store: Store) -> None:
    plant(store, FORKED)
    async with browse(store) as browser:
        await browser.press("enter")
        await browser.type("one")
        await browser.press("ctrl+j")
        await browser.type("two")
        await browser.press("escape")
        assert browser.tree.has_focus
        assert browser.prompt.text == "one\ntwo"


async def test_letters_in_the_prompt_are_text_and_not_keys(store: Store) -> None:
    plant(store, FORKED)
    async with browse(store) as browser:
        await browser.press("enter")
        await browser.type("dq")
        assert browser.prompt.text == "dq"
        assert len(store.list_messages()) == len(FORKED)


async def test_the_prompt_keeps_its_address_while_one_browses(store: Store) -> None:
    plant(store, FORKED)
    async with browse(store, start="reply1") as browser:
        await browser.press("f")
        await browser.type("why")
        await browser.press("escape", "G")
        assert browser.selected == "haiku1"
        assert str(browser.prompt.border_title) == "fork from reply1"


async def test_slash_commands_do_what_keys_do(store: Store) -> None:
    plant(store, FORKED)
    async with browse(store, start="ask001") as browser:
        await browser.press("enter")
        await browser.type("/label json idea")
        await browser.press("enter")
        await browser.until_done()
        assert store.get([MessageId("ask001")])[0].title == "json idea"
        browser.prompt.focus()
        await browser.type("/search haiku")
        await browser.press("enter")
        assert browser.screen.query_one(SearchBar).value == "haiku"
        assert browser.selected == "other1"


async def test_slash_help_shows_the_keys(store: Store) -> None:
    plant(store, FORKED)
    async with browse(store) as browser:
        await browser.press("enter")
        await browser.type("/help")
        await browser.press("enter")
        assert isinstance(browser.app.screen, HelpDialog)


async def test_tab_goes_round_the_panes(store: Store) -> None:
    plant(store, FORKED)
    async with browse(store) as browser:
        await browser.press("tab")
        assert browser.thread.has_focus
        await browser.press("tab")
        assert browser.prompt.has_focus
        await browser.press("tab")
        assert browser.tree.has_focus


async def test_without_an_editor_ctrl_o_says_how_to_have_one(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("EDITOR", raising=False)
    monkeypatch.delenv("VISUAL", raising=False)
    plant(store, FORKED)
    async with browse(store) as browser:
        await browser.press("enter", "ctrl+o")
        assert "$EDITOR" in browser.status.notice


async def test_the_commands_that_begin_so_are_shown(store: Store) -> None:
    plant(store, FORKED)
    async with browse(store) as browser:
        browser.prompt.focus()
        await browser.type("/")
        assert "/new /model" in str(browser.prompt.border_subtitle)
        await browser.type("la")
        assert str(browser.prompt.border_subtitle) == "/label"
        await browser.type("test paths/like")
        assert str(browser.prompt.border_subtitle) == ""


async def test_an_unknown_command_is_not_sent_by_mistake(store: Store) -> None:
    plant(store, FORKED)
    async with browse(store) as browser:
        browser.prompt.focus()
        await browser.type("/modle")
        await browser.press("enter")
        assert browser.status.notice.startswith("There is no /modle")
        assert browser.prompt.text == "/modle"
        assert len(store.list_rows()) == len(FORKED)
