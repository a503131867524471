"""ChatGPT's export: all branches, what is folded, tools, pictures in the archive."""

from __future__ import annotations

import base64
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from convotui.conversations.importing import Importer
from convotui.storage import ChatMessage, Store

from .helpers import SAMPLES, all_of, bring_in, saved, tree

SAMPLE = SAMPLES / "chatgpt_conversations.json"
DOT = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """An export as it comes, with the picture that a message points to."""
    path = tmp_path / "my!export.zip"
    with zipfile.ZipFile(path, "w") as zipped:
        zipped.writestr("user.json", '{"id": "user-1", "email": "a@example.org"}')
        zipped.writestr("message_feedback.json", '[{"id": "n", "rating": "up"}]')
        zipped.writestr("conversations-000.json", SAMPLE.read_text())
        zipped.writestr("user-1/file_0abc-sanitized.dat", DOT)
        zipped.writestr("file-Notes-notes.txt", "to do")
        zipped.writestr("pictures/file-Gone2.png", DOT)
    return path


def by_key(store: Store) -> dict[str, ChatMessage]:
    messages = all_of(store)
    origins = store.origins.of([message.id for message in messages])
    return {origins[message.id].origin.key: message for message in messages}


def meta(store: Store, key: str) -> dict[str, Any]:
    message = by_key(store)[key]
    return store.origins.of([message.id])[message.id].meta


def conversation(**nodes: Any) -> dict[str, Any]:
    return {"conversation_id": "c", "title": "T", "mapping": nodes}


def said(text: str, parent: str | None, role: str = "user") -> dict[str, Any]:
    content = {"content_type": "text", "parts": [text]}
    message = {"author": {"role": role}, "content": content, "recipient": "all"}
    return {"message": message, "parent": parent}


def test_every_branch_comes_in(store: Store) -> None:
    report = bring_in(store, SAMPLE)

    found = tree(store)
    assert ("Sort it in pieces.", "How do I sort a stream?") in found
    assert ("Use a heap.", "How do I sort a stream?") in found
    [file] = report.files
    assert (file.format, file.conversations, file.messages) == ("chatgpt", 2, 18)


def test_what_says_nothing_is_passed_over_and_what_is_hidden_is_folded(
    store: Store,
) -> None:
    bring_in(store, SAMPLE)
    messages = by_key(store)
    context = messages["n-context"]

    assert "n-system" not in messages
    assert context.parent_id is None
    assert [block.type for block in context.blocks] == ["hidden", "hidden"]
    assert context.blocks[0].content == "Likes short answers."
    assert meta(store, "n-context")["hidden"] is True
    assert messages["n-ask"].parent_id == messages["n-ask-2"].parent_id == context.id


def test_the_title_is_the_label_of_what_it_begins_with(store: Store) -> None:
    bring_in(store, SAMPLE)

    titles = {key: message.title for key, message in by_key(store).items()}
    assert {key for key, title in titles.items() if title} == {"n-context", "n-lost"}
    assert titles["n-context"] == "Sorting"


def test_times_models_and_states_are_kept(store: Store) -> None:
    bring_in(store, SAMPLE)
    messages = by_key(store)
    answer, cut = messages["n-answer-b"], messages["n-cut"]

    assert answer.created_at.isoformat() == "2026-02-02T02:40:40.500000"
    assert answer.facts is not None
    assert (answer.facts.model, answer.facts.finish_reason) == ("gpt-5-1", "stop")
    assert cut.facts is not None
    assert cut.facts.state == "interrupted"
    references = meta(store, "n-answer-a")["metadata"]["content_references"]
    assert references[0]["url"] == "https://example.org/sort"


def test_calls_have_their_results(store: Store) -> None:
    bring_in(store, SAMPLE)
    messages = by_key(store)
    code, canvas = messages["n-code"].blocks[0], messages["n-canvas"].blocks[0]

    assert json.loads(code.content) == {
        "name": "python",
        "parameters": {"code": "print(1 + 1)"},
    }
    assert code.extra == {"language": "python"}
    assert json.loads(canvas.content)["parameters"]["content"] == "A dot."
    output, made = messages["n-output"], messages["n-made"]
    assert (output.role, output.text) == ("tool_result", "2")
    assert (output.blocks[0].id, made.blocks[0].id) == (code.id, canvas.id)
    error = messages["n-error"]
    assert (error.text, error.tool_result_error) == ("tool_error: It broke.", True)
    quote = messages["n-quote"].blocks[0]
    assert quote.content == "Dots are round."
    assert quote.extra["chatgpt_fields"]["url"] == "https://example.org"


