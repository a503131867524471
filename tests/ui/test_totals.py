"""What everything has cost, on the screen."""

from __future__ import annotations

from textual.widgets import Static

from convotui.storage import Store
from convotui.ui.screens.totals import TotalsDialog

from .browsing import FORKED, browse, plant


async def test_a_shared_reply_counts_once_and_branches_add_up(store: Store) -> None:
    plant(store, FORKED)
    async with browse(store, start="reply1") as browser:
        await browser.press("dollar_sign")
        await browser.until(lambda: isinstance(browser.app.screen, TotalsDialog))
        table = str(browser.app.screen.query_one("#totals", Static).render())
        costs = {
            line[:26].strip(): line.split()[-1]
            for line in table.splitlines()
            if "$" in line
        }
        assert costs["this thread"] == "$0.0100"
        assert costs["this and below"] == "$0.0300"
        assert costs["project"] == "$0.0400"
        assert costs["test/model"] == "$0.0400"
        await browser.press("escape")
        assert len(browser.app.screen_stack) == 1
