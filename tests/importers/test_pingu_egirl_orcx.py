"""Pingu, egirl and orcx: what their samples do not show."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from convotui.storage import Store

from .helpers import SAMPLES, all_of, bring_in, database, texts, tree

PINGU = """
CREATE TABLE sessions (id TEXT PRIMARY KEY, channel TEXT, summary TEXT);
CREATE TABLE turns (id INTEGER PRIMARY KEY, session_id TEXT, user_message TEXT,
    response_json TEXT, model TEXT, created_at TEXT);
"""
EGIRL = """
CREATE TABLE sessions (id TEXT PRIMARY KEY, channel TEXT, created_at INTEGER,
    last_active_at INTEGER);
CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content TEXT,
    tool_calls TEXT, tool_call_id TEXT, created_at INTEGER);
"""
ORCX = """
CREATE TABLE conversations (id TEXT PRIMARY KEY, model TEXT, agent TEXT, title TEXT,
    messages TEXT, total_tokens INTEGER, total_cost REAL, created_at TEXT,
    updated_at TEXT);
"""
SAY = "INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?, 1771042800123)"
TURN = "INSERT INTO turns VALUES (?, ?, ?, ?, 'm', '2026-02-18 09:00:00')"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "other.db"


def test_delegates_of_delegates_are_traces_of_the_one_that_called(
    file: Path, store: Store
) -> None:
    session = "cli:delegate:a:delegate:b"
    bring_in(store, database(file, PINGU, (TURN, (1, session, "go", "{}"))))

    assert all_of(store)[0].title == "subagent:b:cli:delegate:a"


def test_turns_are_in_the_order_of_their_numbers(file: Path, store: Store) -> None:
    turns = [(TURN, (number, "s", f"say {number}", "{}")) for number in (10, 9, 2)]
    bring_in(store, database(file, PINGU, *turns))

    prompts = [message.text for message in all_of(store) if message.role == "user"]
    assert prompts == ["say 2", "say 9", "say 10"]


def test_items_of_other_kinds_are_calls_with_all_they_hold(
    file: Path, store: Store
) -> None:
    item = {"type": "web_search_call", "id": "ws_1", "query": "x"}
    strange = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{no"}
    response = json.dumps({"output": [item, strange, 7, None]})
    bring_in(store, database(file, PINGU, (TURN, (1, "s", "go", response))))
    blocks = all_of(store)[1].blocks

    assert json.loads(blocks[0].content)["name"] == "web_search_call"
    assert blocks[0].extra == {"raw": item}
    assert json.loads(blocks[1].content) == {"name": "f", "parameters": "{no"}


def test_text_that_was_stored_as_it_is_is_read_too(file: Path, store: Store) -> None:
    said = ["plain words", "42", '{"a": 1}', '"in quotes"', '"cut of', "null"]
    rows = [(SAY, (n, "s", "user", text, None, None)) for n, text in enumerate(said)]
    bring_in(store, database(file, EGIRL, *rows))

    assert texts(store) == [
        "plain words",
        "42",
        '{"a": 1}',
        "in quotes",
        '"cut of',
        "null",
    ]


def test_what_the_program_said_in_the_users_name_is_marked(
    file: Path, store: Store
) -> None:
    said = ["[System: be nice]", "[Warning: late]", "[PLANNING MODE] do it", "hi"]
    rows = [
        (SAY, (n, "s", "user", json.dumps(text), None, None))
        for n, text in enumerate(said)
    ]
    bring_in(store, database(file, EGIRL, *rows))

    marked = [bool(m.blocks[0].extra.get("injected")) for m in all_of(store)]
    assert marked == [True, True, False, False]


def test_a_system_prompt_is_kept_as_what_it_was(file: Path, store: Store) -> None:
    row = (SAY, (1, "task:x", "system", '"you are"', None, None))
    bring_in(store, database(file, EGIRL, row))
    [message] = all_of(store)

    assert (message.role, message.title) == ("user", "subagent:task:x")
    assert message.blocks[0].extra == {"egirl_role": "system"}


def test_rows_that_a_cleanup_took_from_the_front_double_nothing(
    file: Path, store: Store
) -> None:
    file.write_bytes((SAMPLES / "egirl_conversations.db").read_bytes())
    bring_in(store, file)
    database(
        file,
        "DELETE FROM messages WHERE id < 5;"
        "INSERT INTO messages VALUES (99, 'discord:dm:1122334455', 'user', '\"more\"',"
        " NULL, NULL, 1771043000000)",
    )
    report = bring_in(store, file)

    assert report.intake.new == 1
    assert ("more", "A single pixel.") in tree(store)


def test_roles_of_orcx_that_nobody_knows_are_kept(file: Path, store: Store) -> None:
    messages = [{"role": "system", "content": "be"}, {"role": "user", "content": ["a"]}]
    row = "INSERT INTO conversations (id, model, messages) VALUES ('a', 'm', ?)"
    bring_in(store, database(file, ORCX, (row, [json.dumps(messages)])))
    system, user = all_of(store)

    assert (system.role, system.blocks[0].extra) == ("user", {"orcx_role": "system"})
    assert user.text == '["a"]'


def test_the_totals_of_a_conversation_that_went_on_count_once(
    file: Path, store: Store
) -> None:
    file.write_bytes((SAMPLES / "orcx_conversations.db").read_bytes())
    bring_in(store, file)
    database(
        file,
        "UPDATE conversations SET total_cost = 0.5, messages ="
        ' json_insert(messages, \'$[#]\', json(\'{"role":"user","content":"x"}\'),'
        ' \'$[#]\', json(\'{"role":"assistant","content":"y"}\')) WHERE id = \'a1b2\'',
    )
    bring_in(store, file)

    assert sum(usage.cost for usage in store.usage()) == 0.5


def test_a_row_without_messages_is_nothing(file: Path, store: Store) -> None:
    row = "INSERT INTO conversations (id, model, messages) VALUES ('a', 'm', '[]')"
    assert bring_in(store, database(file, ORCX, (row, []))).intake.new == 0
