"""elia, oterm and aichat: conversations without branches."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from convotui.conversations.importing import Importer
from convotui.storage import Store

from .helpers import all_of, bring_in, database, texts, tree

ELIA = """
CREATE TABLE chat (id INTEGER PRIMARY KEY, model TEXT, title TEXT, started_at TEXT,
    archived INTEGER);
CREATE TABLE message (id INTEGER PRIMARY KEY, chat_id INTEGER, role TEXT, content TEXT,
    timestamp TEXT, meta JSON, parent_id INTEGER, model TEXT);
INSERT INTO chat VALUES (1, 'm1', 'Counting', '2024-05-01 10:00:00', 0);
"""
ELIA_ROW = "INSERT INTO message VALUES (?, 1, ?, ?, '2024-05-01 10:00:01', '{}', ?, ?)"
OTERM = """
CREATE TABLE chat (id INTEGER PRIMARY KEY, name TEXT, model TEXT, system TEXT,
    provider TEXT, parameters TEXT, tools TEXT, thinking BOOLEAN);
CREATE TABLE message (id INTEGER PRIMARY KEY, chat_id INTEGER, author TEXT, text TEXT,
    images TEXT);
INSERT INTO chat VALUES (1, 'Counting', 'm1', 'Be brief.', 'ollama', '{"top_p": 1}',
    '[]', 0);
"""
OTERM_ROW = "INSERT INTO message VALUES (?, 1, ?, ?, ?)"
AICHAT = """\
model: openai:m1
temperature: 0.5
compressed_messages:
- role: user
  content: one
- role: assistant
  content: 'two'
messages:
- role: system
  content: 'Be brief. So far: one, two.'
- role: user
  content:
  - type: text
    text: yes
  - type: image_url
    image_url:
      url: data:image/png;base64,iVBORw0KGgo=
- role: tool
  content:
    tool_results:
    - call:
        name: get
        arguments:
          day: 2024-05-01
          times: 2
        id: c1
      output:
        found: true
    text: I look.
    sequence: false
- role: assistant
  content: |-
    There:
    it is.
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "Counting.yaml"


def test_a_chat_of_elia(file: Path, store: Store) -> None:
    rows = [
        (ELIA_ROW, (1, "system", "Be brief.", None, "m1")),
        (ELIA_ROW, (2, "user", "one", None, "m1")),
        (ELIA_ROW, (3, "assistant", "two", None, "m2")),
        (ELIA_ROW, (4, "assistant", "zwei", 2, None)),
    ]
    [report] = bring_in(store, database(file, ELIA, *rows)).files
    first = all_of(store)[0]

    assert report.format == "elia"
    assert tree(store) == [("one", None), ("two", "one"), ("zwei", "one")]
    assert first.title == "Counting"
    assert store.origins.of([first.id])[first.id].meta == {"system": "Be brief."}
    assert [m.facts.model for m in all_of(store) if m.facts] == ["m2", "m1"]
    database(file, "", (ELIA_ROW, (5, "user", "drei", None, "m1")))
    assert bring_in(store, file).intake.new == 1
    assert tree(store)[-1] == ("drei", "zwei")


def test_a_chat_of_oterm(file: Path, store: Store) -> None:
    images = json.dumps(["iVBORw0KGgo=", "/9j/4AA=", "no base64!"])
    rows = [
        (OTERM_ROW, (1, "user", "look", images)),
        (OTERM_ROW, (2, "assistant", "two", "[]")),
    ]
    [report] = bring_in(store, database(file, OTERM, *rows)).files
    prompt, reply = all_of(store)
    meta = store.origins.of([prompt.id])[prompt.id].meta

    assert (report.format, prompt.title) == ("oterm", "Counting")
    assert [b.mime_type for b in prompt.blocks] == [
        "text/plain",
        "image/png",
        "image/jpeg",
        "text/plain",
    ]
    assert (meta["system"], meta["parameters"]) == ("Be brief.", {"top_p": 1})
    assert reply.facts is not None
    assert reply.facts.model == "m1"
    assert bring_in(store, file).intake.new == 0


