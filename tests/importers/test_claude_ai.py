"""claude.ai: trees, replies with tools in them, files, older and single chats."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

from convotui.conversations.importing import Importer
from convotui.storage import Store

from .helpers import SAMPLES, all_of, bring_in, saved, texts, tree

SAMPLE = SAMPLES / "claude_ai_conversations.json"
ASKED = "When do I plant beans?\n\nbeans\npeas\n\n[file: bed.jpg]"
ANSWER = "After the last frost, in mid May."


def test_every_branch_comes_in(store: Store) -> None:
    report = bring_in(store, SAMPLE)

    found = tree(store)
    assert ("And peas?", ANSWER) in found
    assert ("And in a greenhouse?", ANSWER) in found
    [file] = report.files
    assert (file.format, file.conversations, file.branches) == ("claude-ai", 2, 1)


def test_a_reply_with_results_in_it_becomes_turns(store: Store) -> None:
    bring_in(store, SAMPLE)
    messages = {message.text: message for message in all_of(store)}
    asked, found = messages["Let me look."], messages["15 May"]

    assert [block.type for block in asked.blocks] == [
        "thinking",
        "content",
        "tool_call",
    ]
    assert (found.role, found.parent_id) == ("tool_result", asked.id)
    assert found.blocks[0].id == asked.blocks[2].id is not None
    call = json.loads(asked.blocks[2].content)
    assert call == {"name": "web_search", "parameters": {"query": "last frost"}}
    assert messages["no calendar"].tool_result_error
    assert not found.tool_result_error


def test_files_come_with_what_was_read_from_them(store: Store) -> None:
    bring_in(store, SAMPLE)
    [asked] = [m for m in all_of(store) if m.text == ASKED]

    assert asked.blocks[1].content == "beans\npeas"
    assert asked.blocks[1].extra["filename"] == "plan.txt"
    assert asked.blocks[2].extra["filename"] == "bed.jpg"


def test_what_has_no_place_is_kept(store: Store) -> None:
    bring_in(store, SAMPLE)
    messages = {message.text: message for message in all_of(store)}
    fields = messages[ANSWER].blocks[0].extra["anthropic_fields"]
    first = messages[ASKED]

    assert fields["citations"][0]["url"] == "https://example.org/frost"
    assert messages["In April."].blocks[0].type == "token_budget"
    assert first.title == "The garden"
    meta = store.origins.of([first.id])[first.id].meta
    assert meta["conversation"]["summary"] == "Plants."


def test_older_chats_are_in_the_order_they_are_in(store: Store) -> None:
    bring_in(store, SAMPLE)

    assert tree(store)[:3] == [
        ("Hello", None),
        ("Good day", "Hello"),
        ("[file: empty.pdf]", "Good day"),
    ]


def test_a_single_chat_has_its_text_in_its_content_and_a_model(
    store: Store, tmp_path: Path
) -> None:
    chat = json.loads(SAMPLE.read_text())[0]
    for message in chat["chat_messages"]:
        message["text"] = ""
    chat |= {"model": "claude-opus-4", "current_leaf_message_uuid": "c3"}
    bring_in(store, saved(tmp_path / "chat.json", chat))
    answer = next(m for m in all_of(store) if m.text == "In March.")

    assert ASKED in texts(store)
    assert answer.facts is not None
    assert answer.facts.model == "claude-opus-4"


def test_the_archive_is_read_and_again_adds_only_what_is_new(
    store: Store, tmp_path: Path
) -> None:
    archive = tmp_path / "export.zip"
    with zipfile.ZipFile(archive, "w") as zipped:
        zipped.writestr("users.json", '[{"uuid": "acc", "full_name": "Ada"}]')
        zipped.writestr("projects.json", '[{"uuid": "p", "docs": []}]')
        zipped.write(SAMPLE, "conversations.json")
    assert bring_in(store, archive).intake.new == 13
    assert bring_in(store, archive).intake.new == 0

    chats = json.loads(SAMPLE.read_text())
    more = {"uuid": "h9", "sender": "human", "text": "Thanks"}
    chats[0]["chat_messages"].append({**more, "parent_message_uuid": "c1"})
    chats[1]["chat_messages"].append({**more, "uuid": "o4"})
    report = bring_in(store, saved(tmp_path / "later.json", chats))

    assert report.intake.new == 2
    assert ("Thanks", ANSWER) in tree(store)
    assert ("Thanks", "[file: empty.pdf]") in tree(store)


def test_wrong_types_do_no_harm(store: Store, tmp_path: Path) -> None:
    ring = [
        {"uuid": "a", "parent_message_uuid": "b", "text": "a", "sender": "human"},
        {"uuid": "b", "parent_message_uuid": "a", "text": "b", "sender": 7},
        {"uuid": 7, "parent_message_uuid": "gone", "content": [None, 7, {}]},
        "what",
        {"text": ["no"], "attachments": 7, "files": [7]},
    ]
    file = saved(tmp_path / "f", [{"chat_messages": ring}, {"chat_messages": 7}, 7])
    report = Importer(store).run([file])

    assert report.skipped == 2
    assert len(all_of(store)) == 5


def test_a_message_is_of_when_it_was_made_and_its_later_turns_of_their_own(
    store: Store, tmp_path: Path
) -> None:
    parts = [
        {"type": "tool_use", "name": "f", "start_timestamp": "2026-01-01T10:00:01Z"},
        {"type": "tool_result", "content": "r"},
        {"type": "text", "text": "so", "start_timestamp": "2026-01-01T10:00:05Z"},
    ]
    message = {"uuid": "m", "sender": "assistant", "content": parts}
    message |= {"created_at": "2026-01-01T10:00:02.5Z", "stop_reason": "end_turn"}
    bring_in(
        store, saved(tmp_path / "c.json", {"uuid": "c", "chat_messages": [message]})
    )

    messages = all_of(store)
    assert [str(m.created_at)[11:] for m in messages] == [
        "10:00:02.500000",
        "10:00:02.500000",
        "10:00:05",
    ]
    facts = [m.facts for m in messages if m.facts is not None]
    assert [f.finish_reason for f in facts] == [None, "end_turn"]
