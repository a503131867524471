"""Messages without ids: as OpenAI's API takes them, and as ShareGPT keeps them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from convotui.conversations.importing import Importer
from convotui.importers import Problems, find_sources, format_of
from convotui.storage import Store

from .helpers import SAMPLES, all_of, bring_in, saved, texts, tree

THREAD = SAMPLES / "openai_messages.json"
LINES = SAMPLES / "openai_finetune.jsonl"
SHARED = SAMPLES / "sharegpt.json"


def test_a_list_of_messages_is_one_thread(store: Store) -> None:
    report = bring_in(store, THREAD)
    system, asked, called, first, second, answer = all_of(store)

    assert report.files[0].format == "openai"
    assert [b.type for b in system.blocks] == ["hidden"]
    assert [(b.modality, b.extra) for b in asked.blocks] == [
        (0, {}),
        (1, {"detail": "low"}),
        (0, {"image_url": "https://example.org/cat.png"}),
    ]
    assert [b.type for b in called.blocks] == ["thinking", "tool_call", "tool_call"]
    assert json.loads(called.blocks[1].content)["parameters"] == {"by": 2}
    assert json.loads(called.blocks[2].content)["parameters"] == "{cut"
    assert [m.blocks[0].id for m in (first, second)] == ["call_x", "call_y"]
    assert answer.parent_id == second.id
    assert answer.facts is not None
    assert (answer.facts.model, answer.facts.input_tokens) == ("gpt-5.2", 30)
    assert (answer.facts.cached_tokens, answer.facts.finish_reason) == (8, "stop")


def test_each_line_is_a_conversation_and_those_that_begin_alike_are_branches(
    store: Store,
) -> None:
    bring_in(store, LINES)

    found = tree(store)
    assert ("Lima.", "Capital of Peru?") in found
    assert ("Cusco, once.", "Capital of Peru?") in found
    assert [parent for text, parent in found if text == "Capital of Peru?"] == [""]
    assert len([parent for _, parent in found if parent is None]) == 3


def test_the_older_way_to_call_functions(store: Store) -> None:
    bring_in(store, LINES)
    [result] = [m for m in all_of(store) if m.role == "tool_result"]
    [call] = [m for m in all_of(store) if m.id == result.parent_id]

    assert call.blocks[0].id == result.blocks[0].id is not None


@pytest.mark.parametrize("sample", [THREAD, LINES, SHARED], ids=lambda s: s.name)
def test_importing_again_adds_nothing(store: Store, sample: Path) -> None:
    bring_in(store, sample)
    before = all_of(store)

    assert bring_in(store, sample).intake.new == 0
    assert all_of(store) == before


def test_a_thread_that_grew_is_extended(store: Store, tmp_path: Path) -> None:
    thread = json.loads(THREAD.read_text())
    bring_in(store, THREAD)
    more = {"role": "user", "content": "And its name?", "timestamp": 1771042800123}
    report = bring_in(store, saved(tmp_path / "later.json", [*thread, more]))

    assert report.intake.new == 1
    assert ("And its name?", "A cat.") in tree(store)


def test_other_ways_to_hold_a_thread(store: Store, tmp_path: Path) -> None:
    said = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "yes"}]
    about = {"id": "x", "title": "Greeting", "model": "m", "messages": said}
    bring_in(store, saved(tmp_path / "object.json", about))
    first, reply = all_of(store)
    assert first.title == "Greeting"
    assert reply.facts is not None
    assert reply.facts.model == "m"

    lists = saved(tmp_path / "lists.json", [said, [*said, *said], []])
    assert bring_in(store, lists).intake.new == 4
    lines = tmp_path / "lines.jsonl"
    lines.write_text("\n".join(map(json.dumps, said)))
    assert bring_in(store, lines).intake.new == 0


def test_parts_of_other_apis(store: Store, tmp_path: Path) -> None:
    sound = {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "mp3"}}
    data = "data:application/pdf;base64,JVBERg=="
    file = {"type": "file", "file": {"filename": "a.pdf", "file_data": data}}
    use = {"type": "tool_use", "id": "t", "name": "look", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "t", "content": "seen"}
    signed = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
    messages = [
        {"role": "user", "content": [sound, file, {"type": "new", "x": 1}]},
        {"role": "assistant", "content": [use], "thinking_blocks": [signed]},
        {"role": "user", "content": [result, {"type": "text", "text": "so?"}]},
        {"role": "assistant", "content": "", "refusal": "No."},
    ]
    bring_in(store, saved(tmp_path / "f", messages))
    first, called, seen, words, refused = all_of(store)

    assert [b.mime_type for b in first.blocks[:2]] == ["audio/mpeg", "application/pdf"]
    assert first.blocks[1].extra == {"filename": "a.pdf"}
    assert first.blocks[2].type == "new"
    assert called.blocks[0].extra["anthropic_thinking_signature"] == "c2ln"
    assert (seen.role, seen.blocks[0].id) == ("tool_result", "t")
    assert (words.role, words.text, words.parent_id) == ("user", "so?", seen.id)
    assert (refused.text, refused.blocks[0].extra) == ("No.", {"refusal": True})


def test_roles_that_nobody_knows_are_kept(store: Store, tmp_path: Path) -> None:
    messages = [{"role": "narrator", "content": "It was dark."}]
    bring_in(store, saved(tmp_path / "f", messages))
    [message] = all_of(store)

    assert (message.role, message.text) == ("user", "It was dark.")
    assert store.origins.of([message.id])[message.id].meta["role"] == "narrator"


def test_sharegpt(store: Store) -> None:
    report = bring_in(store, SHARED)
    system, _, call, seen, answer = all_of(store)[2:]

    assert report.files[0].format == "sharegpt"
    assert texts(store)[:2] == ["Who are you?", "A program."]
    assert [b.type for b in system.blocks] == ["hidden"]
    assert json.loads(call.blocks[0].content) == {
        "name": "weather",
        "parameters": {"city": "Lima"},
    }
    assert (seen.role, seen.blocks[0].id) == ("tool_result", call.blocks[0].id)
    assert (answer.text, answer.parent_id) == ("Sunny.", seen.id)


def test_a_call_that_is_no_json_is_text(store: Store, tmp_path: Path) -> None:
    said = [{"from": "function_call", "value": "call me"}, {"from": 7, "value": [1]}]
    bring_in(store, saved(tmp_path / "f", {"conversations": said}))

    assert texts(store) == ["call me", "[1]"]


@pytest.mark.parametrize(
    "value",
    [
        {"role": "admin", "name": "Ada"},
        [{"role": "admin"}, {"role": "user"}],
        [{"role": "user", "content": "x"}, {"name": "no message"}],
        {"conversations": 7, "messages": {}},
        {"conversations": [{"from": "a"}]},
        [],
    ],
)
def test_other_json_is_none_of_these(value: object, tmp_path: Path) -> None:
    [source] = find_sources(saved(tmp_path / "f", value), Problems())

    assert format_of(source) is None


def test_what_is_no_message_is_told(store: Store, tmp_path: Path) -> None:
    lines = tmp_path / "f"
    message = {"role": "user", "content": "x"}
    good = {"messages": [message, {"role": [], "content": {}}, 7]}
    bad: list[object] = [{"messages": 7}, 7, {"messages": []}]
    lines.write_text("\n".join(map(json.dumps, [good, *bad])))
    report = Importer(store).run([lines])

    assert [problem.where for problem in report.problems] == ["line 2", "line 3"]
    assert texts(store)[0] == "x"


def test_a_document_of_many_conversations(store: Store, tmp_path: Path) -> None:
    said = [{"role": "user", "content": "one"}, {"role": "assistant", "content": "two"}]
    kept = {"id": "x", "name": "Mine", "messages": said, "model": {"id": "gpt-4"}}
    document = {"version": 4, "history": [kept, {"messages": []}], "folders": []}
    report = bring_in(store, saved(tmp_path / "history.json", document))
    first, reply = all_of(store)

    assert report.files[0].conversations == 1
    assert first.title == "Mine"
    assert reply.facts is not None
    assert reply.facts.model == "gpt-4"
