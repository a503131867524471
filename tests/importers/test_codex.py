"""Codex: items joined to replies, tools, counts, taken-back turns, forks, packing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import zstandard

from convotui.conversations.importing import Importer
from convotui.importers.places import find_places
from convotui.storage import ChatMessage, Store

from .helpers import SAMPLES, all_of, bring_in, texts, tree

SAMPLE = SAMPLES / "codex_rollout.jsonl"
LINES = [json.loads(line) for line in SAMPLE.read_text().splitlines()]

Line = dict[str, Any]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "rollout.jsonl"


def written(path: Path, *lines: object) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def begun(name: str, **more: object) -> Line:
    return {"type": "session_meta", "payload": {"id": name, "cwd": "/p", **more}}


def item(**payload: object) -> Line:
    time = "2026-05-06T08:00:00Z"
    return {"timestamp": time, "type": "response_item", "payload": payload}


def said(role: str, text: str) -> Line:
    content = [{"type": "output_text", "text": text}]
    return item(type="message", role=role, content=content)


def event(**payload: object) -> Line:
    return {"type": "event_msg", "payload": payload}


@pytest.fixture
def messages(store: Store) -> dict[str, ChatMessage]:
    """The messages of the sample by the first of what they say."""
    bring_in(store, SAMPLE)
    return {message.blocks[0].content: message for message in all_of(store)}


def test_the_items_of_a_reply_are_one_message(
    messages: dict[str, ChatMessage],
) -> None:
    answer = messages["**Running it**"]

    kinds = [block.type for block in answer.blocks]
    assert kinds == ["thinking", "content", "tool_call", "tool_call"]
    assert answer.blocks[0].extra == {
        "thinking_generator": "responses",
        "responses_reasoning_id": "rs_1",
        "responses_encrypted_content": "Z2VoZWlt",
    }
    calls = [json.loads(block.content) for block in answer.blocks[2:]]
    assert calls[0] == {"name": "shell", "parameters": {"command": ["pytest", "-q"]}}
    assert calls[1]["parameters"]["command"] == ["ls"]


def test_results_follow_in_a_row(messages: dict[str, ChatMessage]) -> None:
    failed, listed = messages["1 failed"], messages["engine.py"]

    assert failed.parent_id == messages["**Running it**"].id
    assert listed.parent_id == failed.id
    assert [m.tool_result_error for m in (failed, listed)] == [True, False]
    assert [m.blocks[0].id for m in (failed, listed)] == ["call_1", "call_2"]
    assert failed.blocks[0].extra["metadata"]["duration_seconds"] == 0.5


def test_a_reply_has_its_model_and_counts_once(
    store: Store, messages: dict[str, ChatMessage]
) -> None:
    facts = messages["**Running it**"].facts

    assert facts is not None
    assert facts.model == "gpt-5.2-codex"
    assert (facts.input_tokens, facts.cached_tokens) == (100, 64)
    assert (facts.output_tokens, facts.reasoning_tokens) == (50, 20)
    assert sum(usage.input_tokens for usage in store.usage()) == 300


def test_what_codex_says_in_the_users_name_is_folded(
    messages: dict[str, ChatMessage],
) -> None:
    folded = [m for m in messages.values() if m.blocks[0].type == "hidden"]

    assert len(folded) == 2
    assert all(message.role == "user" for message in folded)


def test_turns_that_were_taken_back_are_a_branch(
    store: Store, messages: dict[str, ChatMessage]
) -> None:
    found = tree(store)
    assert ("And this one?", "It is green now.") in found
    assert ("Say it in one word.", "It is green now.") in found
    facts = messages["That one is blu"].facts
    assert facts is not None
    assert facts.state == "interrupted"


def test_after_a_compaction_it_goes_on_elsewhere(
    store: Store, messages: dict[str, ChatMessage]
) -> None:
    summary = messages["The test was red and is green."]

    assert summary.parent_id is None
    provenance = store.origins.of([summary.id])[summary.id]
    assert provenance.continues == messages["Green."].id
    assert ("Commit it.", summary.text) in tree(store)


def test_pictures_and_strange_items_are_kept(store: Store) -> None:
    bring_in(store, SAMPLE)
    searched = next(m for m in all_of(store) if m.text == "It is green now.")
    pictures = [m for m in all_of(store) if m.blocks[0].modality == 1]

    assert searched.blocks[0].type == "web_search_call"
    assert "green tests" in searched.blocks[0].content
    assert [message.role for message in pictures] == ["user", "tool_result"]
    assert pictures[1].blocks[0].id == "call_4"


def test_importing_again_adds_only_what_is_new(store: Store, file: Path) -> None:
    bring_in(store, written(file, *LINES[:9]))
    report = bring_in(store, SAMPLE)
    assert (report.intake.grown, report.intake.known) == (1, 3)

    assert bring_in(store, SAMPLE).intake.new == 0
    assert len(all_of(store)) == 17


def test_a_packed_session_is_the_same_one(store: Store, tmp_path: Path) -> None:
    packed = tmp_path / "rollout.jsonl.zst"
    packed.write_bytes(zstandard.ZstdCompressor().compress(SAMPLE.read_bytes()))
    assert bring_in(store, packed).intake.new == 17
    assert bring_in(store, SAMPLE).intake.new == 0


def test_a_fork_is_a_branch(store: Store, tmp_path: Path) -> None:
    shared = [said("user", "hi"), said("assistant", "hello")]
    one = [begun("one"), *shared, said("user", "left"), said("assistant", "ok")]
    two = [begun("two", forked_from_id="one"), *shared]
    three = [begun("three", forked_from_id="two"), *two, said("user", "right")]
    bring_in(store, written(tmp_path / "1", *one))
    bring_in(store, written(tmp_path / "2", *two, said("user", "middle")))
    report = bring_in(store, written(tmp_path / "3", *three, said("assistant", "ok")))

    assert report.intake.new == 2
    assert sorted(tree(store), key=str)[2:] == [
        ("left", "hello"),
        ("middle", "hello"),
        ("ok", "left"),
        ("ok", "right"),
        ("right", "hello"),
    ]


def test_a_prompt_that_is_said_again_gets_another_reply(
    store: Store, file: Path
) -> None:
    back = event(type="thread_rolled_back", num_turns=1)
    once = [said("user", "go"), said("assistant", "one"), back]
    twice = [said("user", "go"), said("assistant", "one"), said("assistant", "two")]
    bring_in(store, written(file, begun("s"), *once, *twice))

    assert sorted(tree(store), key=str) == [
        ("go", None),
        ("one", "go"),
        ("one\n\ntwo", "go"),
    ]


def test_the_model_and_the_name_may_be_told_by_events(store: Store, file: Path) -> None:
    chosen = event(type="thread_settings_applied", thread_settings={"model": "new"})
    named = event(type="thread_name_updated", thread_name="Greeting")
    lines = [chosen, said("user", "hi"), said("assistant", "yes"), named]
    bring_in(store, written(file, begun("s"), *lines))
    first, reply = all_of(store)

    assert first.title == "Greeting"
    assert reply.facts is not None
    assert reply.facts.model == "new"


def test_a_subagents_session_is_a_trace(store: Store, file: Path) -> None:
    spawned = {"subagent": {"thread_spawn": {"agent_role": "explorer"}}}
    lines = [begun("s", source=spawned), said("user", "go"), said("assistant", "ok")]
    bring_in(store, written(file, *lines))

    assert {message.title for message in all_of(store)} == {"subagent:explorer:s"}


def test_the_first_versions_wrote_bare_items(store: Store, file: Path) -> None:
    bare = [line["payload"] for line in (said("user", "hi"), said("assistant", "yes"))]
    first = {"id": "old", "timestamp": "2025-06-01T00:00:00Z", "instructions": None}
    bring_in(store, written(file, first, {"record_type": "state"}, *bare))

    assert texts(store) == ["hi", "yes"]


def test_the_directory_and_what_is_known_of_a_session_are_kept(
    store: Store, messages: dict[str, ChatMessage]
) -> None:
    first = all_of(store)[0]
    session = store.origins.of([first.id])[first.id].meta["session"]

    assert session["cwd"] == "/home/ada/engine"
    assert session["git"] == {"branch": "main"}


def test_strange_lines_do_no_harm(store: Store, file: Path) -> None:
    lines: list[object] = [
        begun("s", forked_from_id="s"),
        item(type="message", role="user", content=7),
        item(type="message", role="assistant", content=[None, {"text": 7}]),
        item(type="function_call_output", output={"content": 7, "success": False}),
        item(type="function_call_output", output=None),
        item(type=[], call_id=7),
        item(),
        event(type="token_count", info=7),
        event(type="thread_rolled_back", num_turns=10**9),
        event(type="thread_rolled_back", num_turns="x"),
        {"type": "compacted", "payload": {"replacement_history": [7]}},
        {"type": "turn_context", "payload": None},
        {"type": "response_item"},
    ]
    bring_in(store, written(file, *lines))

    assert len(all_of(store)) == 7


def test_sessions_are_found_where_codex_keeps_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    day = tmp_path / ".codex" / "sessions" / "2026" / "05" / "06"
    day.mkdir(parents=True)
    files = [day / "rollout-1.jsonl", day / "rollout-2.jsonl.zst"]
    for path in (*files, day / "other.txt"):
        path.touch()

    found = find_places(tmp_path)
    assert [path for format_, path in found if format_.name == "codex"] == files


A, B, C = (f"{letter * 8}-0000-7000-8000-000000000000" for letter in "abc")


def rollout(home: Path, name: str, *lines: Line) -> Path:
    """A session as Codex keeps it, the number of each line with it."""
    file = home / "sessions" / "2026" / "05" / "06" / f"rollout-2026-{name}.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    return written(file, *lines)


def numbered(start: int, *lines: Line) -> list[Line]:
    return [{**line, "ordinal": start + n} for n, line in enumerate(lines)]


def goes_on_from(name: str, end: int) -> Line:
    return {"thread_id": name, "end_ordinal_exclusive": end, "end_byte_offset": 1}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Three sessions, of which each goes on from a part of the one before."""
    first = [begun(A), said("user", "hi"), said("assistant", "hello")]
    rollout(tmp_path, A, *numbered(0, *first, said("user", "left")))
    meta = begun(B, forked_from_id=A, history_base=goes_on_from(A, 3))
    second = [meta, said("user", "middle"), said("assistant", "yes")]
    rollout(tmp_path, B, *numbered(3, *second, said("user", "on")))
    meta = begun(C, forked_from_id=B, history_base=goes_on_from(B, 6))
    rollout(tmp_path, C, *numbered(6, meta, said("user", "right")))
    return tmp_path


