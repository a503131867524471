"""Amazon Q and Kiro: what `/save` wrote, both shapes, tangents, and what grows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from convotui.conversations.importing import Importer
from convotui.storage import Store

from .helpers import SAMPLES, all_of, bring_in, database, saved, texts, tree

ENVIRONMENT = {"env_state": {"current_working_directory": "/home/ada/work"}}


def user(prompt: str, **more: object) -> dict[str, Any]:
    content = {"Prompt": {"prompt": prompt}}
    return {"content": content, "env_context": ENVIRONMENT, "images": None, **more}


def reply(text: str) -> dict[str, Any]:
    return {"Response": {"message_id": f"id of {text}", "content": text}}


def turn(prompt: str, answer: str, **request: object) -> dict[str, Any]:
    return {
        "user": user(prompt),
        "assistant": reply(answer),
        "request_metadata": request or None,
    }


def state(*history: object, **more: object) -> dict[str, Any]:
    return {"conversation_id": "c1", "history": list(history), **more}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "saved"


@pytest.mark.parametrize("old", [False, True], ids=["objects", "pairs"])
def test_a_saved_file_is_read_in_either_shape(
    old: bool, file: Path, store: Store
) -> None:
    turns: list[Any] = [turn("one", "two"), turn("three", "four")]
    if old:
        turns = [[entry["user"], entry["assistant"]] for entry in turns]
    [report] = bring_in(store, saved(file, state(*turns, model="m1"))).files

    assert report.format == "q"
    assert tree(store) == [
        ("one", None),
        ("two", "one"),
        ("three", "two"),
        ("four", "three"),
    ]
    assert all_of(store)[0].title == "/home/ada/work"
    assert {m.facts.model for m in all_of(store) if m.facts} == {"m1"}


def test_a_saved_file_and_the_database_are_one(store: Store, file: Path) -> None:
    sql = "CREATE TABLE conversations (key TEXT PRIMARY KEY, value TEXT)"
    kept = state(turn("one", "two"))
    saved(file, kept)
    row = ("INSERT INTO conversations VALUES ('/home/ada/work', ?)", [file.read_text()])
    bring_in(store, database(file.with_name("data"), sql, row))

    assert bring_in(store, file).intake.new == 0


def test_what_is_said_again_after_a_clear_is_new_and_the_old_stays(
    file: Path, store: Store
) -> None:
    bring_in(store, saved(file, state(turn("one", "two"), turn("three", "four"))))
    bring_in(store, saved(file, state(turn("five", "six"))))

    assert sorted(texts(store)) == ["five", "four", "one", "six", "three", "two"]


def test_a_compaction_doubles_nothing(file: Path, store: Store) -> None:
    bring_in(store, saved(file, state(turn("one", "two"), turn("three", "four"))))
    compacted = state(turn("three", "four"), turn("five", "six"), latest_summary="1, 2")
    report = bring_in(store, saved(file, compacted))

    assert report.intake.new == 3
    assert ("five", "four") in tree(store)
    assert ("1, 2", None) in tree(store)


def test_what_waited_to_be_sent_is_not_doubled_when_it_was(
    file: Path, store: Store
) -> None:
    waiting = user("three", timestamp="2025-10-06T12:00:00Z")
    bring_in(store, saved(file, state(turn("one", "two"), next_message=waiting)))
    sent = {"user": waiting, "assistant": reply("four")}
    bring_in(store, saved(file, state(turn("one", "two"), sent)))

    assert tree(store)[-2:] == [("three", "two"), ("four", "three")]
    assert len(tree(store)) == 4


def test_the_same_words_said_later_are_another_message(
    file: Path, store: Store
) -> None:
    first = user("go on", timestamp="2025-10-06T12:00:00Z")
    again = user("go on", timestamp="2025-10-06T13:00:00Z")
    turned = {"user": first, "assistant": reply("one")}
    bring_in(store, saved(file, state(turned, next_message=again)))
    # The front of the history is dropped when it gets too long.
    bring_in(store, saved(file, state({"user": again, "assistant": reply("two")})))

    assert tree(store) == [
        ("go on", None),
        ("one", "go on"),
        ("go on", "one"),
        ("two", "go on"),
    ]
    newest = next(message for message in all_of(store) if message.text == "two")
    assert len(store.thread(newest.id)) == 4


def test_what_was_cancelled_failed(file: Path, store: Store) -> None:
    result = {"tool_use_id": "a", "content": [{"Text": "no"}], "status": "Success"}
    content = {"CancelledToolUses": {"prompt": None, "tool_use_results": [result]}}
    bring_in(store, saved(file, state([{"content": content}, reply("fine")])))
    cancelled, _ = all_of(store)

    assert (cancelled.role, cancelled.tool_result_error) == ("tool_result", True)


def test_what_a_tangent_left_aside_is_a_branch(file: Path, store: Store) -> None:
    aside = {
        "main_history": [turn("one", "two"), turn("main", "main reply")],
        "main_next_message": user("still to say"),
    }
    history = [turn("one", "two"), turn("side", "side reply")]
    bring_in(store, saved(file, state(*history, tangent_state=aside)))

    assert set(tree(store)) == {
        ("one", None),
        ("two", "one"),
        ("side", "two"),
        ("side reply", "side"),
        ("main", "two"),
        ("main reply", "main"),
        ("still to say", "main reply"),
    }
    labels = {m.text: m.title for m in all_of(store) if m.title and m.parent_id}
    assert labels == {"side": "tangent"}


def test_pictures_among_results_belong_to_the_last(file: Path, store: Store) -> None:
    results = [
        {"tool_use_id": name, "content": [{"Text": name}], "status": "Success"}
        for name in ("a", "b")
    ]
    turned = {
        "user": {
            "content": {"ToolUseResults": {"tool_use_results": results}},
            "images": [{"format": "Jpeg", "source": {"Bytes": [1, 2, 3]}}],
        },
        "assistant": reply("seen"),
    }
    bring_in(store, saved(file, state(turned)))
    first, second, _ = all_of(store)

    assert [block.id for block in first.blocks] == ["a"]
    assert [(b.id, b.mime_type, b.content) for b in second.blocks] == [
        ("b", "text/plain", "b"),
        ("b", "image/jpeg", "AQID"),
    ]


def test_kiro_keeps_several_conversations_of_a_directory(
    store: Store, file: Path
) -> None:
    sql = """
    CREATE TABLE conversations_v2 (key TEXT, conversation_id TEXT, value TEXT,
        created_at INTEGER, updated_at INTEGER, PRIMARY KEY (key, conversation_id));
    CREATE TABLE conversations (key TEXT PRIMARY KEY, value TEXT);
    CREATE TABLE auth_kv (key TEXT PRIMARY KEY, value TEXT);
    """
    insert = "INSERT INTO conversations_v2 VALUES ('/p', ?, ?, 0, 1767268800000)"
    first = '{"history": [' + json.dumps(
        turn("one", "two", context_usage_percentage=7.5)
    )
    second = '{"history": [' + json.dumps(turn("three", "four"))
    usage = '], "user_turn_metadata": {"requests": [1]}}'
    rows = [(insert, ("a", first + usage)), (insert, ("b", second + "]}"))]
    [report] = bring_in(store, database(file, sql, *rows)).files

    assert (report.format, report.conversations) == ("q", 2)
    messages = {message.text: message for message in all_of(store)}
    assert str(messages["one"].created_at) == "2026-01-01 12:00:00"
    meta = {
        text: store.origins.of([message.id])[message.id].meta
        for text, message in messages.items()
    }
    assert meta["one"]["user_turn_metadata"] == {"requests": [1]}
    assert meta["two"]["context_usage_percentage"] == 7.5
    assert {message.title for message in messages.values()} == {"/p", None}


def test_times_of_a_request_become_those_of_the_reply(file: Path, store: Store) -> None:
    request = {
        "request_start_timestamp_ms": 1767268800000,
        "stream_end_timestamp_ms": 1767268802500,
        "time_to_first_chunk": {"secs": 1, "nanos": 250_000_000},
    }
    bring_in(store, saved(file, state(turn("one", "two", **request))))
    prompt, answer = all_of(store)

    assert str(prompt.created_at) == "2026-01-01 12:00:00"
    assert str(answer.created_at) == "2026-01-01 12:00:02.500000"
    assert answer.facts is not None
    assert (answer.facts.first_token_seconds, answer.facts.duration_seconds) == (
        1.25,
        2.5,
    )


@pytest.mark.parametrize(
    "entry",
    [
        None,
        7,
        [],
        ["user"],
        {"user": None, "assistant": None},
        {"user": {"content": {"New": {}}}, "assistant": {"New": 1}},
        {
            "user": {"content": 3, "images": [1, {"source": {"Bytes": [999]}}]},
            "assistant": {"ToolUse": {"tool_uses": [1, {}], "content": 5}},
        },
        {
            "user": {
                "content": {"ToolUseResults": {"tool_use_results": [1, {"content": 2}]}}
            },
            "assistant": [],
        },
    ],
    ids=str,
)
def test_nonsense_in_a_history_harms_nothing_else(
    entry: object, file: Path, store: Store
) -> None:
    Importer(store).run(
        [
            saved(
                file,
                state(
                    [user("one"), reply("two")], entry, [user("three"), reply("four")]
                ),
            )
        ]
    )

    assert {"one", "two", "three", "four"} <= set(texts(store))
    assert len(texts(store)) > 4


def test_nothing_of_the_credentials_is_read(store: Store, file: Path) -> None:
    file.write_bytes((SAMPLES / "q_data.sqlite3").read_bytes())
    database(file, "INSERT INTO auth_kv VALUES ('token', 'the secret of all secrets')")
    bring_in(store, file)

    assert store.search("secret") == []
    assert b"secret of all" not in store.path.read_bytes()
