"""Nothing that a file holds can steer a terminal or stop a command."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from convotui.storage import MessageId, ReplyFacts, Store
from tests.storage.helpers import add_message, other_program, seed_file

from .program import Program

HOSTILE = "\x1b]0;PWNED\x07\x9b31m\u202eevil\u2066\r\x00\x7f"
STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)

ROOT, REPLY = f"a{HOSTILE}", f"b{HOSTILE}"


@pytest.fixture
def hostile(project: Path) -> Path:
    """A store in which nothing that can be text is harmless."""
    path = seed_file(project / ".cpeconvo")
    with other_program(path) as connection:
        add_message(connection, ROOT, f"text {HOSTILE}", title=f"label {HOSTILE}")
        add_message(
            connection, REPLY, f"reply {HOSTILE}", parent=ROOT, role=f"role{HOSTILE}"
        )
    with Store(path) as store:
        facts = ReplyFacts(f"model {HOSTILE}", 1, 2, cost=0.5)
        store.set_facts(MessageId(REPLY), facts)
    with other_program(path) as connection:
        connection.execute("UPDATE convotui_replies SET state = ?", (HOSTILE,))
    return path


@pytest.mark.usefixtures("hostile")
@pytest.mark.parametrize(
    "command",
    [
        "list",
        "list --indent",
        "list --roots",
        "list --json",
        "search text",
        "search reply --json",
        "stats",
        "stats --json",
        "doctor",
        "label a",
        "label b",
        "label b new",
        "delete a",
        "delete b",
        "delete --cascade a",
        "clean --dry-run",
        "print b",
        "print b --json",
        "export b",
        "export b --format html",
        "export b --format json",
    ],
)
def test_control_characters_are_marks_in_all_output(
    command: str, convotui: Program
) -> None:
    outcome = convotui(*command.split())

    assert "Traceback" not in outcome.err
    assert outcome.stdout or outcome.stderr
    assert STEERING.findall(outcome.out) == []
    assert STEERING.findall(outcome.err) == []


@pytest.mark.usefixtures("hostile")
def test_control_characters_are_marks_in_what_is_undone_and_trashed(
    convotui: Program,
) -> None:
    convotui("label", "b", "new")
    convotui("delete", "b")

    for command in ("trash list", "trash list --json", "undo", "undo", "redo"):
        outcome = convotui(*command.split())
        assert outcome.code == 0, outcome.err
        assert STEERING.findall(outcome.out + outcome.err) == []


@pytest.mark.usefixtures("hostile")
def test_marks_show_that_something_was_there(convotui: Program) -> None:
    listing = convotui.prints("list")

    assert "text ␛]0;PWNED␇�31m�evil" in listing
    assert "[label ␛]0;PWNED␇" in listing
    assert "◆ a␛]0;PWNED␇" in listing


@pytest.mark.usefixtures("hostile")
def test_json_holds_the_text_as_it_is_stored(convotui: Program) -> None:
    first = json.loads(convotui.prints("list", "--json"))[0]

    assert first["id"] == ROOT
    assert first["label"] == f"label {HOSTILE}"


@pytest.mark.usefixtures("hostile")
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completions_hold_no_control_characters(shell: str, convotui: Program) -> None:
    completions = convotui.prints(
        environment={
            "_CONVOTUI_COMPLETE": f"{shell}_complete",
            "COMP_WORDS": "convotui label ",
            "COMP_CWORD": "2" if shell != "fish" else "",
        }
    )

    assert STEERING.findall(completions) == []


CHANGES = [
    "UPDATE blocks SET content = CAST(x'78ff' AS TEXT) WHERE message_id = ?",
    "UPDATE blocks SET content = x'78ff' WHERE message_id = ?",
    "UPDATE blocks SET modality_type = 'sound' WHERE message_id = ?",
    "UPDATE blocks SET block_type = x'ff', mime_type = x'ff' WHERE message_id = ?",
    "UPDATE messages SET title = CAST(x'ff' AS TEXT) WHERE id = ?",
    "UPDATE messages SET title = x'ff' WHERE id = ?",
    "UPDATE messages SET role = CAST(x'ff' AS TEXT) WHERE id = ?",
    "UPDATE messages SET role = x'ff' WHERE id = ?",
    "UPDATE messages SET parent_id = x'ff' WHERE id = ?",
    "UPDATE messages SET created_at = 'yesterday' WHERE id = ?",
    "UPDATE messages SET created_at = x'ff' WHERE id = ?",
    "UPDATE messages SET created_at = 1700000000 WHERE id = ?",
    "UPDATE messages SET id = CAST(x'ff' AS TEXT) WHERE id = ?",
    "UPDATE messages SET id = x'fe' WHERE id = ?",
    "UPDATE messages SET id = NULL WHERE id = ?",
    "UPDATE messages SET created_at = '9999-12-31 23:59:59' WHERE id = ?",
    "UPDATE messages SET created_at = '0001-01-01 00:00:00+14:00' WHERE id = ?",
]
"""What another program can do to a message, as no column is bound to its type."""


def foreign(path: Path, changes: list[str]) -> Path:
    """Make a file in which another program changed one message after the other."""
    seed_file(path)
    with other_program(path) as connection:
        for number in range(len(changes)):
            add_message(connection, f"m{number}", "x marks the spot", role="assistant")
    with closing(sqlite3.connect(path)) as plain, plain:
        for number, change in enumerate(changes):
            plain.execute(change, (f"m{number}",))
    return path


@pytest.mark.parametrize("command", ["list", "list --roots", "search x", "print"])
def test_stored_bytes_that_are_not_utf8_are_shown_as_marks(
    command: str, convotui: Program, project: Path
) -> None:
    foreign(project / ".cpeconvo", CHANGES[:1])

    assert "x�" in convotui.prints(*command.split())


@pytest.mark.parametrize(
    "command",
    ["list", "list --json", "list --roots", "search x", "export", "stats", "doctor"],
)
def test_values_of_another_kind_than_they_should_be_are_no_crash(
    command: str, convotui: Program, project: Path
) -> None:
    foreign(project / ".cpeconvo", CHANGES)

    outcome = convotui(*command.split(), environment={"TZ": "JST-9"})

    assert "Traceback" not in outcome.err
    assert outcome.out or outcome.err.count("\n") == 1


@pytest.mark.parametrize("change", CHANGES[9:])
def test_no_time_and_no_id_is_a_crash(
    change: str, convotui: Program, project: Path
) -> None:
    foreign(project / ".cpeconvo", [change])

    outcome = convotui("list", environment={"TZ": "JST-9"})

    assert "Traceback" not in outcome.err
