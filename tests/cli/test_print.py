"""`convotui print`: one thread, from its first message to the one that was named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from convotui.storage import Block, Draft, Store

from .program import Program
from .stores import make, said


def test_the_way_to_a_message_is_printed_and_nothing_beside_it(
    convotui: Program, forked: Path
) -> None:
    printed = convotui.prints("print", "hI7")

    texts = [
        "Hello, can you help me?",
        "Of course! What do you need?",
        "I need help with Go",
    ]
    places = [printed.index(text) for text in texts]
    assert places == sorted(places)
    assert [printed.count(text) for text in texts] == [1, 1, 1]
    assert "Sure, what's your question?" not in printed
    assert "Actually, Python instead" not in printed


@pytest.mark.usefixtures("forked")
def test_a_message_is_told_with_its_id_role_time_model_and_label(
    convotui: Program,
) -> None:
    printed = convotui.prints("print", "lM0", environment={"TZ": "JST-9"})

    for fact in ("lM0nO1", "Assistant", "2026-02-14 19:33", "beta", "go"):
        assert fact.lower() in printed.lower()


@pytest.mark.usefixtures("forked")
def test_without_an_id_it_is_the_thread_of_the_newest_reply(convotui: Program) -> None:
    assert convotui.prints("print") == convotui.prints("print", "fG0hI1")


def test_the_newest_reply_is_no_subagents(convotui: Program, project: Path) -> None:
    make(
        project / ".cpeconvo",
        said("mine", "hello"),
        said("reply", "a reply to me", "mine", role="assistant"),
        said("trace", "go", at="2026-02-14 11:00", title="subagent:x:1"),
        said("report", "done", "trace", at="2026-02-14 11:01", role="assistant"),
        said("later", "never answered", at="2026-02-14 12:00"),
    )

    printed = convotui.prints("print")

    assert "a reply to me" in printed
    assert "done" not in printed
    assert "never answered" not in printed


@pytest.mark.usefixtures("project")
def test_without_a_conversation_there_is_nothing_to_print(convotui: Program) -> None:
    assert "no conversation" in convotui.refuses("print")


@pytest.mark.usefixtures("forked")
def test_json_holds_the_messages_of_the_thread(convotui: Program) -> None:
    held = json.dumps(json.loads(convotui.prints("print", "hI7", "--json")))

    for message_id in ("aB3xK9", "dE4fG5", "hI7jK8"):
        assert message_id in held
    assert "lM0nO1" not in held


def test_thinking_and_tools_are_printed_too(convotui: Program, project: Path) -> None:
    call = '{"name":"read_file","parameters":{"path":"a.py"}}'
    with Store(project / ".cpeconvo") as store:
        [question] = store.save([said("aaaaaa", "what is in it?")])
        [answer] = store.save(
            [
                Draft(
                    "assistant",
                    [
                        Block("I should look.", type="thinking"),
                        Block(call, type="tool_call", id="call_1"),
                    ],
                    question,
                )
            ]
        )
        store.save([Draft("tool_result", [Block("print(1)", id="call_1")], answer)])

    printed = convotui.prints("print")

    assert "> I should look." in printed
    assert "read_file" in printed
    assert '"path": "a.py"' in printed
    assert "print(1)" in printed


@pytest.mark.usefixtures("seed_era")
def test_a_thread_of_cpe_is_printed(convotui: Program) -> None:
    printed = convotui.prints("print", "lM6nO7")

    assert "Опиши картинку" in printed
    assert "Страница 2 пуста." in printed
    assert "image/png" in printed


def test_a_thread_of_any_depth_is_printed(convotui: Program, project: Path) -> None:
    make(
        project / ".cpeconvo",
        *(
            said(f"m{n:05}", f"word {n}", f"m{n - 1:05}" if n else None)
            for n in range(3000)
        ),
    )

    assert convotui.prints("print", "m02999").rstrip().endswith("word 2999")
