"""`convotui export`: a thread, a subtree or everything, in three formats."""

from __future__ import annotations

from pathlib import Path

import pytest

from convotui.export import document
from convotui.storage import Block, Draft, ReplyFacts, Store

from .program import Program
from .stores import make, said

THREAD = ["aB3xK9", "dE4fG5", "hI7jK8"]
SUBTREE = ["dE4fG5", "hI7jK8", "lM0nO1", "pQ2rS3", "fG0hI1"]
EVERYTHING = ["aB3xK9", *SUBTREE]


def ids(text: str) -> list[str]:
    return [message.id for message in document.loads(text)]


@pytest.mark.usefixtures("forked")
def test_an_id_exports_the_way_to_it(convotui: Program) -> None:
    exported = convotui.prints("export", "hI7", "--format", "json")

    assert ids(exported) == THREAD


@pytest.mark.usefixtures("forked")
def test_a_subtree_begins_with_its_message(convotui: Program) -> None:
    exported = convotui.prints("export", "dE4", "--subtree", "--format", "json")

    assert exported_once(ids(exported)) == sorted(SUBTREE)
    assert ids(exported)[0] == "dE4fG5"


@pytest.mark.usefixtures("forked")
def test_without_an_id_everything_is_exported(convotui: Program) -> None:
    exported = ids(convotui.prints("export", "--format", "json"))

    assert exported_once(exported) == sorted(EVERYTHING)


def exported_once(found: list[str]) -> list[str]:
    """The ids in order, which are the same as often as they came."""
    assert len(set(found)) == len(found)
    return sorted(found)


def test_json_reads_back_as_what_is_stored(convotui: Program, project: Path) -> None:
    facts = ReplyFacts("m", 1, 2, 3, 4, 0.5, 0.25, 1.5, "stop", "failed", "why")
    with Store(project / ".cpeconvo") as store:
        [question] = store.save(
            [said("aaaaaa", "\x1b[31m \x00 日本語 \r\n", title="l")]
        )
        store.save(
            [
                Draft(
                    "assistant",
                    [
                        Block("hm", type="thinking", extra_fields='{"a":  1.0}'),
                        Block('{"name":"x"}', type="tool_call", id="call_1"),
                        Block("aGk=", modality=1, mime_type="image/png"),
                        Block("?", type="from the future", modality=99, mime_type=""),
                    ],
                    question,
                    facts=facts,
                ),
                Draft("tool_result", [], question, tool_result_error=True),
            ]
        )
        stored = store.subtree(question)

    exported = convotui.prints("export", "--format", "json")

    assert list(document.loads(exported)) == stored


@pytest.mark.usefixtures("seed_era")
def test_a_whole_file_of_cpe_reads_back_as_it_is(
    convotui: Program, seed_era: Path
) -> None:
    with Store(seed_era) as store:
        stored = {message.id: message for message in store.list_messages()}

    exported = document.loads(convotui.prints("export", "--format", "json"))

    assert {message.id: message for message in exported} == stored


@pytest.mark.usefixtures("forked")
def test_markdown_is_what_one_gets_unasked(convotui: Program) -> None:
    exported = convotui.prints("export", "hI7")

    assert exported == convotui.prints("export", "hI7", "--format", "md")
    assert exported.startswith("# ")
    assert "I need help with Go" in exported
    assert "<html" not in exported


@pytest.mark.usefixtures("forked")
def test_html_is_one_page_that_needs_no_network(convotui: Program) -> None:
    page = convotui.prints("export", "--format", "html")

    assert page.lower().startswith("<!doctype html>")
    assert page.rstrip().endswith("</html>")
    for reference in ("http://", "https://", "src=", "@import", "<link"):
        assert reference not in page
    for message_id in EVERYTHING:
        assert message_id in page


def test_text_is_text_and_never_part_of_a_page(
    convotui: Program, project: Path
) -> None:
    evil = "</main><script>alert(1)</script><img src=x onerror=alert(1)>"
    make(project / ".cpeconvo", said("aaaaaa", evil, title=evil))

    page = convotui.prints("export", "--format", "html")

    assert "<script>alert" not in page
    assert "<img src=x" not in page
    assert page.count("</main>") <= 1


@pytest.mark.parametrize("kind", ["md", "html", "json"])
def test_nothing_is_exported_from_nothing(
    kind: str, convotui: Program, project: Path
) -> None:
    exported = convotui.prints("export", "--format", kind)

    assert list(project.iterdir()) == []
    if kind == "json":
        assert list(document.loads(exported)) == []
