"""What the screen does to messages, seen in the store."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Input, RadioButton

from convotui.storage import Block, Draft, MessageId, Store
from convotui.ui.screens.choosing import ChoiceDialog
from convotui.ui.screens.deleting import DeleteDialog
from convotui.ui.screens.exporting import ExportDialog
from convotui.ui.screens.labelling import LabelDialog

from .browsing import FORKED, Browser, browse, plant


def ids(store: Store) -> list[str]:
    return [message.id for message in store.list_messages(ascending=True)]


async def test_d_on_a_message_without_replies_deletes_it_at_once(store: Store) -> None:
    plant(store, FORKED)
    async with browse(store, start="json01") as browser:
        await browser.press("d")
        await browser.until_done()
        assert "json01" not in ids(store)
        assert "json01" not in browser.rows()
        assert browser.selected == "ask001"


async def test_d_asks_with_exact_counts_and_d_again_deletes(store: Store) -> None:
    plant(store, FORKED)
    store.label(MessageId("ask002"), "deletes")
    async with browse(store, start="reply1") as browser:
        await browser.press("d")
        assert isinstance(browser.app.screen, DeleteDialog)
        asked = " ".join(
            str(widget.render()) for widget in browser.app.screen.query("Static")
        )
        assert "5 messages" in asked
        assert "1 fork" in asked
        assert "1 label" in asked
        assert len(ids(store)) == len(FORKED)
        await browser.press("d")
        await browser.until_done()
        assert ids(store) == ["root01", "other1", "haiku1"]
        assert browser.selected == "root01"


async def test_escape_keeps_what_was_to_be_deleted(store: Store) -> None:
    plant(store, FORKED)
    async with browse(store, start="reply1") as browser:
        await browser.press("d", "escape")
        await browser.until_done()
        assert len(ids(store)) == len(FORKED)


async def test_u_undoes_and_shift_u_redoes_also_after_a_restart(store: Store) -> None:
    plant(store, FORKED)
    async with browse(store, start="reply1") as browser:
        await browser.press("d", "enter")
        await browser.until_done()
    async with browse(store) as browser:
        await browser.press("u")
        await browser.until_done()
        assert len(ids(store)) == len(FORKED)
        assert browser.selected == "reply1"
        await browser.press("U")
        await browser.until_done()
        assert len(ids(store)) == 3


async def test_u_with_nothing_to_undo_says_so(store: Store) -> None:
    plant(store, FORKED)
    async with browse(store) as browser:
        await browser.press("u")
        await browser.until_done()
        assert browser.status.notice == "There is nothing to undo."


async def test_shift_l_labels_and_the_label_shows_in_the_tree(store: Store) -> None:
    plant(store, FORKED)
    async with browse(store, start="ask001") as browser:
        await browser.press("L")
        assert isinstance(browser.app.screen, LabelDialog)
        await browser.type("json idea")
        await browser.press("enter")
        await browser.until_done()
        await browser.settle()
        assert store.get([MessageId("ask001")])[0].title == "json idea"
        assert "[json idea]" in browser.tree_lines()[2]
        await browser.until(lambda: "[json idea]" in "".join(browser.thread_lines()))
        await browser.press("u")
        await browser.until_done()
        assert store.get([MessageId("ask001")])[0].title is None


async def test_an_apostrophe_jumps_to_a_label(store: Store) -> None:
    plant(store, FORKED)
    store.label(MessageId("ask001"), "json idea")
    store.label(MessageId("ask002"), "deletes")
    async with browse(store) as browser:
        await browser.press("apostrophe")
        assert isinstance(browser.app.screen, ChoiceDialog)
        await browser.type("json")
        await browser.press("enter")
        await browser.until_done()
        assert browser.selected == "ask001"


async def test_y_copies_the_text_the_id_or_the_thread(store: Store) -> None:
    plant(store, FORKED)
    async with browse(store, start="json01") as browser:
        copied = []
        for choice in ("text", "id", "thread"):
            await browser.press("y")
            await browser.type(choice)
            await browser.press("enter")
            await browser.until_done()
            copied.append(browser.app.clipboard)
        assert copied[0] == "It is copied on every write."
        assert copied[1] == "json01"
        assert "Why not JSON?" in copied[2]


@pytest.mark.parametrize(
    ("name", "kind", "holds"),
    [
        ("talk.md", None, "## "),
        ("talk.html", "HTML", "<html"),
        ("talk.jsonl", "JSON lines", '"convotui":1'),
        ("talk.json", "OpenAI", '"role": "assistant", "content":'),
        ("talk.json", "Bedrock", '{"messages": ['),
        ("talk.json", "Amazon Q", '"history": ['),
        ("talk.jsonl", "OpenAI", '"convotui":1'),
    ],
)
async def test_x_exports_the_thread(
    store: Store, tmp_path: Path, name: str, kind: str | None, holds: str
) -> None:
    plant(store, FORKED)
    target = tmp_path / name
    async with browse(store, start="json01") as browser:
        await browser.press("x")
        dialog = browser.app.screen
        assert isinstance(dialog, ExportDialog)
        if kind is not None:
            await choose(browser, kind)
            dialog.query_one(Input).focus()
        dialog.query_one(Input).value = str(target)
        await browser.press("enter")
        await browser.until_done()
    text = target.read_text()
    assert holds in text
    assert "Why not JSON?" in text
    assert "And deletes?" not in text


async def choose(browser: Browser, label: str) -> None:
    """Click one of the choices of a dialog."""
    [button] = [
        button
        for button in browser.app.screen.query(RadioButton)
        if str(button.label).startswith(label)
    ]
    await browser.pilot.click(button)


async def test_a_kind_gives_the_file_its_ending(store: Store) -> None:
    plant(store, FORKED)
    async with browse(store, start="json01") as browser:
        await browser.press("x")
        endings = []
        for label in ("JSON lines", "Amazon Q", "Markdown"):
            await choose(browser, label)
            name = browser.app.screen.query_one(Input).value
            endings.append(Path(name).suffix)
        assert endings == [".jsonl", ".json", ".md"]


async def test_branches_are_not_exported_as_a_thread(
    store: Store, tmp_path: Path
) -> None:
    plant(store, FORKED)
    target = tmp_path / "talk.json"
    async with browse(store, start="reply1") as browser:
        await browser.press("x")
        await choose(browser, "all below")
        await choose(browser, "OpenAI")
        browser.app.screen.query_one(Input).value = str(target)
        await browser.press("ctrl+s")
        assert isinstance(browser.app.screen, ExportDialog)
        error = browser.app.screen.query_one(".error")
        assert "OpenAI has no place for branches" in str(error.render())
        await choose(browser, "JSON lines")
        await browser.press("ctrl+s")
        await browser.until_done()
    text = target.with_suffix(".jsonl").read_text()
    assert "And deletes?" in text


async def test_what_has_no_place_in_an_export_is_told(
    store: Store, tmp_path: Path
) -> None:
    blocks = [Block("hm", "thinking"), Block("Hello.")]
    [message_id] = store.save([Draft("assistant", blocks)])
    async with browse(store, start=message_id) as browser:
        await browser.press("x")
        await choose(browser, "OpenAI")
        browser.app.screen.query_one(Input).value = str(tmp_path / "talk.json")
        await browser.press("ctrl+s")
        told = "Left out, for want of a place: 1 block of thinking."
        await browser.until(
            lambda: any(
                told in str(toast.render()) for toast in browser.screen.query("Toast")
            )
        )


async def test_an_existing_file_is_only_overwritten_when_told_twice(
    store: Store, tmp_path: Path
) -> None:
    plant(store, FORKED)
    target = tmp_path / "talk.md"
    target.write_text("precious")
    async with browse(store, start="json01") as browser:
        await browser.press("x")
        browser.app.screen.query_one(Input).value = str(target)
        await browser.press("enter")
        assert isinstance(browser.app.screen, ExportDialog)
        assert target.read_text() == "precious"
        await browser.press("enter")
        await browser.until_done()
    assert "Why not JSON?" in target.read_text()
