"""`convotui export --format openai|bedrock|q|jsonl`: for programs, and for git."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from convotui.storage import Block, Draft, MessageId, Store

from .program import Program
from .stores import make, said

FORMATS = ["openai", "bedrock", "q"]
EVERYTHING = ["aB3xK9", "dE4fG5", "hI7jK8", "lM0nO1", "pQ2rS3", "fG0hI1"]


def elsewhere(convotui: Program, name: str) -> Path:
    """Another directory, in which there is nothing."""
    directory = convotui.directory.parent / name
    directory.mkdir()
    return directory


@pytest.mark.usefixtures("forked")
@pytest.mark.parametrize("kind", FORMATS)
def test_a_thread_for_another_program_holds_the_way_to_its_message(
    kind: str, convotui: Program
) -> None:
    exported = convotui.prints("export", "lM0", "--format", kind)

    json.loads(exported)
    places = [
        exported.find(text)
        for text in (
            "Hello, can you help me?",
            "Of course!",
            "I need help with Go",
            "Sure, what's",
        )
    ]
    assert places == sorted(places)
    assert min(places) > 0
    assert "Python" not in exported


@pytest.mark.usefixtures("forked")
@pytest.mark.parametrize("kind", ["openai", "q"])
def test_it_is_imported_as_the_same_thread(kind: str, convotui: Program) -> None:
    other = elsewhere(convotui, "other")
    convotui.says("export", "lM0", "--format", kind, "-o", other / "talk")
    convotui.prints("import", "talk", directory=other)

    threads = []
    for directory in (convotui.directory, other):
        with Store(directory / ".cpeconvo") as store:
            last = store.search("Sure, what's")[0].id
            threads.append([(m.role, m.text) for m in store.thread(last)])
    assert threads[0] == threads[1]
    assert len(threads[0]) == 4


@pytest.mark.usefixtures("forked")
@pytest.mark.parametrize("kind", FORMATS)
def test_branches_have_no_place_in_a_thread(kind: str, convotui: Program) -> None:
    for arguments in ((), ("dE4", "--subtree")):
        line = convotui.refuses("export", *arguments, "--format", kind, code=2)
        assert f"--format {kind} holds one thread" in line


def test_what_is_left_out_is_told_in_one_line(convotui: Program, project: Path) -> None:
    with Store(project / ".cpeconvo") as store:
        blocks = [Block("hm", "thinking"), Block("Hello.")]
        [message_id] = store.save([Draft("assistant", blocks)])

    outcome = convotui("export", message_id, "--format", "openai")
    assert json.loads(outcome.out) == [{"role": "assistant", "content": "Hello."}]
    told = "Left out, for want of a place: 1 block of thinking.\n"
    assert (outcome.code, outcome.err) == (0, told)
    outcome = convotui("export", message_id, "--format", "openai", "-o", "f")
    assert outcome.err == f"Wrote f.\n{told}"


@pytest.mark.usefixtures("forked")
def test_lines_are_told_by_the_name_of_the_file(
    convotui: Program, project: Path
) -> None:
    convotui.says("export", "-o", "all.jsonl")

    lines = (project / "all.jsonl").read_text().splitlines()
    found = [json.loads(line) for line in lines]
    assert sorted(line["id"] for line in found) == sorted(EVERYTHING)
    for number, line in enumerate(found):
        above = {earlier["id"] for earlier in found[:number]}
        assert line.get("parent_id") in {None, *above}
        assert list(line) == sorted(line)
    assert "\n".join(lines) + "\n" == convotui.prints("export", "--format", "jsonl")


@pytest.mark.usefixtures("forked")
@pytest.mark.parametrize(
    ("arguments", "ids"),
    [
        (["hI7"], ["aB3xK9", "dE4fG5", "hI7jK8"]),
        (["pQ2", "--subtree"], ["pQ2rS3", "fG0hI1"]),
    ],
    ids=["thread", "subtree"],
)
def test_a_part_as_lines(
    arguments: list[str], ids: list[str], convotui: Program
) -> None:
    lines = convotui.prints("export", *arguments, "--format", "jsonl").splitlines()

    assert [json.loads(line)["id"] for line in lines] == ids


@pytest.mark.usefixtures("forked")
def test_a_subtree_of_nothing_is_refused(convotui: Program) -> None:
    convotui.refuses("export", "zzz", "--subtree", "--format", "jsonl")


def test_nothing_is_no_line(convotui: Program, project: Path) -> None:
    assert convotui.prints("export", "--format", "jsonl") == ""
    assert list(project.iterdir()) == []


@pytest.mark.parametrize("how", ["git", "sort"])
@pytest.mark.usefixtures("forked")
def test_what_two_added_is_joined(how: str, convotui: Program) -> None:
    """Two go on from one tree, at different places, and join their files."""
    base = convotui.prints("export", "--format", "jsonl")
    added = {
        "ours": said("zzzzz1", "And channels?", "lM0nO1", at="2026-02-15 10:00"),
        "theirs": said("aaaaa1", "With types?", "fG0hI1", at="2026-02-15 11:00"),
    }
    versions = {}
    for name, draft in added.items():
        directory = elsewhere(convotui, name)
        (directory / "base.jsonl").write_text(base)
        convotui.prints("import", "base.jsonl", directory=directory)
        make(directory / ".cpeconvo", draft)
        versions[name] = convotui.prints(
            "export", "--format", "jsonl", directory=directory
        )
    together = elsewhere(convotui, "together")
    if how == "git":
        merge(together, base, versions["ours"], versions["theirs"])
    else:
        lines = "".join(versions.values()).splitlines(keepends=True)
        (together / "all.jsonl").write_text("".join(sorted(set(lines), reverse=True)))
    assert convotui("import", "all.jsonl", directory=together).code == 0

    with Store(together / ".cpeconvo") as store:
        found = {message.id: message for message in store.list_messages()}
    assert found.keys() == {*EVERYTHING, "zzzzz1", "aaaaa1"}
    assert found[MessageId("zzzzz1")].parent_id == "lM0nO1"
    assert found[MessageId("aaaaa1")].parent_id == "fG0hI1"


def merge(directory: Path, base: str, ours: str, theirs: str) -> None:
    """Let git merge two versions of `all.jsonl`; there must be no conflict."""
    file = directory / "all.jsonl"

    def git(*arguments: str) -> None:
        name = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
        command = ["git", "-C", str(directory), *name, *arguments]
        subprocess.run(command, check=True, capture_output=True)

    def commit(text: str) -> None:
        file.write_text(text)
        git("add", "all.jsonl")
        git("commit", "-m", "x")

    git("init", "-b", "ours")
    commit(base)
    git("checkout", "-b", "theirs")
    commit(theirs)
    git("checkout", "ours")
    commit(ours)
    git("merge", "theirs")


def test_lines_of_a_newer_version_are_refused(convotui: Program, forked: Path) -> None:
    newer = convotui.prints("export", "--format", "jsonl").replace(
        '"convotui":1', '"convotui":2'
    )
    (convotui.directory / "newer").write_text(newer)
    forked.unlink()
    outcome = convotui("import", "newer")

    assert outcome.code == 1
    assert "newer: was written by a newer convotui; upgrade to read it." in outcome.err


@pytest.mark.usefixtures("forked")
def test_a_bad_line_is_named_and_the_rest_comes_in(convotui: Program) -> None:
    lines = convotui.prints("export", "--format", "jsonl").splitlines()
    other = elsewhere(convotui, "other")
    bad = ["", "<<<<<<< HEAD", '{"convotui":1,"id":7}', "[" * 9_999]
    (other / "f").write_text("\n".join([*lines[:2], *bad, *lines[2:]]))
    outcome = convotui("import", "f", directory=other)

    assert [line.partition(":")[2] for line in outcome.err.splitlines()[:-1]] == [
        f" f, line {number}: is no message with an id." for number in (4, 5, 6)
    ]
    with Store(other / ".cpeconvo") as store:
        assert len(store.list_messages()) == len(EVERYTHING)
