"""Folds and filters, under which the cursor stays on its message."""

from __future__ import annotations

from convotui.storage import MessageId, Store

from .browsing import FORKED, browse, plant


async def test_space_folds_and_says_how_much_is_hidden(store: Store) -> None:
    plant(store, FORKED)
    async with browse(store, start="reply1") as browser:
        await browser.press("space")
        assert browser.rows() == ["root01", "reply1", "other1", "haiku1"]
        assert "▸ +4" in browser.tree_lines()[1]
        assert browser.status.position == (2, 4)
        await browser.press("space")
        assert len(browser.rows()) == len(FORKED)


async def test_folding_around_the_cursor_moves_it_to_the_fold(store: Store) -> None:
    plant(store, FORKED)
    async with browse(store, start="reply1") as browser:
        await browser.press("left")
        assert browser.selected == "reply1"
        await browser.press("right")
        assert len(browser.rows()) == len(FORKED)


async def test_z_folds_all_others_and_shift_z_unfolds_all(store: Store) -> None:
    plant(store, FORKED)
    async with browse(store, start="json01") as browser:
        await browser.press("z")
        assert browser.selected == "json01"
        assert browser.rows() == [
            "root01",
            "reply1",
            "ask001",
            "json01",
            "ask002",
            "other1",
        ]
        await browser.press("Z")
        assert len(browser.rows()) == len(FORKED)


async def test_the_filters_follow_one_another(store: Store) -> None:
    plant(store, FORKED)
    store.label(MessageId("ask002"), "deletes")
    async with browse(store, start="del001") as browser:
        await browser.press("F")
        assert browser.status.by.value == "no-tools"
        await browser.press("F")
        assert browser.rows() == ["root01", "ask001", "ask002", "other1"]
        assert browser.selected == "ask002"
        await browser.press("F")
        assert browser.rows() == ["ask002"]
        assert "labelled" in browser.status.render().plain
        await browser.press("F", "F")
        assert len(browser.rows()) == len(FORKED)
