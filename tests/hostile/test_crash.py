"""A crash shows nothing, loses nothing, and says where its report is."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from convotui.crashes import write_report
from convotui.storage import Store
from tests.ui.browsing import FORKED, browse, plant
from tests.ui.terminal import RESTORED, Terminal

from .faults import CRASH, inject

SECRET = "canary-4f9b1c7e"
WRITTEN = "the words that were not sent"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    directory = tmp_path / "project"
    directory.mkdir()
    with Store(directory / ".cpeconvo") as store:
        plant(store, FORKED)
    return directory


def crash(project: Path, *arguments: str) -> tuple[int, bytes]:
    """Write something and crash; how it exited and all that the terminal got."""
    faults = inject(project.parent / "faults", CRASH)
    with Terminal(
        *arguments, cwd=project, CANARY=SECRET, PYTHONPATH=faults
    ) as terminal:
        terminal.wait_for("new conversation" if arguments else "reply to haiku1")
        terminal.send("" if arguments else "o")
        terminal.wait_for("new conversation")
        terminal.send(WRITTEN)
        terminal.wait_for(WRITTEN)
        terminal.send("\x1b")
        terminal.wait_for("f Fork")
        terminal.send("?")
        return terminal.wait_for_exit(), terminal.output


def reports(project: Path) -> list[Path]:
    state = project / "home" / ".local" / "state" / "convotui"
    return sorted(state.glob("crashes/*"))


def test_78_a_crash_restores_the_terminal_and_shows_nobodys_words(
    project: Path,
) -> None:
    code, output = crash(project)

    assert code == 1
    _, _, after = output.rpartition(b"\x1b[?1049l")
    assert all(code.encode() in output for code in RESTORED)
    assert SECRET.encode() not in output
    assert WRITTEN.encode() not in after
    assert b"Traceback" not in after
    told = after.decode().splitlines()[-1]
    (report,) = reports(project)
    assert "convotui: This is a bug" in told
    assert str(report) in told


def test_78_the_report_says_where_and_nothing_else(project: Path) -> None:
    crash(project)

    (report,) = reports(project)
    text = report.read_text()
    assert stat.S_IMODE(report.stat().st_mode) == 0o600
    assert stat.S_IMODE(report.parent.stat().st_mode) == 0o700
    assert "builtins.RuntimeError" in text
    assert " in crash\n" in text
    assert "  textual/app.py:" in text
    assert SECRET not in text
    assert WRITTEN not in text
    assert str(Path.home()) not in text


def test_78_what_was_not_sent_is_there_again(project: Path) -> None:
    crash(project)

    state = project / "home" / ".local" / "state" / "convotui"
    (kept,) = state.glob("*.unsent")
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    with Terminal(cwd=project) as terminal:
        terminal.wait_for(WRITTEN)
        terminal.wait_for("new conversation")


def test_78_incognito_keeps_not_even_that(project: Path) -> None:
    crash(project, "-G", "-n")

    found = [path for path in project.parent.rglob("*") if path.is_file()]
    assert [p for p in found if WRITTEN.encode() in p.read_bytes()] == []


def test_78_only_the_newest_reports_are_kept(tmp_path: Path) -> None:
    written = [write_report(ValueError(SECRET), tmp_path) for _ in range(25)]

    assert sorted(tmp_path.iterdir()) == written[-10:]


def test_78_a_report_names_every_cause_and_quotes_none(tmp_path: Path) -> None:
    try:
        try:
            raise OSError(28, SECRET, f"/home/{SECRET}")
        except OSError as error:
            raise ExceptionGroup(SECRET, [KeyError(SECRET)]) from error
    except ExceptionGroup as group:
        report = write_report(group, tmp_path)

    assert report is not None
    text = report.read_text()
    assert "builtins.OSError ENOSPC" in text
    assert "builtins.KeyError" in text
    assert SECRET not in text


def test_78_where_no_report_can_be_written_there_is_none(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    assert write_report(ValueError(), tmp_path / "file" / "crashes") is None


async def test_a_prompt_that_was_not_sent_outlives_a_normal_end(store: Store) -> None:
    plant(store, FORKED)
    async with browse(store, start="root01") as browser:
        await browser.press("f")
        await browser.type("later")
        await browser.press("escape", "G", "q")
        await browser.until(lambda: browser.app.return_code == 0)
        unsent = browser.screen.unsent
    assert (unsent.text, unsent.reply_to) == ("later", "root01")
    async with browse(store, unsent=unsent) as browser:
        assert browser.prompt.text == "later"
        assert "root01" in str(browser.prompt.border_title)
