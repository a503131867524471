"""pi: trees with labels, what is between messages, forks, and older versions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from convotui.conversations.importing import Importer
from convotui.storage import Store

from .helpers import all_of, bring_in, texts, tree

HEADER = {
    "type": "session",
    "version": 3,
    "id": "7c9e6679-7425-40de-944b-e07fc1f90ae7",
    "timestamp": "2026-01-24T16:22:26.831Z",
    "cwd": "/home/ada/work",
}
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YA"


def entry(number: int, parent: int | None, kind: str, **more: object) -> dict[str, Any]:
    return {
        "type": kind,
        "id": f"{number:08x}",
        "parentId": None if parent is None else f"{parent:08x}",
        "timestamp": f"2026-01-24T16:23:{number:02d}.000Z",
        **more,
    }


def user(number: int, parent: int | None, text: object) -> dict[str, Any]:
    message = {"role": "user", "content": text}
    return entry(number, parent, "message", message=message)


def reply(number: int, parent: int, *content: object, **more: Any) -> dict[str, Any]:
    parts = [{"type": "text", "text": p} if isinstance(p, str) else p for p in content]
    message = {"role": "assistant", "content": parts, "model": "m1", **more}
    return entry(number, parent, "message", message=message)


def written(path: Path, *entries: object, end: str = "\n") -> Path:
    path.write_text("\n".join(map(json.dumps, entries)) + end)
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "session"


def test_a_session_is_a_tree_with_its_labels(file: Path, store: Store) -> None:
    written(
        file,
        HEADER,
        user(1, None, "one"),
        reply(2, 1, "two"),
        user(3, 2, "three"),
        user(4, 2, [{"type": "text", "text": "another three"}]),
        entry(5, 4, "label", targetId="00000003", label="first try"),
        entry(6, 5, "label", targetId="00000002", label="gone"),
        entry(7, 6, "label", targetId="00000002"),
        entry(8, 7, "session_info", name="The plan"),
        reply(9, 8, "four"),
    )
    [report] = bring_in(store, file, directory=Path("/home/ada")).files

    assert (report.format, report.elsewhere) == ("pi", 0)
    assert tree(store) == [
        ("one", None),
        ("two", "one"),
        ("three", "two"),
        ("another three", "two"),
        ("four", "another three"),
    ]
    assert [m.title for m in all_of(store)] == [
        "The plan",
        None,
        "first try",
        None,
        None,
    ]


def test_what_a_reply_cost_and_how_it_ended_is_kept(file: Path, store: Store) -> None:
    usage = {"input": 10, "output": 5, "cacheRead": 100, "cacheWrite": 7}
    thought = {"type": "thinking", "thinking": "Hm.", "thinkingSignature": "sig"}
    written(
        file,
        HEADER,
        user(1, None, "one"),
        reply(
            2,
            1,
            thought,
            "two",
            usage={**usage, "cost": {"total": 0.25}},
            stopReason="error",
            errorMessage="overloaded",
            provider="anthropic",
        ),
    )
    bring_in(store, file)
    message = all_of(store)[1]
    facts = message.facts

    assert facts is not None
    assert (facts.model, facts.input_tokens, facts.cached_tokens) == ("m1", 117, 100)
    assert (facts.output_tokens, facts.cost) == (5, 0.25)
    assert (facts.state, facts.error) == ("failed", "overloaded")
    assert message.blocks[0].type == "thinking"
    assert message.blocks[0].extra == {"thinking_signature": "sig"}
    assert store.origins.of([message.id])[message.id].meta["provider"] == "anthropic"


def test_tools_and_their_pictures(file: Path, store: Store) -> None:
    call = {"type": "toolCall", "id": "c1", "name": "read", "arguments": {"path": "x"}}
    result = {
        "role": "toolResult",
        "toolCallId": "c1",
        "toolName": "read",
        "content": [
            {"type": "text", "text": "no such file"},
            {"type": "image", "data": PIXEL, "mimeType": "image/png"},
        ],
        "isError": True,
    }
    written(
        file,
        HEADER,
        user(1, None, "one"),
        reply(2, 1, call),
        entry(3, 2, "message", message=result),
    )
    bring_in(store, file)
    _, calling, given = all_of(store)

    assert calling.blocks[0].id == "c1"
    assert (given.role, given.tool_result_error) == ("tool_result", True)
    assert [(b.id, b.modality) for b in given.blocks] == [("c1", 0), ("c1", 1)]
    assert given.blocks[1].content == PIXEL


def test_what_is_between_messages_is_known_of_the_next(
    file: Path, store: Store
) -> None:
    change = entry(2, 1, "model_change", provider="openai", modelId="gpt")
    level = entry(3, 2, "thinking_level_change", thinkingLevel="high")
    written(file, HEADER, user(1, None, "one"), change, level, user(4, 3, "two"))
    bring_in(store, file)
    last = all_of(store)[-1]
    entries = store.origins.of([last.id])[last.id].meta["entries"]

    assert tree(store) == [("one", None), ("two", "one")]
    assert [e["type"] for e in entries] == ["model_change", "thinking_level_change"]
    assert entries[0]["modelId"] == "gpt"


def test_summaries_are_messages_that_go_on_from_others(
    file: Path, store: Store
) -> None:
    written(
        file,
        HEADER,
        user(1, None, "one"),
        reply(2, 1, "two"),
        entry(
            3,
            2,
            "compaction",
            summary="They counted.",
            firstKeptEntryId="00000002",
            tokensBefore=9,
        ),
        user(4, 3, "three"),
        entry(5, 1, "branch_summary", summary="Left it.", fromId="00000004"),
        reply(6, 5, "other two"),
    )
    bring_in(store, file)
    said = {message.text: message for message in all_of(store)}
    origins = store.origins.of([message.id for message in said.values()])
    compaction, branch = said["They counted."], said["Left it."]

    assert ("three", "They counted.") in tree(store)
    assert ("Left it.", "one") in tree(store)
    assert compaction.blocks[0].extra == {"injected": True, "pi_role": "compaction"}
    assert origins[compaction.id].continues == said["two"].id
    assert origins[compaction.id].meta["tokensBefore"] == 9
    assert origins[branch.id].continues == said["three"].id


def test_commands_and_what_extensions_said_are_marked(file: Path, store: Store) -> None:
    shell = {"role": "bashExecution", "command": "ls", "output": "a\nb", "exitCode": 0}
    written(
        file,
        HEADER,
        entry(1, None, "message", message=shell),
        entry(2, 1, "custom_message", customType="x", content="told", display=False),
        entry(3, 2, "custom", customType="x", data={"count": 1}),
        entry(4, 3, "message", message={"role": "oracle", "content": "beware"}),
    )
    bring_in(store, file)

    assert texts(store) == ["$ ls\na\nb", "told", "beware"]
    assert [m.blocks[0].extra for m in all_of(store)] == [
        {"pi_role": "bashExecution"},
        {"injected": True, "pi_role": "custom"},
        {"pi_role": "oracle"},
    ]


def test_a_session_that_grew_adds_what_is_new(file: Path, store: Store) -> None:
    begun = [HEADER, user(1, None, "one"), reply(2, 1, "two")]
    bring_in(store, written(file, *begun))
    assert bring_in(store, file).intake.new == 0
    written(file, *begun, user(3, 2, "three"), user(4, 1, "aside"))

    assert bring_in(store, file).intake.new == 2
    assert tree(store)[2:] == [("three", "two"), ("aside", "one")]


def test_a_fork_is_a_branch_and_not_a_copy(file: Path, store: Store) -> None:
    begun = [user(1, None, "one"), reply(2, 1, "two")]
    bring_in(store, written(file, HEADER, *begun, user(3, 2, "three")))
    forked = {**HEADER, "id": "another", "parentSession": "/some/where.jsonl"}
    other = written(file.with_name("fork"), forked, *begun, user(9, 2, "instead"))
    report = bring_in(store, other)

    assert report.intake.new == 1
    assert ("instead", "two") in tree(store)


def test_the_first_version_is_a_chain_and_stays_one_when_it_is_brought_up(
    file: Path, store: Store
) -> None:
    newer = [HEADER, user(1, None, "one"), reply(2, 1, "two"), user(3, 2, "three")]
    older = [
        {k: v for k, v in line.items() if k not in ("version", "parentId")}
        for line in newer
    ]
    for line in older[1:]:
        del line["id"]
    summary = {"type": "compaction", "summary": "so far", "firstKeptEntryIndex": 2}
    bring_in(store, written(file, *older, summary))
    said = {message.text: message for message in all_of(store)}
    link = store.origins.of([said["so far"].id])[said["so far"].id].continues

    assert tree(store) == [
        ("one", None),
        ("two", "one"),
        ("three", "two"),
        ("so far", "three"),
    ]
    assert link == said["two"].id
    assert bring_in(store, written(file, *newer)).intake.new == 0


def test_a_line_that_was_cut_is_told_and_the_rest_comes_in(
    file: Path, store: Store
) -> None:
    written(file, HEADER, user(1, None, "one"), end='\n{"type": "message", "id": "0000')
    report = Importer(store).run([file])

    assert texts(store) == ["one"]
    assert [problem.where for problem in report.problems] == ["line 3"]


def test_odd_entries_do_no_harm(file: Path, store: Store) -> None:
    written(
        file,
        HEADER,
        {**user(1, 2, "ring"), "timestamp": 5},
        {**user(2, 1, None), "timestamp": None},
        {**user(3, 77, [None, 4, {"type": "image"}]), "message": {"role": []}},
        entry(4, 4, "custom"),
        {**user(5, 4, "below itself"), "parentId": "00000004"},
        {"type": 7},
        [1],
    )
    report = Importer(store).run([file])

    assert len(all_of(store)) == 4
    assert len(report.problems) == 2
