"""The web UI of llama.cpp: lines with every version of a message, and documents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from convotui.conversations.importing import Importer
from convotui.storage import Store

from .helpers import all_of, bring_in, saved, texts, tree

HEADER = {
    "type": "session",
    "harness": "llama.app",
    "id": "c1",
    "name": "Counting",
    "lastModified": 1783620763176,
    "currNode": "a2",
}


def message(key: str, parent: str | None, text: str, **more: Any) -> dict[str, Any]:
    return {
        "convId": "c1",
        "role": "assistant" if key.startswith("a") else "user",
        "content": text,
        "type": "text",
        "timestamp": 1783619815000 + int(key[1:]),
        "children": [],
        "extra": [],
        "id": key,
        "parent": parent,
        **more,
    }


ROOT = message("r0", None, "", type="root", role="system")
SYSTEM = message("s1", "r0", "Be brief.", type="system", role="system")
MESSAGES = (
    ROOT,
    SYSTEM,
    message("u2", "s1", "one"),
    message("a3", "u2", "two", model="m1"),
    message("a4", "u2", "zwei"),
    message("u5", "a4", "drei"),
)


def written(path: Path, *messages: dict[str, Any], end: str = "\n") -> Path:
    lines = [HEADER, *({"type": "message", "message": m} for m in messages)]
    path.write_text("\n".join(map(json.dumps, lines)) + end)
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "export"


def test_every_version_of_a_message_is_a_branch(file: Path, store: Store) -> None:
    [report] = bring_in(store, written(file, *MESSAGES)).files
    first = all_of(store)[0]

    assert (report.format, report.branches) == ("llama.cpp", 1)
    assert tree(store) == [
        ("one", None),
        ("two", "one"),
        ("zwei", "one"),
        ("drei", "zwei"),
    ]
    assert first.title == "Counting"
    assert store.origins.of([first.id])[first.id].meta == {"system": "Be brief."}
    assert str(first.created_at) == "2026-07-09 17:56:55.002000"


@pytest.mark.parametrize("is_list", [False, True], ids=["one", "all"])
def test_documents_of_older_versions_hold_the_same(
    is_list: bool, file: Path, store: Store
) -> None:
    conversation = {"id": "c1", "name": "Counting", "currNode": "a3"}
    document = {"conv": conversation, "messages": MESSAGES[:4]}
    bring_in(store, saved(file, [document] if is_list else document))
    intake = bring_in(store, written(file, *MESSAGES)).intake

    assert (intake.new, intake.known) == (2, 2)


def test_thinking_tools_files_and_timings(file: Path, store: Store) -> None:
    calls = [{"id": "c", "function": {"name": "f", "arguments": '{"q": 1}'}}]
    timings = {
        "cache_n": 3,
        "prompt_n": 7,
        "prompt_ms": 500,
        "predicted_n": 20,
        "predicted_ms": 1500,
    }
    extra = [
        {"type": "imageFile", "base64Url": "data:image/png;base64,iVBORw0KGgo="},
        {"type": "audioFile", "mimeType": "audio/mp3", "base64Data": "SUQz"},
        {"type": "textFile", "name": "a.txt", "content": "inside"},
        {"type": "hologram", "name": "b"},
    ]
    written(
        file,
        message("u1", None, "one", extra=extra),
        message(
            "a2",
            "u1",
            "two",
            reasoningContent="Hm.",
            toolCalls=json.dumps(calls),
            timings=timings,
        ),
        message("u3", "a2", "given", role="tool", toolCallId="c"),
    )
    bring_in(store, file)
    prompt, reply, result = all_of(store)
    facts = reply.facts

    assert [b.modality for b in prompt.blocks] == [0, 1, 2, 0, 0]
    assert prompt.blocks[3].extra == {"filename": "a.txt"}
    assert [b.type for b in reply.blocks] == ["thinking", "content", "tool_call"]
    assert json.loads(reply.blocks[2].content)["parameters"] == {"q": 1}
    assert facts is not None
    assert (facts.input_tokens, facts.cached_tokens, facts.output_tokens) == (10, 3, 20)
    assert (facts.first_token_seconds, facts.duration_seconds) == (0.5, 2.0)
    assert (result.role, result.blocks[0].id) == ("tool_result", "c")


def test_nothing_comes_in_twice_and_a_cut_line_is_told(
    file: Path, store: Store
) -> None:
    bring_in(store, written(file, *MESSAGES))
    assert bring_in(store, file).intake.new == 0
    more = message("u6", "a3", "three")
    written(file, *MESSAGES, more, end='\n{"type": "message", "mess')
    report = Importer(store).run([file])

    assert report.intake.new == 1
    assert [problem.where for problem in report.problems] == ["line 9"]


def test_odd_messages_do_no_harm(file: Path, store: Store) -> None:
    written(
        file,
        message("u1", "u2", "ring"),
        message("u2", "u1", "ring too", toolCalls="[no", extra=4),
        message("a3", "gone", "lost", timings=[], timestamp="x", children=None),
        {"id": 5, "convId": "c1", "content": "numbered", "parent": "a3"},
        {"id": "x", "convId": {}, "content": []},
        {"id": [], "convId": "c1"},
    )
    report = Importer(store).run([file])

    assert sorted(texts(store)) == ["", "lost", "numbered", "ring", "ring too"]
    assert ("numbered", "lost") in tree(store)
    assert [problem.where for problem in report.problems] == ["line 7"]