def test_thinking_is_thinking(store: Store) -> None:
    bring_in(store, SAMPLE)
    messages = by_key(store)
    thoughts, recap = messages["n-thoughts"].blocks[0], messages["n-recap"].blocks[0]

    assert (thoughts.type, thoughts.content) == (
        "thinking",
        "Looking\n\nThere is a dot.",
    )
    assert (recap.type, recap.content) == ("thinking", "Thought for 3 seconds")


def test_pictures_and_files_are_found_in_the_archive(
    store: Store, archive: Path
) -> None:
    bring_in(store, archive)
    picture, gone, text, notes = by_key(store)["n-picture"].blocks

    assert base64.b64decode(picture.content) == DOT
    assert (picture.modality, picture.mime_type) == (1, "image/png")
    assert gone.content == "[image: file-service://file-Gone]"
    assert text.content == "What is on it?"
    assert (notes.content, notes.extra) == ("to do", {"filename": "notes.txt"})


def test_pictures_are_found_in_the_directory_of_an_unpacked_export(
    store: Store, archive: Path, tmp_path: Path
) -> None:
    with zipfile.ZipFile(archive) as zipped:
        zipped.extractall(tmp_path / "export")
    bring_in(store, tmp_path / "export" / "conversations-000.json")

    picture = by_key(store)["n-picture"].blocks[0]
    assert base64.b64decode(picture.content) == DOT


def test_a_picture_that_cannot_be_unpacked_is_told(store: Store, archive: Path) -> None:
    data = archive.read_bytes()
    archive.write_bytes(data.replace(DOT, b"\x89PNG\r\n\x1a\0", 1))
    report = Importer(store).run([archive])

    told = [p for p in report.problems if p.file.endswith("conversations-000.json")]
    assert [problem.where for problem in told] == ["user-1/file_0abc-sanitized.dat"]
    assert len(all_of(store)) == 18


def test_importing_again_adds_nothing_and_later_what_is_new(
    store: Store, tmp_path: Path
) -> None:
    bring_in(store, SAMPLE)
    assert bring_in(store, SAMPLE).intake.new == 0

    conversations = json.loads(SAMPLE.read_text())
    mapping = conversations[0]["mapping"]
    mapping["n-more"] = said("And backwards?", "n-answer-b")
    cut = mapping["n-cut"]["message"]
    cut["content"]["parts"] = ["Call sorted()."]
    cut["status"] = "finished_successfully"
    report = bring_in(store, saved(tmp_path / "conversations.json", conversations))

    assert (report.intake.new, report.intake.grown) == (1, 1)
    assert ("And backwards?", "Use a heap.") in tree(store)
    reply = by_key(store)["n-cut"]
    assert reply.facts is not None
    assert (reply.text, reply.facts.state) == ("Call sorted().", "complete")


def test_a_single_conversation_is_read_too(store: Store, tmp_path: Path) -> None:
    one = json.loads(SAMPLE.read_text())[0]
    report = bring_in(store, saved(tmp_path / "one.json", one))

    assert report.files[0].conversations == 1


def test_rings_and_wrong_types_do_no_harm(store: Store, tmp_path: Path) -> None:
    nothing = {"message": None, "parent": "y"}
    broken = conversation(
        a=said("a", "b"),
        b=said("b", "a"),
        x={"message": None, "parent": "y", "children": [7, None]},
        y={**nothing, "parent": "x"},
        z=said("z", "x"),
        n={"message": {"author": 7, "content": [], "metadata": "no"}, "parent": {}},
        m=3,
    )
    report = Importer(store).run(
        [saved(tmp_path / "f", [broken, 7, {"mapping": [1]}, conversation()])]
    )

    assert sorted(text for text, _ in tree(store)) == ["a", "b", "z"]
    assert [problem.where for problem in report.problems] == [
        "item 2 (line 1)",
        "item 3 (line 1)",
    ]


def test_a_parent_may_be_known_only_by_its_children(
    store: Store, tmp_path: Path
) -> None:
    top = {**said("top", None), "children": ["below"]}
    below = said("below", None)
    del below["parent"]
    bring_in(store, saved(tmp_path / "f", conversation(top=top, below=below)))

    assert ("below", "top") in tree(store)


def test_words_of_the_system_are_folded_and_results_may_have_no_call(
    store: Store, tmp_path: Path
) -> None:
    called = said("1 + 1", None, "assistant")
    called["message"]["recipient"] = "python"
    nodes = conversation(
        call=called,
        rules=said("Be kind.", "call", "system"),
        asked=said("And now?", "rules"),
        result=said("2", "asked", "tool"),
    )
    bring_in(store, saved(tmp_path / "f", nodes))
    messages = by_key(store)

    assert [block.type for block in messages["rules"].blocks] == ["hidden"]
    assert messages["result"].role == "tool_result"
    assert messages["result"].blocks[0].id is None
