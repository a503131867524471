"""llm: the tree that it keeps since 0.32, and the responses that it kept before."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from convotui.storage import ChatMessage, Store

from .helpers import SAMPLES, all_of, bring_in, database, texts, tree

NEW, OLD = SAMPLES / "llm_logs.db", SAMPLES / "llm_old_logs.db"
CONTINUED = SAMPLES / "llm_continued_logs.db"
"""Begun with the older tables, and continued with the newer."""
EMPTY_TREE = """
CREATE TABLE messages (hash TEXT, parent_hash TEXT, role TEXT, provider_metadata TEXT);
CREATE TABLE parts (id INTEGER PRIMARY KEY, message_hash TEXT, position INTEGER,
    type TEXT, tool_name TEXT, text TEXT, payload TEXT);
"""
MESSAGE = "INSERT INTO messages VALUES (?, ?, ?, NULL)"
PART = "INSERT INTO parts VALUES (NULL, ?, ?, ?, NULL, ?, ?)"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "logs.db"


def saying(store: Store, text: str) -> ChatMessage:
    [message] = [message for message in all_of(store) if message.text == text]
    return message


def test_branches_and_conversations_are_trees(store: Store) -> None:
    [report] = bring_in(store, NEW).files

    assert (report.format, report.conversations, report.branches) == ("llm", 2, 1)
    assert ("Read this.", "Reply to Hello") in [
        (text.removeprefix("A fragment of text.\n"), parent)
        for text, parent in tree(store)
    ]
    assert ("Think.", "Reply to Hello") in tree(store)
    assert ("Another conversation", None) in tree(store)


@pytest.mark.parametrize("sample", [NEW, OLD], ids=["tree", "responses"])
def test_both_hold_the_same_conversation(sample: Path, store: Store) -> None:
    bring_in(store, sample)
    first = saying(store, "Hello")
    [origin] = store.origins.of([first.id]).values()
    reply = saying(store, "Reply to Hello")

    assert first.title == "Hello"
    assert origin.meta["system"] == "Be brief."
    assert "Be brief." not in texts(store)
    assert reply.facts is not None
    assert (reply.facts.input_tokens, reply.facts.output_tokens) == (11, 5)
    assert reply.facts.cached_tokens == 3
    assert saying(store, "A fragment of text.\nRead this.").role == "user"


@pytest.mark.parametrize("sample", [NEW, OLD], ids=["tree", "responses"])
def test_each_result_is_a_message_below_its_call(sample: Path, store: Store) -> None:
    bring_in(store, sample)
    call = saying(store, "I will ask.")
    loud, failed = saying(store, "A<B"), saying(store, "Error: boom")
    after = saying(store, "Reply to ")

    assert [block.id for block in call.blocks] == [None, "c1", "c2"]
    assert json.loads(call.blocks[1].content)["parameters"] == {"s": "a<b"}
    assert (loud.role, loud.blocks[0].id, loud.tool_result_error) == (
        "tool_result",
        "c1",
        False,
    )
    assert (failed.blocks[0].id, failed.tool_result_error) == ("c2", True)
    assert failed.blocks[0].extra == {"exception": "ValueError: boom"}
    assert [m.parent_id for m in (loud, failed, after)] == [call.id, loud.id, failed.id]


@pytest.mark.parametrize("sample", [NEW, OLD], ids=["tree", "responses"])
def test_pictures_come_along_and_addresses_stay(sample: Path, store: Store) -> None:
    bring_in(store, sample)
    [message] = [m for m in all_of(store) if m.blocks[0].content == "Look."]
    _, picture, address = message.blocks

    assert (picture.modality, picture.mime_type) == (1, "image/png")
    assert picture.content.startswith("iVBORw0KGgo")
    assert address.extra["url"] == "https://example.org/y.png"


def test_thinking_keeps_its_signature_and_a_fork_its_name(store: Store) -> None:
    bring_in(store, NEW)
    reply = saying(store, "Thought.")

    assert reply.title == "another way"
    assert saying(store, "Think.").created_at == reply.created_at
    assert reply.blocks[0].type == "thinking"
    assert reply.blocks[0].extra["provider_metadata"]["demo"] == {"signature": "s1"}
    assert reply.facts is not None
    assert (reply.facts.model, reply.facts.reasoning_tokens) == ("demo-2026", 2)


@pytest.mark.parametrize("sample", [NEW, OLD], ids=["tree", "responses"])
def test_nothing_comes_in_twice(sample: Path, store: Store) -> None:
    first = bring_in(store, sample).intake
    again = bring_in(store, sample).intake

    assert (again.new, again.grown, again.known) == (0, 0, first.new)


def test_what_is_new_hangs_below_what_is_known(file: Path, store: Store) -> None:
    file.write_bytes(NEW.read_bytes())
    bring_in(store, file)
    tip = "(SELECT tip_message_hash FROM threads WHERE name = 'another way')"
    database(
        file,
        f"INSERT INTO messages VALUES ('new', {tip}, 'user', NULL);"
        "INSERT INTO parts VALUES (NULL, 'new', 0, 'text', NULL, 'And now?', NULL)",
    )

    assert bring_in(store, file).intake.new == 1
    assert ("And now?", "Thought.") in tree(store)


@pytest.mark.parametrize("was_known", [False, True], ids=["at once", "later"])
def test_a_conversation_that_goes_on_in_the_newer_tables_is_there_once(
    was_known: bool, store: Store
) -> None:
    if was_known:
        bring_in(store, OLD)
    [report] = bring_in(store, CONTINUED).files
    [message] = [m for m in all_of(store) if m.blocks[0].content == "Look."]

    assert report.intake.new == (2 if was_known else 13)
    assert report.conversations == 1
    assert tree(store)[-2:] == [
        ("Going on", "Reply to Look."),
        ("Reply to Going on", "Going on"),
    ]
    # The copy that llm made has neither the picture nor the error.
    assert message.blocks[1].modality == 1
    assert saying(store, "Error: boom").tool_result_error
    assert bring_in(store, CONTINUED).intake.new == 0


def test_a_branch_below_the_copy_hangs_from_the_original(
    file: Path, store: Store
) -> None:
    file.write_bytes(CONTINUED.read_bytes())
    copied = "(SELECT message_hash FROM parts WHERE text = 'Reply to Hello')"
    database(
        file,
        f"INSERT INTO messages VALUES ('new', {copied}, 'user', NULL);"
        "INSERT INTO parts VALUES (NULL, 'new', 0, 'text', NULL, 'Instead', NULL)",
    )
    bring_in(store, file)

    assert len(all_of(store)) == 14
    assert ("Instead", "Reply to Hello") in tree(store)


def test_rings_and_lost_parents_and_odd_parts_do_no_harm(
    file: Path, store: Store
) -> None:
    rows = [
        (MESSAGE, ("a", "b", "user")),
        (MESSAGE, ("b", "a", "assistant")),
        (MESSAGE, ("c", "nowhere", "critic")),
        (MESSAGE, ("d", "b", "tool")),
        (PART, ("d", 0, "text", "a tool in words", None)),
        (PART, ("a", 0, "text", "one", None)),
        (PART, ("b", 0, "tool_result", None, "[1, 2")),
        (PART, ("c", 0, "hologram", None, '{"shape": 3}')),
        (PART, ("c", 1, "attachment", None, '{"attachment": {"id": 5}}')),
        (PART, ("c", 2, "text", None, '{"text_ref": [{"fragment": 1}, 7, null]}')),
    ]
    bring_in(store, database(file, EMPTY_TREE, *rows))
    odd = next(m for m in all_of(store) if m.blocks[0].extra.get("llm_type"))

    assert len(all_of(store)) == 4
    assert saying(store, "a tool in words").role == "tool_result"
    assert odd.blocks[0].extra == {"llm_type": "hologram", "shape": 3}
    assert store.origins.of([odd.id])[odd.id].meta == {"llm_role": "critic"}


def test_responses_of_no_conversation_are_conversations(
    file: Path, store: Store
) -> None:
    sql = "CREATE TABLE responses (id TEXT, conversation_id TEXT, prompt TEXT,"
    rows = [
        ("INSERT INTO responses VALUES (?, NULL, ?, ?)", (name, f"ask {name}", "yes"))
        for name in "ab"
    ]
    bring_in(store, database(file, sql + " response TEXT)", *rows))

    assert tree(store) == [
        ("ask a", None),
        ("yes", "ask a"),
        ("ask b", None),
        ("yes", "ask b"),
    ]


def test_every_thread_keeps_its_name(file: Path, store: Store) -> None:
    sql = EMPTY_TREE + (
        "CREATE TABLE threads (id TEXT, name TEXT, tip_message_hash TEXT,"
        " forked_from TEXT)"
    )
    messages = [
        ("s", None, "system"),
        ("u1", "s", "user"),
        ("a1", "u1", "assistant"),
        ("u2", "a1", "user"),
        ("a3", "u1", "assistant"),
        ("u4", "s", "user"),
    ]
    threads = [
        ("t1", "first", "u2", None),
        ("t2", "begun alike", "a3", None),
        ("t3", "with the same system", "u4", None),
        ("t4", "fork", "a1", "t1"),
    ]
    database(
        file,
        sql,
        *((MESSAGE, row) for row in messages),
        *((PART, (key, 0, "text", key, None)) for key, _, _ in messages),
        *(("INSERT INTO threads VALUES (?, ?, ?, ?)", row) for row in threads),
    )
    bring_in(store, file)

    assert {m.text: m.title for m in all_of(store) if m.title} == {
        "u1": "first",
        "a3": "begun alike",
        "u4": "with the same system",
        "a1": "fork",
    }
