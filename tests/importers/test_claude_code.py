"""Claude Code: split replies, results, rewinds, subagents, compactions, copies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from convotui.conversations.importing import Importer, ImportOptions, ImportReport
from convotui.importers import format_named
from convotui.importers.places import find_places
from convotui.storage import ChatMessage, Store

from .helpers import SAMPLES, all_of, bring_in, texts, tree

SAMPLE = SAMPLES / "claude_code_session.jsonl"
LINES = [json.loads(line) for line in SAMPLE.read_text().splitlines()[:-1]]

Line = dict[str, Any]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "session.jsonl"


def written(path: Path, *lines: object) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def line(uuid: str, parent: str | None, content: object, **more: object) -> Line:
    kind = more.pop("type", "user")
    message: Line = {"role": kind, "content": content, **_take(more, "message")}
    return {
        "type": kind,
        "uuid": uuid,
        "parentUuid": parent,
        "sessionId": "s",
        "timestamp": "2026-03-04T09:00:00Z",
        "message": message,
        **more,
    }


def _take(more: dict[str, object], name: str) -> Line:
    value = more.pop(name, {})
    assert isinstance(value, dict)
    return value


def reply(uuid: str, parent: str, *parts: Line, message_id: str = "") -> Line:
    message = {"id": message_id or uuid, "model": "m"}
    return line(uuid, parent, list(parts), type="assistant", message=message)


def call(name: str) -> Line:
    return {"type": "tool_use", "id": name, "name": "run", "input": {}}


def result(name: str) -> Line:
    return {"type": "tool_result", "tool_use_id": name, "content": f"of {name}"}


def by_key(store: Store) -> dict[str, ChatMessage]:
    messages = all_of(store)
    origins = store.origins.of([message.id for message in messages])
    return {origins[message.id].origin.key: message for message in messages}


def parents(store: Store) -> dict[str, str | None]:
    messages = by_key(store)
    keys = {message.id: key for key, message in messages.items()}
    return {
        key: None if m.parent_id is None else keys[m.parent_id]
        for key, m in messages.items()
    }


def run(store: Store, *paths: Path) -> ImportReport:
    return Importer(store).run(paths)


def test_the_parts_of_a_reply_are_one_message_and_its_results_follow(
    store: Store,
) -> None:
    run(store, SAMPLE)
    answer = by_key(store)["a1"]

    kinds = [block.type for block in answer.blocks]
    assert kinds == ["thinking", "content", "tool_call", "tool_call"]
    assert answer.blocks[0].extra == {
        "thinking_generator": "anthropic",
        "anthropic_thinking_signature": "c2lnbmVk",
    }
    above = parents(store)
    assert (above["r1"], above["r2"], above["a5"]) == ("a1", "r1", "r2")


def test_results_have_the_calls_id_their_pictures_and_errors(store: Store) -> None:
    run(store, SAMPLE)
    first, second = by_key(store)["r1"], by_key(store)["r2"]

    assert (first.role, first.text) == ("tool_result", "while True: pass")
    assert not first.tool_result_error
    assert [(b.id, b.modality) for b in second.blocks] == [
        ("toolu_b", 0),
        ("toolu_b", 1),
    ]
    assert second.tool_result_error


def test_what_a_reply_used_counts_once(store: Store) -> None:
    run(store, SAMPLE)
    facts = by_key(store)["a1"].facts

    assert facts is not None
    assert (facts.model, facts.finish_reason) == ("claude-sonnet-4-5", "tool_use")
    assert (facts.input_tokens, facts.cached_tokens, facts.output_tokens) == (
        123,
        100,
        42,
    )


def test_a_reply_that_the_program_made_up_has_failed(store: Store) -> None:
    run(store, SAMPLE)
    facts = by_key(store)["a9"].facts

    assert facts is not None
    assert (facts.model, facts.state) == (None, "failed")
    assert facts.error == "API Error: overloaded"


def test_going_back_is_a_branch(store: Store) -> None:
    run(store, SAMPLE)

    above = parents(store)
    assert above["u2"] == above["u3"] == "a5"


def test_a_sidechain_is_a_trace_of_its_own(store: Store) -> None:
    run(store, SAMPLE)
    messages = by_key(store)

    assert messages["x1"].parent_id is None
    assert messages["x1"].title == messages["x2"].title == "subagent:counter:x1"


def test_the_file_of_a_subagent_is_a_trace(store: Store, file: Path) -> None:
    first = line("x", None, "go", isSidechain=True, agentId="a17")
    bring_in(store, written(file, first, reply("y", "x", text("gone")) | SIDE))

    assert [message.title for message in all_of(store)] == ["subagent:agent:a17"] * 2


SIDE = {"isSidechain": True, "agentId": "a17"}


def text(said: str) -> Line:
    return {"type": "text", "text": said}


def test_after_a_compaction_it_goes_on_elsewhere(store: Store) -> None:
    run(store, SAMPLE)
    messages = by_key(store)
    summary = messages["u4"]
    provenance = store.origins.of([summary.id])[summary.id]

    assert summary.parent_id is None
    assert provenance.continues == messages["a9"].id
    assert provenance.meta["isCompactSummary"] is True


def test_summaries_of_this_session_are_labels(store: Store) -> None:
    run(store, SAMPLE)

    titles = {key: m.title for key, m in by_key(store).items() if m.title}
    assert titles["m0"] == "Counting in the engine"
    assert titles["a9"] == "The other way"
    assert "Of some other session" not in titles.values()


def test_a_name_the_user_gave_comes_first(store: Store, file: Path) -> None:
    named = {"type": "custom-title", "customTitle": "mine", "sessionId": "s"}
    guessed = {"type": "ai-title", "aiTitle": "its", "sessionId": "s"}
    bring_in(store, written(file, line("u", None, "hi"), named, guessed))

    assert all_of(store)[0].title == "mine"


def test_what_the_program_says_is_folded_and_what_the_user_queued_is_not(
    store: Store,
) -> None:
    run(store, SAMPLE)
    messages = by_key(store)

    assert [block.type for block in messages["m0"].blocks] == ["hidden"]
    assert (messages["q1"].role, messages["q1"].text) == ("user", "And be quick")
    assert (messages["r3#1"].role, messages["r3#1"].text) == (
        "user",
        "[Request interrupted by user]",
    )


def test_what_else_a_line_knows_is_kept(store: Store) -> None:
    run(store, SAMPLE)
    result, last = by_key(store)["r1"], by_key(store)["r2"]
    found = store.origins.of([result.id, last.id])

    assert found[result.id].meta["gitBranch"] == "main"
    assert found[result.id].meta["toolUseResult"] == {"type": "text", "numLines": 1}
    [event] = found[last.id].meta["events"]
    assert event["content"] == "A hook ran."


def test_a_line_that_is_cut_off_is_told_and_comes_in_later(
    store: Store, file: Path
) -> None:
    report = run(store, SAMPLE)
    assert [problem.where for problem in report.problems] == ["line 29"]
    assert report.intake.new == 18

    more = line("u5", "a10", "Eleven?")
    again = bring_in(store, written(file, *LINES, more))
    assert (again.intake.new, again.intake.known) == (1, 18)
    assert ("Eleven?", "Ten.") in tree(store)
    assert bring_in(store, file).intake.new == 0


def test_a_reply_that_went_on_grows(store: Store, file: Path) -> None:
    begun = [line("u", None, "hi"), reply("a", "u", text("one"), message_id="msg")]
    bring_in(store, written(file, *begun))
    whole = [*begun, reply("b", "a", text("two"), message_id="msg")]
    report = bring_in(store, written(file, *whole))

    assert (report.intake.new, report.intake.grown) == (0, 1)
    assert texts(store) == ["hi", "one\n\ntwo"]


def test_a_copy_of_a_session_shares_what_was_copied(
    store: Store, file: Path, tmp_path: Path
) -> None:
    first = [line("u", None, "hi"), reply("a", "u", text("hello"))]
    copied = [
        {**old, "uuid": f"new-{old['uuid']}", "sessionId": "t"}
        | {"forkedFrom": {"sessionId": "s", "messageUuid": old["uuid"]}}
        for old in first
    ]
    copied[1]["parentUuid"] = "new-u"
    branch = line("c", "new-a", "what if?")
    bring_in(store, written(file, *first, line("b", "a", "go on")))
    report = bring_in(store, written(tmp_path / "copy", *copied, branch))

    assert report.intake.new == 1
    assert parents(store) == {"u": None, "a": "u", "b": "a", "c": "a"}


def test_calls_that_were_made_together_are_answered_in_a_row(
    store: Store, file: Path
) -> None:
    lines = [
        line("u", None, "go"),
        reply("a", "u", call("one"), message_id="msg"),
        reply("b", "a", call("two"), message_id="msg"),
        line("r", "a", [result("one")]),
        line("s", "b", [result("two"), result("three"), text("stop")]),
        line("again", "r", [result("one")]),
        reply("c", "r", text("done")),
    ]
    bring_in(store, written(file, *lines))

    above = parents(store)
    assert (above["r"], above["s"], above["c"]) == ("a", "r", "s")
    assert above["again"] == "r"
    assert (above["s#1"], above["s#2"]) == ("s", "s#1")


def test_one_id_in_two_places_is_two_replies(store: Store, file: Path) -> None:
    lines = [
        line("u", None, "one"),
        reply("a", "u", text("first"), message_id="same"),
        line("v", "a", "two"),
        reply("b", "v", text("second"), message_id="same"),
    ]
    bring_in(store, written(file, *lines))

    assert texts(store) == ["one", "first", "two", "second"]


def test_only_what_was_held_in_the_project_comes_in(store: Store) -> None:
    here = ImportOptions(directory=Path("/home/ada/engine"))
    elsewhere = ImportOptions(directory=Path("/home/ada/other"))

    assert Importer(store, elsewhere).run([SAMPLE]).intake.new == 0
    assert Importer(store, here).run([SAMPLE]).intake.new == 18


def test_strange_lines_do_no_harm(store: Store, file: Path) -> None:
    lines: list[object] = [
        line("a", "b", "in a ring"),
        line("b", "a", "of two"),
        line("c", "gone", [7, None, {"type": []}, "words", {"type": "text"}]),
        line("d", "c", []),
        {**line("e", "d", "no message"), "message": "none"},
        {**line("p", "q", ""), "type": "progress"},
        {**line("q", "p", ""), "type": "progress"},
        line("f", "q", "below a ring"),
        line("f", "a", "the same line again"),
        {"type": "summary", "summary": 7, "leafUuid": "a"},
        {"type": "assistant", "uuid": "g", "parentUuid": 7, "message": {"content": ""}},
    ]
    bring_in(store, written(file, *lines))

    assert sorted(parents(store)) == ["a", "b", "c", "d", "f", "g"]
    assert by_key(store)["f"].text == "below a ring"


def test_lines_may_lack_what_names_the_session(store: Store, file: Path) -> None:
    bare = {"type": "user", "uuid": "u", "message": {"role": "user", "content": "hi"}}
    assert bring_in(store, written(file, bare)).files[0].format == "claude-code"


def test_the_format_can_be_named(store: Store, file: Path) -> None:
    report = bring_in(
        store,
        written(file, line("u", None, "hi")),
        format=format_named("claude-code"),
    )

    assert report.intake.new == 1


def test_the_sessions_of_a_project_and_its_subagents_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    kept = tmp_path / ".claude" / "projects" / "-home-ada-my-engine"
    other = kept.with_name("-home-ada-other")
    for place in (kept / "s" / "subagents", other):
        place.mkdir(parents=True)
    files = [kept / "s.jsonl", kept / "s" / "subagents" / "agent-a.jsonl"]
    for path in (*files, other / "t.jsonl"):
        written(path, line("u", None, "hi"))

    found = find_places(Path("/home/ada/my.engine"))
    sessions = [path for format_, path in found if format_.name == "claude-code"]
    assert sorted(sessions) == sorted(files)


def test_the_kind_of_a_subagent_may_be_told_beside_its_file(
    store: Store, tmp_path: Path
) -> None:
    trace = tmp_path / "agent-a17.jsonl"
    trace.with_name("agent-a17.meta.json").write_text('{"agentType": "code:finder"}')
    bring_in(store, written(trace, line("x", None, "go", **SIDE)))

    assert all_of(store)[0].title == "subagent:code-finder:a17"
