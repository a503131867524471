"""LibreChat: exported flat and nested, with thoughts, tools and files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from convotui.conversations.importing import Importer
from convotui.storage import Store

from .helpers import all_of, bring_in, saved, texts, tree

ROOT = "00000000-0000-0000-0000-000000000000"


def message(key: str, parent: str, text: str = "", **more: Any) -> dict[str, Any]:
    is_prompt = key.startswith("u")
    return {
        "messageId": key,
        "parentMessageId": parent,
        "conversationId": "c1",
        "sender": "User" if is_prompt else "Claude",
        "isCreatedByUser": is_prompt,
        "text": text,
        "createdAt": f"2026-02-02T10:00:{int(key[1:]):02d}.000Z",
        "model": None if is_prompt else "m1",
        **more,
    }


def exported(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "conversationId": "c1",
        "endpoint": "agents",
        "title": "Counting",
        "exportAt": "10:00:00 GMT+0000",
        "branches": True,
        "recursive": False,
        "options": {"temperature": 1},
        "messages": list(messages),
        **more,
    }


def nested(*messages: dict[str, Any]) -> dict[str, Any]:
    """The same conversation with each message below its parent."""
    by_key = {m["messageId"]: {**m, "children": []} for m in messages}
    roots: list[dict[str, Any]] = []
    for one in by_key.values():
        above = by_key.get(one["parentMessageId"])
        (roots if above is None else above["children"]).append(one)
    document = exported(recursive=True, messagesTree=roots)
    del document["messages"]
    return document


MESSAGES = (
    message("u1", ROOT, "one"),
    message("a2", "u1", "two", tokenCount=12),
    message("a3", "u1", "zwei"),
    message("u4", "a2", "three"),
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "Counting"


@pytest.mark.parametrize("shape", [exported, nested], ids=["flat", "nested"])
def test_every_branch_comes_in(shape: Any, file: Path, store: Store) -> None:
    [report] = bring_in(store, saved(file, shape(*MESSAGES))).files
    first, second = all_of(store)[:2]
    meta = store.origins.of([first.id])[first.id].meta

    assert (report.format, report.branches) == ("librechat", 1)
    assert set(tree(store)) == {
        ("one", None),
        ("two", "one"),
        ("zwei", "one"),
        ("three", "two"),
    }
    assert first.title == "Counting"
    assert (meta["endpoint"], meta["options"]) == ("agents", {"temperature": 1})
    assert second.facts is not None
    assert (second.facts.model, second.facts.output_tokens) == ("m1", 12)
    assert str(second.created_at) == "2026-02-02 10:00:02"


def test_both_shapes_are_one_conversation(file: Path, store: Store) -> None:
    bring_in(store, saved(file, exported(*MESSAGES[:2])))
    intake = bring_in(store, saved(file, nested(*MESSAGES))).intake

    assert (intake.new, intake.known) == (2, 2)
    assert bring_in(store, file).intake.new == 0


def test_a_long_conversation_that_is_nested_comes_in_whole(
    file: Path, store: Store
) -> None:
    count, text = 3_000, ']}[{ "children": ['
    opened = []
    for number in range(1, count + 1):
        parent = f"u{number - 1}" if number > 1 else ROOT
        one = message(f"u{number}", parent, text, createdAt=None)
        opened.append(f'[{json.dumps(one)[:-1]}, "children": ')
    tree_text = "".join(opened) + "[]" + "}]" * count
    document = json.dumps(exported(recursive=True, messages=None))[:-1]
    file.write_text(f'{document}, "messagesTree": {tree_text}}}')
    bring_in(store, file)
    said = all_of(store)

    assert len(said) == count
    assert [m.parent_id for m in said[1:]] == [m.id for m in said[:-1]]
    assert {m.text for m in said} == {text}


def test_a_nested_conversation_that_was_cut_is_told(file: Path, store: Store) -> None:
    saved(file, nested(*MESSAGES))
    whole = file.read_text()
    file.write_text(whole[: whole.index('"zwei"')])
    report = Importer(store).run([file])

    assert len(report.problems) == 1
    assert all_of(store) == []


def test_parts_become_blocks_and_results_messages(file: Path, store: Store) -> None:
    content = [
        {"type": "think", "think": "Hm."},
        {"type": "text", "text": {"value": "I look."}},
        None,
        {
            "type": "tool_call",
            "tool_call": {"id": "c1", "name": "f", "args": '{"q":1}'},
        },
        {
            "type": "tool_call",
            "tool_call": {
                "id": "c2",
                "type": "function",
                "function": {"name": "g", "arguments": "{no", "output": "given"},
            },
        },
        {"type": "text", "text": "There."},
        {"type": "new_kind", "x": 1},
    ]
    prompt, below = message("u1", ROOT, "one"), message("u3", "a2", "thanks")
    reply = message("a2", "u1", "I look. There.", content=content)
    bring_in(store, saved(file, exported(prompt, reply, below)))
    _, asking, given, answer, thanks = all_of(store)

    assert [(b.type, b.id) for b in asking.blocks] == [
        ("thinking", None),
        ("content", None),
        ("tool_call", "c1"),
        ("tool_call", "c2"),
    ]
    assert asking.blocks[3].content == '{"name":"g","parameters":"{no"}'
    assert (given.role, given.text, given.blocks[0].id) == (
        "tool_result",
        "given",
        "c2",
    )
    assert [b.type for b in answer.blocks] == ["content", "new_kind"]
    assert answer.blocks[1].extra == {"raw": {"type": "new_kind", "x": 1}}
    assert thanks.parent_id == answer.id


def test_errors_files_and_what_else_is_known(file: Path, store: Store) -> None:
    files = [
        {"type": "image/png", "filepath": "/images/u/a.png"},
        {"type": "application/pdf", "filename": "b.pdf"},
    ]
    bring_in(
        store,
        saved(
            file,
            exported(
                message("u1", ROOT, "look", files=files),
                message("a2", "u1", "quota", error=True, feedback={"rating": "no"}),
                message("a3", "u1", "half", unfinished=True),
            ),
        ),
    )
    prompt, failed, cut = all_of(store)

    assert prompt.blocks[1].extra == {"image_url": "/images/u/a.png"}
    assert prompt.blocks[2].content == "[file: b.pdf]"
    assert failed.facts is not None
    assert (failed.facts.state, failed.facts.error) == ("failed", "quota")
    assert store.origins.of([failed.id])[failed.id].meta["feedback"] == {"rating": "no"}
    assert cut.facts is not None
    assert cut.facts.state == "interrupted"


def test_odd_messages_do_no_harm(file: Path, store: Store) -> None:
    document = exported(
        message("u1", "u2", "ring"),
        message(
            "u2", "u1", content=[3, {"type": "text", "text": 5}, {"type": "think"}]
        ),
        message("a3", "gone", files=[None, {"type": 4}], createdAt=[]),
        {"messageId": 7, "children": [message("u4", "?", "below what has no id")]},
    )
    other = {"conversationId": "c2", "messages": []}
    report = Importer(store).run([saved(file, [document, other])])

    assert len(all_of(store)) == 4
    assert "below what has no id" in texts(store)
    assert [problem.where for problem in report.problems] == ["item 2 (line 1)"]


@pytest.mark.parametrize("name", ["messages", "messagesTree"])
def test_nested_messages_may_be_called_either(
    name: str, store: Store, tmp_path: Path
) -> None:
    inner = message("a2", "u1", "two") | {"children": [message("u3", "a2", "three")]}
    top = message("u1", ROOT, "one") | {
        "children": [inner, message("a4", "u1", "four")]
    }
    document = exported(recursive=True)
    del document["messages"]
    bring_in(store, saved(tmp_path / "chat.json", {**document, name: [top]}))

    assert sorted(tree(store), key=str) == [
        ("four", "one"),
        ("one", None),
        ("three", "two"),
        ("two", "one"),
    ]