def test_a_fork_that_only_names_what_it_goes_on_from_is_a_branch(
    home: Path, store: Store
) -> None:
    bring_in(store, home)

    assert sorted(tree(store), key=str) == [
        ("hello", "hi"),
        ("hi", None),
        ("left", "hello"),
        ("middle", "hello"),
        ("on", "yes"),
        ("right", "yes"),
        ("yes", "middle"),
    ]
    assert bring_in(store, home).intake.new == 0


def test_what_a_fork_goes_on_from_may_be_packed_by_now(
    home: Path, store: Store
) -> None:
    [old] = home.rglob(f"*{A}.jsonl")
    packed = old.with_name(f"{old.name}.zst")
    packed.write_bytes(zstandard.ZstdCompressor().compress(old.read_bytes()))
    old.unlink()
    [fork] = home.rglob(f"*{C}.jsonl")
    bring_in(store, fork)

    assert texts(store) == ["hi", "hello", "middle", "yes", "right"]


def test_a_fork_without_what_it_goes_on_from_says_so(home: Path, store: Store) -> None:
    [old] = home.rglob(f"*{B}.jsonl")
    old.unlink()
    [fork] = home.rglob(f"*{C}.jsonl")
    report = Importer(store).run([fork])

    [problem] = report.problems
    assert problem.reason == f"goes on from session {B}, which is not there."
    assert texts(store) == ["right"]


