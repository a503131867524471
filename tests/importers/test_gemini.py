"""Gemini CLI: logs that are rewound and written anew, older sessions, saved chats."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from convotui.conversations.importing import Importer
from convotui.storage import Store

from .helpers import all_of, bring_in, saved, texts, tree

HEADER = {
    "sessionId": "s1",
    "projectHash": "abc",
    "startTime": "2026-04-01T10:00:00.000Z",
    "kind": "main",
}


def said(key: str, content: object, **more: Any) -> dict[str, Any]:
    return {
        "id": key,
        "type": "gemini" if key.startswith("g") else "user",
        "timestamp": f"2026-04-01T10:00:{int(key[1:]):02d}.000Z",
        "content": content,
        **more,
    }


def written(path: Path, *records: object, end: str = "\n") -> Path:
    path.write_text("\n".join(map(json.dumps, records)) + end)
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "session"


def test_what_was_rewound_is_a_branch(file: Path, store: Store) -> None:
    written(
        file,
        HEADER,
        said("u1", [{"text": "one"}]),
        said("g2", "two", model="m1"),
        said("u3", [{"text": "three"}]),
        said("g4", "four"),
        {"$rewindTo": "u3"},
        {"$set": {"summary": "Counting"}},
        said("u5", [{"text": "drei"}]),
        said("g6", "vier"),
    )
    [report] = bring_in(store, file).files

    assert (report.format, report.branches) == ("gemini", 1)
    assert tree(store) == [
        ("one", None),
        ("two", "one"),
        ("three", "two"),
        ("four", "three"),
        ("drei", "two"),
        ("vier", "drei"),
    ]
    assert all_of(store)[0].title == "Counting"


def test_a_rewind_to_nowhere_begins_anew(file: Path, store: Store) -> None:
    written(file, HEADER, said("u1", "one"), {"$rewindTo": "?"}, said("u2", "again"))
    bring_in(store, file)

    assert tree(store) == [("one", None), ("again", None)]


def test_a_message_that_is_written_again_is_one(file: Path, store: Store) -> None:
    call = {"id": "c1", "name": "ls", "args": {"path": "."}, "status": "executing"}
    response = {"functionResponse": {"id": "c1", "response": {"output": "a b"}}}
    tokens = {"input": 10, "output": 4, "cached": 3, "thoughts": 2, "total": 16}
    thoughts = [{"subject": "Plan", "description": "Look first."}]
    written(
        file,
        HEADER,
        said("u1", "one"),
        said("g2", "I look.", thoughts=thoughts),
        said("g2", "I look.", thoughts=thoughts, toolCalls=[call]),
        said(
            "g2",
            "I look.",
            thoughts=thoughts,
            toolCalls=[{**call, "status": "success", "result": [response]}],
            tokens=tokens,
            model="m1",
        ),
        said("g3", "Two files."),
    )
    bring_in(store, file)
    _, asking, given, answer = all_of(store)
    facts = asking.facts

    assert [(b.type, b.content) for b in asking.blocks] == [
        ("thinking", "Plan\n\nLook first."),
        ("content", "I look."),
        ("tool_call", '{"name":"ls","parameters":{"path":"."}}'),
    ]
    assert (given.role, given.text, given.blocks[0].id) == ("tool_result", "a b", "c1")
    assert answer.parent_id == given.id
    assert facts is not None
    assert (facts.model, facts.input_tokens, facts.cached_tokens) == ("m1", 10, 3)
    assert (facts.output_tokens, facts.reasoning_tokens) == (6, 2)


@pytest.mark.parametrize(
    ("tool", "text"),
    [
        ({"status": "cancelled", "resultDisplay": "stopped"}, "stopped"),
        (
            {"result": {"functionResponse": {"response": {"error": "no such file"}}}},
            "no such file",
        ),
    ],
    ids=["cancelled", "failed"],
)
def test_tools_that_failed(
    tool: dict[str, Any], text: str, file: Path, store: Store
) -> None:
    call = {"id": "c1", "name": "cat", "args": {}, **tool}
    written(file, HEADER, said("u1", "one"), said("g2", "", toolCalls=[call]))
    bring_in(store, file)
    last = all_of(store)[-1]

    assert (last.text, last.tool_result_error) == (text, True)


def test_what_a_compression_put_in_place_goes_on_from_the_rest(
    file: Path, store: Store
) -> None:
    summary = said("u5", "So far: one, two.")
    written(
        file,
        HEADER,
        said("u1", "one"),
        said("g2", "two"),
        {"$set": {"messages": [summary, said("g6", "Understood.")]}},
        said("u7", "three"),
    )
    bring_in(store, file)
    by_text = {message.text: message for message in all_of(store)}
    put = by_text["So far: one, two."]

    assert tree(store)[2:] == [
        ("So far: one, two.", None),
        ("Understood.", "So far: one, two."),
        ("three", "Understood."),
    ]
    assert store.origins.of([put.id])[put.id].continues == by_text["two"].id


def test_notes_and_errors_of_the_program(file: Path, store: Store) -> None:
    written(
        file,
        HEADER,
        said("u1", "Signed in.", type="info"),
        said("u2", "one"),
        said("u3", "Quota exceeded.", type="error"),
    )
    bring_in(store, file)
    prompt, failed = all_of(store)

    assert store.origins.of([prompt.id])[prompt.id].meta["notes"] == [
        {"type": "info", "content": "Signed in."}
    ]
    assert (failed.text, failed.role) == ("Quota exceeded.", "assistant")
    assert failed.facts is not None
    assert failed.facts.state == "failed"


def test_an_older_session_is_one_document_and_stays_the_same(
    file: Path, store: Store
) -> None:
    picture = {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}
    messages = [said("u1", [{"text": "look"}, picture]), said("g2", "two")]
    bring_in(store, saved(file, {**HEADER, "messages": messages}))
    newer = written(file.with_name("newer"), HEADER, *messages, said("u3", "three"))
    intake = bring_in(store, newer).intake

    assert all_of(store)[0].blocks[1].modality == 1
    assert (intake.new, intake.known) == (1, 2)
    assert tree(store)[-1] == ("three", "two")


def test_a_subagent_is_a_trace(file: Path, store: Store) -> None:
    bring_in(store, written(file, {**HEADER, "kind": "subagent"}, said("u1", "go")))

    assert all_of(store)[0].title == "subagent:gemini:s1"


@pytest.mark.parametrize("is_wrapped", [False, True], ids=["list", "history"])
def test_a_saved_chat_is_read_and_grows(
    is_wrapped: bool, file: Path, store: Store
) -> None:
    turns: list[Any] = [
        {"role": "user", "parts": [{"text": "one"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]},
        {
            "role": "user",
            "parts": [{"functionResponse": {"name": "f", "response": {"output": "x"}}}],
        },
        {"role": "model", "parts": [{"text": "hm", "thought": True}, {"text": "two"}]},
    ]
    bring_in(store, saved(file, {"history": turns} if is_wrapped else turns))
    turns.append({"role": "user", "parts": [{"text": "one"}]})
    intake = bring_in(store, saved(file, turns)).intake

    assert intake.new == 1
    assert [m.role for m in all_of(store)] == [
        "user",
        "assistant",
        "tool_result",
        "assistant",
        "user",
    ]
    assert texts(store)[-2:] == ["two", "one"]


def test_a_log_that_was_cut_and_odd_records(file: Path, store: Store) -> None:
    written(
        file,
        HEADER,
        said("u1", [None, 4, {"strange": 1}]),
        said("g2", None, thoughts="x", toolCalls=[3, {"id": 5}], tokens=[], model={}),
        {"$rewindTo": ["u1"]},
        {"$set": "x"},
        {"$set": {"messages": [None, {"id": 4}]}},
        end='\n{"id": "u3", "content": "cut',
    )
    report = Importer(store).run([file])

    assert [message.role for message in all_of(store)] == ["user", "assistant"]
    assert [problem.where for problem in report.problems] == ["line 7"]


def test_the_name_of_a_saved_chat_is_its_label(tmp_path: Path, store: Store) -> None:
    turn = {"role": "user", "parts": [{"text": "hi"}]}
    file = tmp_path / "checkpoint-plans.json"
    file.write_text(json.dumps({"history": [turn]}))
    bring_in(store, file)

    assert all_of(store)[0].title == "plans"
