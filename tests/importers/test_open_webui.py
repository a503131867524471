"""Open WebUI: exported chats and its database, thinking and tools inside of text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from convotui.conversations.importing import Importer
from convotui.storage import Store

from .helpers import all_of, bring_in, database, saved, texts, tree

PIXEL = "data:image/png;base64,iVBORw0KGgo="
TABLE = """
CREATE TABLE chat (id TEXT, user_id TEXT, title TEXT, chat TEXT, created_at INTEGER,
    updated_at INTEGER, archived INTEGER, pinned INTEGER, meta TEXT, folder_id TEXT);
CREATE TABLE auth (id TEXT, password TEXT);
"""


def message(key: str, parent: str | None, text: object, **more: Any) -> dict[str, Any]:
    role = "assistant" if key.startswith("a") else "user"
    return {
        "id": key,
        "parentId": parent,
        "childrenIds": [],
        "role": role,
        "content": text,
        "timestamp": 1_770_000_000 + int(key[1:]),
        **more,
    }


def chat(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    history = {"messages": {m["id"]: m for m in messages}, "currentId": "a2"}
    return {
        "id": "chat-1",
        "user_id": "u",
        "title": "Counting",
        "chat": {
            "models": ["m1"],
            "params": {"system": "Be kind."},
            "history": history,
        },
        "created_at": 1_770_000_000,
        "pinned": True,
        "meta": {"tags": ["numbers"]},
        **more,
    }


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "export"


def test_every_branch_of_a_chat_comes_in(file: Path, store: Store) -> None:
    exported = chat(
        message("a2", "u1", "two", model="m1"),
        message("u1", None, "one"),
        message("a3", "u1", "zwei", model="m2"),
        message("u4", "a3", "drei"),
    )
    [report] = bring_in(store, saved(file, [exported])).files
    first = next(m for m in all_of(store) if m.text == "one")
    meta = store.origins.of([first.id])[first.id].meta

    assert (report.format, report.branches) == ("open-webui", 1)
    assert set(tree(store)) == {
        ("one", None),
        ("two", "one"),
        ("zwei", "one"),
        ("drei", "zwei"),
    }
    assert first.title == "Counting"
    assert meta == {"system": "Be kind.", "tags": ["numbers"], "pinned": True}
    assert str(first.created_at) == "2026-02-02 02:40:01"
    assert {m.facts.model for m in all_of(store) if m.facts} == {"m1", "m2"}


def test_the_database_and_an_export_hold_the_same_chat(
    file: Path, store: Store
) -> None:
    exported = chat(message("u1", None, "one"), message("a2", "u1", "two"))
    row = "INSERT INTO chat (id, user_id, title, chat, created_at) VALUES (?,?,?,?,?)"
    values = ("chat-1", "u", "Counting", json.dumps(exported["chat"]), 1_770_000_000)
    broken = ("chat-2", "u", "Broken", "{", 1_770_000_000)
    source = database(file.with_name("webui"), TABLE, (row, values), (row, broken))
    report = Importer(store).run([source])

    assert texts(store) == ["one", "two"]
    assert [problem.where for problem in report.problems] == ["chat chat-2"]
    assert bring_in(store, saved(file, [exported])).intake.new == 0


def test_thinking_and_tools_are_taken_out_of_the_text(file: Path, store: Store) -> None:
    text = (
        '<details type="reasoning" done="true" duration="3">\n'
        "<summary>Thought for 3 seconds</summary>\n"
        "> First &gt; this.\n> Then that.\n</details>\n"
        "Let me look.\n"
        '<details type="tool_calls" done="true" id="c1" name="find"'
        ' arguments="&quot;{\\&quot;q\\&quot;: 1}&quot;"'
        ' result="&quot;found &lt;it&gt;&quot;" files="">\n'
        "<summary>Tool Executed</summary>\n</details>\n"
        "There it is."
    )
    exported = chat(
        message("u1", None, "one"),
        message("a2", "u1", text, usage={"prompt_tokens": 5, "completion_tokens": 6}),
        message("u3", "a2", "thanks"),
    )
    bring_in(store, saved(file, [exported]))
    _, asking, given, answer, thanks = all_of(store)

    assert [(b.type, b.content) for b in asking.blocks] == [
        ("thinking", "First > this.\nThen that."),
        ("content", "Let me look."),
        ("tool_call", '{"name":"find","parameters":{"q":1}}'),
    ]
    assert (given.role, given.text, given.blocks[0].id) == (
        "tool_result",
        "found <it>",
        "c1",
    )
    assert (answer.role, answer.text) == ("assistant", "There it is.")
    assert thanks.parent_id == answer.id
    assert asking.facts is not None
    assert (asking.facts.input_tokens, asking.facts.output_tokens) == (5, 6)
    assert answer.facts is not None
    assert answer.facts.output_tokens is None
    assert bring_in(store, file).intake.new == 0


def test_items_of_newer_versions_are_read_too(file: Path, store: Store) -> None:
    output = [
        {"type": "reasoning", "content": [{"type": "output_text", "text": "Hm."}]},
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
        {
            "type": "function_call_output",
            "call_id": "c",
            "output": [{"type": "input_text", "text": "done"}],
        },
        {"type": "message", "content": [{"type": "output_text", "text": "Yes."}]},
    ]
    reply = message("a2", "u1", "Yes.", output=output)
    bring_in(store, saved(file, [chat(message("u1", None, "one"), reply)]))

    assert [m.role for m in all_of(store)] == [
        "user",
        "assistant",
        "tool_result",
        "assistant",
    ]
    assert texts(store) == ["one", "", "done", "Yes."]


def test_files_and_errors(file: Path, store: Store) -> None:
    files = [
        {"type": "image", "url": PIXEL},
        {"type": "file", "name": "a.pdf", "id": "f1"},
    ]
    exported = chat(
        message("u1", None, "look", files=files),
        message("a2", "u1", "", error={"content": "no such model"}),
        message("a3", "u1", "half", done=False),
    )
    bring_in(store, saved(file, [exported]))
    prompt, failed, cut = all_of(store)

    assert (prompt.blocks[1].modality, prompt.blocks[1].content) == (1, "iVBORw0KGgo=")
    assert prompt.blocks[2].extra["file"]["id"] == "f1"
    assert failed.facts is not None
    assert (failed.facts.state, failed.facts.error) == ("failed", "no such model")
    assert cut.facts is not None
    assert cut.facts.state == "interrupted"


def test_a_reply_that_was_still_written_grows(file: Path, store: Store) -> None:
    begun = message("a2", "u1", "half", done=False)
    bring_in(store, saved(file, [chat(message("u1", None, "one"), begun)]))
    ended = message("a2", "u1", "half and half", done=True)
    more = message("u3", "a2", "more")
    exported = chat(message("u1", None, "one"), ended, more)
    intake = bring_in(store, saved(file, [exported])).intake

    assert (intake.new, intake.grown, intake.known) == (1, 1, 1)
    assert texts(store) == ["one", "half and half", "more"]


def test_a_thought_that_was_cut_off_is_one(file: Path, store: Store) -> None:
    text = '<details type="reasoning" done="false">\n<summary>Thinking</summary>\n> Hm'
    exported = chat(message("u1", None, "one"), message("a2", "u1", text))
    bring_in(store, saved(file, [exported]))
    [block] = all_of(store)[1].blocks

    assert (block.type, block.content) == ("thinking", "Hm")


def test_times_that_others_wrote_in_milliseconds(file: Path, store: Store) -> None:
    exported = chat(message("u1", None, "one", timestamp=1_770_000_000_500))
    bring_in(store, saved(file, [exported]))

    assert str(all_of(store)[0].created_at) == "2026-02-02 02:40:00.500000"


def test_the_first_versions_had_a_list(file: Path, store: Store) -> None:
    old = {
        "id": "x",
        "title": "Old",
        "chat": {
            "models": ["m"],
            "system": "Be old.",
            "messages": [
                {"role": "user", "content": "one"},
                {"role": "assistant", "content": "two", "info": {"eval_count": 4}},
            ],
        },
    }
    bring_in(store, saved(file, [old]))

    assert tree(store) == [("one", None), ("two", "one")]
    assert [m.facts.output_tokens for m in all_of(store) if m.facts] == [4]


def test_odd_messages_do_no_harm(file: Path, store: Store) -> None:
    exported = chat(
        message("u1", "u2", "ring"),
        message("u2", "u1", ["a", {"type": "text"}], timestamp=1_770_000_000_123),
        message("a3", "gone", '<details type="reasoning"><summary>never closed'),
        message("u4", None, 7, timestamp="x", files=[None, 3]),
        {"id": None},
    )
    exported["chat"]["history"]["messages"]["z"] = "no message"
    report = Importer(store).run([saved(file, [exported, {"no": "chat"}, 4])])

    assert len(all_of(store)) == 4
    assert len(report.problems) == 2


@pytest.mark.parametrize("mark", ["> ", "&gt; ", ">"])
def test_thinking_is_freed_of_its_quotes(
    mark: str, store: Store, tmp_path: Path
) -> None:
    text = (
        '<details type="reasoning" done="true" duration="3">\n'
        f"<summary>Thought</summary>\n{mark}a &lt; b\n{mark}so\n</details>\nYes."
    )
    told = chat(message("u1", None, "a < b?"), message("a2", "u1", text))
    bring_in(store, saved(tmp_path / "chats.json", [told]))
    reply = all_of(store)[1]

    assert [(b.type, b.content) for b in reply.blocks] == [
        ("thinking", "a < b\nso"),
        ("content", "Yes."),
    ]


def test_a_chat_may_come_alone(store: Store, tmp_path: Path) -> None:
    whole = chat(message("u1", None, "one"), message("a2", "u1", "two"))
    bring_in(store, saved(tmp_path / "chat.json", whole["chat"]))

    assert tree(store) == [("one", None), ("two", "one")]