@pytest.mark.parametrize("name", [A, "../../x", "*", "[a]", "x" * 300])
def test_a_session_that_goes_on_from_itself_or_nowhere_does_no_harm(
    name: str, tmp_path: Path, store: Store
) -> None:
    meta = begun(A, history_base=goes_on_from(name, 9))
    file = rollout(tmp_path, A, *numbered(0, meta, said("user", "hi")))
    report = Importer(store).run([file])

    assert len(report.problems) == 1
    assert "hi" in texts(store)


def test_a_fork_does_not_change_what_is_known_of_the_first_session(
    home: Path, store: Store
) -> None:
    bring_in(store, home)
    sessions = {
        message.text: store.origins.of([message.id])[message.id].meta.get("session")
        for message in all_of(store)
    }

    assert {text: s["id"] for text, s in sessions.items() if s} == {
        "hi": A,
        "on": B,
        "right": C,
    }


def test_a_command_that_failed_is_an_error_whatever_is_said_before(
    store: Store, file: Path
) -> None:
    outputs = [
        "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 1\nOutput:\nno",
        "Exit code: 2\nWall time: 1 seconds\nOutput:\nno",
        "Wall time: 1 seconds\nProcess exited with code 0\nOutput:\nok",
        "It says: Process exited with code 1",
    ]
    calls = [
        line
        for number, output in enumerate(outputs)
        for line in (
            item(type="function_call", name="run", arguments="{}", call_id=f"{number}"),
            item(type="function_call_output", call_id=f"{number}", output=output),
        )
    ]
    bring_in(store, written(file, begun("s"), *calls))

    results = [m for m in all_of(store) if m.role == "tool_result"]
    assert [m.tool_result_error for m in results] == [True, True, False, False]


def test_what_was_stopped_is_marked_and_what_came_before_is_not(
    store: Store, file: Path
) -> None:
    told = said("user", "<turn_aborted>\nThe user interrupted.")
    stopped = event(type="turn_aborted", reason="interrupted")
    lines = [said("user", "one"), said("assistant", "first"), told, stopped]
    more = [said("user", "two"), said("assistant", "second"), said("user", "three")]
    bring_in(store, written(file, begun("s"), *lines, *more, stopped))

    states = {m.text: m.facts.state for m in all_of(store) if m.facts is not None}
    assert states == {"first": "interrupted", "second": "complete"}


def test_items_without_a_time_are_of_when_the_session_began(
    store: Store, file: Path
) -> None:
    first = {"id": "old", "timestamp": "2025-06-01T10:11:12Z", "instructions": None}
    bare = {"type": "message", "role": "user", "content": [{"text": "hi"}]}
    bring_in(store, written(file, first, bare))

    assert str(all_of(store)[0].created_at) == "2025-06-01 10:11:12"
