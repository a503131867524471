"""The part of the browser that does something to messages, or with them."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TYPE_CHECKING

from textual import work

from convotui.ui import flows
from convotui.ui.screens.talking import TalkingScreen
from convotui.ui.words import what_changed

if TYPE_CHECKING:
    from convotui.storage import Change


class ChangingScreen(TalkingScreen):
    """Acts on the message under the cursor, and says what came of it."""

    @work(exclusive=True, group="act")
    async def action_edit(self) -> None:
        """Put the text of the message into the prompt, to be sent beside it."""
        if (selected := self.selected()) is not None:
            message = await self.attempt(self._conversations.message(selected))
            if message is not None:
                self.conversation.prompt_panel.write_instead_of(message)

    def action_delete(self) -> None:
        """Delete the message with everything below it."""
        if (selected := self.selected()) is not None:
            flow = flows.delete(self.app, self._conversations, selected)
            self._change(flow, "Deleted {}; u undoes it.")

    def action_undo(self) -> None:
        """Undo the newest delete or label."""
        self._change(self._conversations.undo(), "Undone: {}.")

    def action_redo(self) -> None:
        """Do again what was undone last."""
        self._change(self._conversations.redo(), "Done again: {}.")

    def action_label(self, label: str | None = None) -> None:
        """Label the message."""
        if (selected := self.selected()) is not None:
            flow = flows.label(self.app, self._conversations, selected, label)
            self._change(flow, "Set {}; u undoes it.")

    @work(exclusive=True, group="act")
    async def action_jump(self) -> None:
        """Jump to a label."""
        if (cursor := self.message_tree.cursor) is None:
            return
        row = await self.attempt(flows.choose_label(self.app, cursor.tree))
        if row is not None:
            self.message_tree.select(row)

    def action_export(self) -> None:
        """Export the thread, or all below the message."""
        cursor = self.message_tree.cursor
        if (selected := self.selected()) is not None and cursor is not None:
            below = cursor.tree.forest.sizes[cursor.row or 0]
            self.do(flows.export(self.app, self._conversations, selected, below))

    def action_import(self) -> None:
        """Import conversations of other programs."""
        self.do(flows.bring_in(self.app, self._conversations))

    @work(exclusive=True, group="act")
    async def action_totals(self) -> None:
        """Show what the thread, the branch and everything add up to."""
        selected = self.message_tree.selected_id
        await self.attempt(flows.show_totals(self.app, self._conversations, selected))

    def action_copy(self) -> None:
        """Copy something of the message."""
        if (selected := self.selected()) is not None:
            marked = self.get_selected_text() or ""
            self.do(flows.copy(self.app, self._conversations, selected, marked))

    @work(exclusive=True, group="act")
    async def _change(self, flow: Awaitable[Change | None], told: str) -> None:
        """Await a change, say what it was, and go to what it was done to."""
        if (change := await self.attempt(flow)) is None:
            return
        self.tell(told.format(what_changed(change)))
        self.panel.load(change.message_ids[0])
