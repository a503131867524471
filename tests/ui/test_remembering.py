"""Folds, place, panes and theme come back; keys can be changed."""

from __future__ import annotations

from pathlib import Path

from convotui.storage import MessageId, Store
from convotui.ui.screens.help import HelpDialog
from convotui.ui.state import StateFile, UiState

from .browsing import FORKED, browse, plant


async def test_the_place_and_the_folds_come_back(store: Store, tmp_path: Path) -> None:
    plant(store, FORKED)
    states = StateFile(tmp_path / "state", store.path)
    async with browse(store, start="ask001") as browser:
        await browser.press("space", "plus")
        browser.app.theme = "convotui-light"
        browser.screen.remember()
        states.save(browser.screen.state)
    async with browse(store, state=states.load()) as browser:
        assert browser.selected == "ask001"
        assert "json01" not in browser.rows()
        assert browser.app.theme == "convotui-light"
        assert browser.screen.state.tree_share > UiState().tree_share


def test_a_broken_state_file_is_as_good_as_none(tmp_path: Path) -> None:
    states = StateFile(tmp_path, tmp_path / ".cpeconvo")
    states.save(UiState(cursor="abc", folded=("x",)))
    for path in tmp_path.iterdir():
        path.write_text('{"cursor": 7, "folded": "no", "tree_share": "wide"')
    assert states.load() == UiState()
    for path in tmp_path.iterdir():
        path.write_text('{"cursor": 7, "folded": [1, "y"], "tree_share": 7.5}')
    assert states.load() == UiState(folded=("y",), tree_share=0.9)


async def test_a_key_can_be_changed_by_its_id(store: Store) -> None:
    plant(store, FORKED)
    async with browse(store, keymap={"tree.down": "w"}, start="root01") as browser:
        await browser.press("w")
        assert browser.selected == "reply1"
        await browser.press("j")
        assert browser.selected == "reply1"


async def test_an_unknown_key_id_is_told_and_not_fatal(store: Store) -> None:
    plant(store, FORKED)
    async with browse(store, keymap={"tree.fly": "w"}) as browser:
        toasts = [str(toast.render()) for toast in browser.app.screen.query("Toast")]
        assert any("tree.fly" in toast for toast in toasts)
        assert len(browser.rows()) == len(FORKED)


async def test_help_lists_the_keys_of_what_has_focus_and_can_be_searched(
    store: Store,
) -> None:
    plant(store, FORKED)
    async with browse(store) as browser:
        await browser.press("question_mark")
        dialog = browser.app.screen
        assert isinstance(dialog, HelpDialog)
        listed = str(dialog.query_one("#keys").render())
        for text in ("Tree", "Messages", "Fold all others", "Delete", "Export"):
            assert text in listed
        await browser.type("sibling")
        listed = str(dialog.query_one("#keys").render())
        assert "Next sibling" in listed
        assert "Delete" not in listed


async def test_every_action_is_in_the_command_palette_with_its_key(
    store: Store,
) -> None:
    plant(store, FORKED)
    async with browse(store) as browser:
        commands = {
            command.title: command.help
            for command in browser.app.get_system_commands(browser.screen)
        }
        assert commands["Delete"] == "d"
        assert commands["Fold all others"] == "z"
        assert "Export" in commands


async def test_a_command_of_the_palette_does_what_its_key_does(store: Store) -> None:
    plant(store, FORKED)
    async with browse(store, start="json01") as browser:
        [delete] = [
            command
            for command in browser.app.get_system_commands(browser.screen)
            if command.title == "Delete"
        ]
        await delete.callback()
        await browser.until_done()
        assert MessageId("json01") not in [m.id for m in store.list_messages()]


async def test_keys_that_clash_are_told_and_not_fatal(store: Store) -> None:
    plant(store, FORKED)
    keymap = {"tree.down": "k"}
    async with browse(store, keymap=keymap, start="root01") as browser:
        toasts = [str(toast.render()) for toast in browser.app.screen.query("Toast")]
        assert any(
            "k is used twice" in toast and "tree.up" in toast for toast in toasts
        )
        assert len(browser.rows()) == len(FORKED)
