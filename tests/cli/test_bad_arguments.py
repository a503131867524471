"""Arguments and settings that cannot be used: one line, and nothing is changed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from .program import Program

pytestmark = pytest.mark.usefixtures("forked")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("frobnicate",), "No such command 'frobnicate'"),
        (("--frobnicate",), "No such option '--frobnicate'"),
        (("list", "--frobnicate"), "See 'convotui list --help'"),
        (("trash", "frobnicate"), "See 'convotui trash --help'"),
        (("list", "--limit", "many"), "--limit"),
        (("list", "--limit", "-1"), "--limit"),
        (("list", "--filter", "nonsense"), "labelled"),
        (("list", "surplus"), "surplus"),
        (("search",), "TEXT"),
        (("search", "--limit", "0", "x"), "--limit"),
        (("delete",), "ID"),
        (("label",), "ID"),
        (("export", "--subtree"), "ID"),
        (("export", "--format", "pdf"), "html"),
        (("completion", "tcsh"), "zsh"),
        (("trash", "empty", "--older-than", "soon"), "30d"),
        (("--db",), "--db"),
    ],
)
def test_a_mistake_in_how_it_is_called_is_told(
    arguments: tuple[str, ...], told: str, convotui: Program
) -> None:
    assert told in convotui.refuses(*arguments, code=2)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ((b"print", b"\xff"), 2),
        ((b"label", b"\xff"), 2),
        ((b"label", b"aB3", b"caf\xe9"), 1),
        ((b"delete", b"aB3\xff"), 2),
        ((b"export", b"\xff"), 2),
        ((b"trash", b"restore", b"\xff"), 1),
        ((b"clean", b"--older-than", b"\xff"), 2),
        ((b"list", b"--filter", b"\xff"), 2),
        ((b"\xff",), 2),
        ((b"--\xff",), 2),
    ],
    ids=str,
)
def test_an_argument_that_is_not_utf8_is_told(
    arguments: tuple[bytes, ...], code: int, convotui: Program
) -> None:
    convotui.refuses(*arguments, code=code)


def test_a_search_for_what_is_not_utf8_finds_nothing(convotui: Program) -> None:
    assert convotui.says("search", b"\xff\xfe").startswith("No message holds ")


@pytest.mark.parametrize("command", ["list", "doctor"])
def test_a_file_whose_name_is_not_utf8_is_told(
    command: str, convotui: Program, project: Path
) -> None:
    os.rename(project / ".cpeconvo", os.fsencode(project) + b"/caf\xe9")

    convotui.refuses("--db", b"caf\xe9", command)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("ascii = maybe", "cannot be read"),
        ("[ascii", "cannot be read"),
        ("ascii = 1", "ascii must be true or false"),
        ("colour = true", "there is no setting 'colour'"),
        ("ascii = true\n\n\x01", "cannot be read"),
    ],
    ids=repr,
)
def test_settings_that_cannot_be_used_are_told_with_their_file(
    text: str, told: str, convotui: Program, project: Path
) -> None:
    (project / ".convotui.toml").write_text(text)

    line = convotui.refuses("list")

    assert told in line
    assert str(project / ".convotui.toml") in line


def test_the_users_own_settings_are_checked_too(
    convotui: Program, tmp_path: Path
) -> None:
    settings = tmp_path / "home" / ".config" / "convotui" / "config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text("ascii = 'yes'")

    assert str(settings) in convotui.refuses("list")


def test_a_variable_that_is_neither_true_nor_false_is_told(convotui: Program) -> None:
    line = convotui.refuses("list", environment={"CONVOTUI_ASCII": "perhaps"})

    assert "CONVOTUI_ASCII must be true or false" in line