def test_a_reply_that_oterm_wrote_over_is_another_one(file: Path, store: Store) -> None:
    rows = [
        (OTERM_ROW, (1, "user", "one", "[]")),
        (OTERM_ROW, (2, "assistant", "two", "[]")),
    ]
    bring_in(store, database(file, OTERM, *rows))
    bring_in(store, database(file, "UPDATE message SET text = 'zwei' WHERE id = 2"))

    assert tree(store) == [("one", None), ("two", "one"), ("zwei", "one")]


def test_a_session_of_aichat(file: Path, store: Store) -> None:
    file.write_text(AICHAT)
    [report] = bring_in(store, file).files
    one, _, prompt, call, given, answer = all_of(store)
    origins = store.origins.of([one.id, prompt.id])

    assert report.format == "aichat"
    assert [m.role for m in all_of(store)] == [
        "user",
        "assistant",
        "user",
        "assistant",
        "tool_result",
        "assistant",
    ]
    assert origins[one.id].meta["temperature"] == 0.5
    assert origins[prompt.id].meta["system"] == "Be brief. So far: one, two."
    assert (prompt.blocks[0].content, prompt.blocks[1].modality) == ("yes", 1)
    assert (call.text, json.loads(call.blocks[1].content)) == (
        "I look.",
        {"name": "get", "parameters": {"day": "2024-05-01", "times": 2}},
    )
    assert (given.text, given.blocks[0].id) == ('{"found":true}', "c1")
    assert answer.text == "There:\nit is."
    assert answer.facts is not None
    assert answer.facts.model == "openai:m1"


def test_a_session_of_aichat_that_was_compressed_and_grew(
    file: Path, store: Store
) -> None:
    head = "model: m\n"
    one = "- role: user\n  content: one\n- role: assistant\n  content: two\n"
    more = "- role: user\n  content: one\n- role: assistant\n  content: four\n"
    file.write_text(f"{head}messages:\n{one}")
    bring_in(store, file)
    summary = "- role: system\n  content: they counted\n"
    file.write_text(f"{head}compressed_messages:\n{one}messages:\n{summary}{more}")

    assert bring_in(store, file).intake.new == 2
    assert bring_in(store, file).intake.new == 0
    assert texts(store) == ["one", "two", "one", "four"]


def laughs() -> str:
    lines = ['a0: &a0 ["ha"]']
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 60)]
    return "model: m\n" + "\n".join(lines) + "\nmessages: *a59\n"


@pytest.mark.parametrize(
    "text",
    [
        laughs() + "messages: []\n",
        "model: m\nmessages: " + "[" * 100_000,
        "model: m\nmessages: [" + "{a: " * 50_000,
        "model: m\nmessages: [!!python/object/apply:os.getcwd []]\n",
        "model: m\nmessages: [\n",
        "model: m\nmessages: []\nx: \x01\n",
        "model: m\nmessages: []\n? [a, b]\n: {}\n",
    ],
    ids=["laughs", "deep", "deep maps", "code", "open", "control", "odd keys"],
)
def test_hostile_yaml_is_told_in_one_line(text: str, file: Path, store: Store) -> None:
    file.write_text(text)
    report = Importer(store).run([file])

    assert all_of(store) == []
    assert len(report.problems) == 1
    assert str(file) in str(report.problems[0])


def test_odd_messages_of_aichat_do_no_harm(file: Path, store: Store) -> None:
    number = "9" * 5_000
    file.write_text(
        f"model: {number}\nmessages:\n- 4\n- role: []\n  content: {number}\n"
        "- role: critic\n  content: [1, {type: text}, {type: image_url}]\n"
        "- role: tool\n  content: {tool_results: [1, {call: 2}]}\n"
    )
    bring_in(store, file)

    assert texts(store)[1] == number


@pytest.mark.parametrize(("name", "title"), [("plans", "plans"), ("temp", None)])
def test_the_name_of_a_session_of_aichat_is_its_label(
    name: str, title: str | None, tmp_path: Path, store: Store
) -> None:
    file = tmp_path / f"{name}.yaml"
    file.write_text("model: m\nmessages:\n- role: user\n  content: hi\n")
    bring_in(store, file)

    assert all_of(store)[0].title == title
