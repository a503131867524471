"""The tables of the README say what the program has, all of it and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest
from textual.binding import Binding
from textual.keys import format_key

from convotui.llm import Endpoint
from convotui.settings import NamedModel, Settings, read_settings
from convotui.ui.app import ConvotuiApp
from convotui.ui.screens.bindings import BINDINGS as BROWSER
from convotui.ui.thread.bindings import BINDINGS as THREAD
from convotui.ui.tree.bindings import BINDINGS as TREE
from convotui.ui.widgets.prompt import Prompt

from .program import Program
from .test_readme import README, blocks, section

BINDINGS = [
    binding
    for binding in (*BROWSER, *TREE, *THREAD, *Prompt.BINDINGS, *ConvotuiApp.BINDINGS)
    if isinstance(binding, Binding)
]


def rows(text: str, head: str) -> Iterator[list[str]]:
    """The cells of each row of the table whose head begins so."""
    _, _, rest = text.partition(f"\n| {head}")
    for line in rest.splitlines()[2:]:
        if not line.startswith("|"):
            return
        yield [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def quoted(text: str) -> set[str]:
    """Everything in a text that stands between backquotes."""
    without_blocks = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    return set(re.findall(r"`([^`\n]+)`", without_blocks))


def keys_of(binding: Binding) -> set[str]:
    """The keys of a binding as the README writes them."""
    names = {"enter": "enter", "left": "←", "right": "→"}
    return {names.get(key) or format_key(key) for key in binding.key.split(",")}


@pytest.mark.parametrize("binding", BINDINGS, ids=lambda binding: binding.id)
def test_every_key_is_told(binding: Binding) -> None:
    assert keys_of(binding) & quoted(section("First minute"))


def test_the_table_tells_no_key_that_there_is_not() -> None:
    table = list(rows(section("First minute"), "key"))
    assert len(table) > 10

    told = set.union(*(quoted(row[0]) for row in table))

    there = set.union(*(keys_of(binding) for binding in BINDINGS))
    assert told - there == {ConvotuiApp.COMMAND_PALETTE_BINDING}


def test_the_table_of_settings_has_every_setting_and_its_variable(
    tmp_path: Path,
) -> None:
    told = {}
    for name, variable, _, _ in rows(section("Settings"), "setting"):
        [quoted_name] = quoted(name)
        told[quoted_name.strip("[]").partition(".")[0]] = variable.strip("`")

    there = {}
    for field in fields(Settings):
        variable = f"CONVOTUI_{field.name.upper()}"
        changed = [
            read_settings(tmp_path, tmp_path, {variable: value}) != Settings()
            for value in ("1", "0")
        ]
        there[field.name] = variable if any(changed) else ""
    assert told == there


def test_the_table_of_models_has_everything_that_one_can_say_of_a_model() -> None:
    table = rows(section("Models and keys"), "in `[models.NAME]`")

    told = set.union(*(quoted(row[0]) for row in table))

    names = [*fields(Endpoint), *fields(NamedModel)]
    assert told == {field.name for field in names} - {"endpoint"}


def test_the_table_of_commands_is_the_help(convotui: Program) -> None:
    told = [
        f"{name.strip('`').removeprefix('convotui ')} {text}"
        for name, text in rows(section("Commands"), "command")
    ]

    _, _, listed = convotui.prints("--help").partition("\nCommands:\n")
    lines = listed.partition("\n\n")[0].splitlines()
    assert told == [" ".join(line.split()) for line in lines]


def test_the_readme_names_no_command_that_there_is_not(convotui: Program) -> None:
    lines = [*quoted(README), *"".join(blocks(README, "sh")).splitlines()]
    named = {
        found[1]
        for line in lines
        if (found := re.match(r"(?:.*\| )?convotui ([a-z]+)", line))
    }

    assert {"list", "ask", "trash", "demo"} <= named
    for name in named:
        convotui.prints(name, "--help")
