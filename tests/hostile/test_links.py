"""A link shows where it goes, and nothing is opened that nobody asked for."""

from __future__ import annotations

import webbrowser

import pytest

from convotui.storage import Block, Draft, Store
from tests.ui.browsing import browse

LINKS = {
    "https://a.example/x": True,
    "HTTPS://a.example/x": True,
    "http://a.example/": True,
    "mailto:a@b.example": True,
    "https://good.example@evil.example/": True,
    "--version": False,
    "-h": False,
    "/etc/passwd": False,
    "../../etc/passwd": False,
    "smb://host/share": False,
    "ftp://host/file": False,
    "file:///etc/passwd": False,
    "javascript:alert(1)": False,
    "vbscript:x": False,
    "data:text/html,x": False,
    "vscode://file/etc": False,
    "tel:+491234": False,
    "app.quit": False,
}
"""Where a link may go, and whether a click hands it on."""


async def test_10_a_link_is_never_opened_and_shows_where_it_goes(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda url, *_, **__: opened.append(url))
    said = "\n\n".join(f"[press]({target})" for target in LINKS)
    store.save([Draft("assistant", [Block(said)])])
    async with browse(store, size=(120, 60)) as browser:
        view = browser.thread
        drawn = [view.render_line(y).text for y in range(view.size.height)]
        for target, is_handed_on in LINKS.items():
            y = next(y for y, line in enumerate(drawn) if f"({target})" in line)
            browser.app.copy_to_clipboard("nothing yet")
            await browser.pilot.click(view, offset=(drawn[y].index("press") + 1, y))
            await browser.pilot.pause()
            assert (browser.app.clipboard == target) is is_handed_on, target
    assert opened == []


@pytest.mark.parametrize(
    "target",
    [
        "https://a.example/\u202egnp.exe",
        "https://a.example/\u200bx",
        "https://a.example/" + "x" * 100_000,
    ],
)
async def test_10_a_link_that_hides_where_it_goes_shows_all_of_it(
    store: Store, target: str
) -> None:
    store.save([Draft("assistant", [Block(f"[press](<{target}>)")])])
    async with browse(store, size=(120, 60)) as browser:
        drawn = "\n".join(browser.thread_lines())
        assert "https://a.example/" in drawn
        assert "\u202e" not in drawn
        assert "\u200b" not in drawn
