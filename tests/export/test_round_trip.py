"""What is exported as JSON or as lines, and imported again, is equal."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from convotui.conversations.exporting import ExportKind
from convotui.conversations.importing import Importer
from convotui.storage import Block, Draft, MessageId, Store
from tests.hostile.strings import STRINGS, storable

from .samples import BEGUN
from .trees import brought_in, by_id, exported, scratch, trees

FIXTURES = Path(__file__).parent.parent / "fixtures"
SAMPLES = sorted(
    path
    for path in [*FIXTURES.iterdir(), *(FIXTURES / "importers").iterdir()]
    if path.is_file() and not path.name.endswith((".txt", ".mapped.json"))
)
KINDS: list[ExportKind] = ["json", "jsonl"]
FEW = settings(deadline=None, max_examples=40)
EITHER = pytest.mark.parametrize("kind", KINDS)


@EITHER
@FEW
@given(trees())
def test_a_tree_comes_back_as_it_was(kind: ExportKind, drafts: list[Draft]) -> None:
    with scratch() as directory:
        with Store(directory / "ours") as store:
            store.save(drafts)
            text, before = exported(store, kind), by_id(store)
        after, report = brought_in(directory / "theirs", text)

        assert after == before
        assert report.intake.new == len(drafts)
        with Store(directory / "theirs") as store:
            assert exported(store, kind) == text
            again = Importer(store).run([directory / "theirs.export"])
            assert (again.intake.new, again.intake.grown) == (0, 0)


@FEW
@given(trees(), st.randoms())
def test_lines_in_any_order_and_any_number_are_the_same_tree(
    drafts: list[Draft], chance: random.Random
) -> None:
    with scratch() as directory:
        with Store(directory / "ours") as store:
            store.save(drafts)
            lines, before = exported(store, "jsonl").splitlines(), by_id(store)
        lines += chance.choices(lines, k=3)
        chance.shuffle(lines)
        after, _ = brought_in(directory / "theirs", "\r\n".join(lines))

        assert after == before


@FEW
@given(trees(min_size=2), st.data())
def test_what_is_added_adds_lines_and_changes_none(
    drafts: list[Draft], data: st.DataObject
) -> None:
    keep = data.draw(st.integers(1, len(drafts) - 1))
    with scratch() as directory, Store(directory / "ours") as store:
        store.save(drafts[:keep])
        before = exported(store, "jsonl").splitlines()
        store.save(drafts[keep:])
        after = exported(store, "jsonl").splitlines()

    assert len(after) == len(drafts)
    remaining = iter(after)
    assert all(line in remaining for line in before)


@FEW
@given(trees(), st.randoms())
def test_the_same_messages_are_the_same_bytes(
    drafts: list[Draft], chance: random.Random
) -> None:
    waiting = list(drafts)
    order: list[Draft] = []
    while waiting:
        placed = {None, *(draft.id for draft in order)}
        ready = [draft for draft in waiting if draft.parent in placed]
        order.append(chance.choice(ready))
        waiting.remove(order[-1])
    with scratch() as directory:
        texts = []
        for name, saved in (("one", drafts), ("other", order)):
            with Store(directory / name) as store:
                store.save(saved)
                texts.append(exported(store, "jsonl"))

    assert texts[0] == texts[1]


@FEW
@given(trees(), st.data())
def test_a_part_is_known_again_where_the_whole_is(
    drafts: list[Draft], data: st.DataObject
) -> None:
    kind = data.draw(st.sampled_from(KINDS))
    top = data.draw(st.sampled_from([draft.id for draft in drafts]))
    whole_subtree = data.draw(st.booleans())
    with scratch() as directory, Store(directory / "ours") as store:
        store.save(drafts)
        text = exported(store, kind, top, whole_subtree=whole_subtree)
        (directory / "part").write_text(text, newline="")
        report = Importer(store).run([directory / "part"])

    assert report.intake.new == 0
    assert report.intake.known == report.files[0].messages > 0


@EITHER
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_where_messages_came_from_goes_along(
    sample: Path, kind: ExportKind, tmp_path: Path
) -> None:
    with Store(tmp_path / "ours") as store:
        Importer(store).run([sample])
        text, before = exported(store, kind), by_id(store)
        origins = store.origins.of(list(before))
    after, _ = brought_in(tmp_path / "theirs", text)

    assert after == before
    with Store(tmp_path / "theirs") as store:
        assert store.origins.of(list(after)) == origins
        assert exported(store, kind) == text
        assert Importer(store).run([sample]).intake.new == 0


@EITHER
def test_hostile_text_comes_back_letter_by_letter(
    kind: ExportKind, tmp_path: Path
) -> None:
    with Store(tmp_path / "ours") as store:
        blocks = [
            Block(text, text[:9], 0, text[:9], text, text) for text in STRINGS.values()
        ]
        drafts = [Draft("user", [block], title=block.content[:99]) for block in blocks]
        ids = store.save(drafts)
        text, before = exported(store, kind), by_id(store)
    after, _ = brought_in(tmp_path / "theirs", text)

    assert after == before
    contents = [after[message_id].blocks[0].content for message_id in ids]
    assert contents == [storable(text) for text in STRINGS.values()]


@pytest.mark.parametrize(
    ("ours", "theirs", "both"),
    [
        ("Hel", "Hello", ["Hello"]),
        ("one thing", "another", ["another", "one thing"]),
    ],
    ids=["grown", "another"],
)
def test_two_lines_of_one_message_are_as_two_files(
    ours: str, theirs: str, both: list[str], tmp_path: Path
) -> None:
    [first, reply] = [
        Draft("user", [Block("?")], id=MessageId("a")),
        Draft("assistant", [Block(ours)], MessageId("a"), id=MessageId("b")),
    ]
    texts = []
    for name, said in (("ours", ours), ("theirs", theirs)):
        with Store(tmp_path / name, clock=lambda: BEGUN) as store:
            store.save([first, replace(reply, blocks=[Block(said)])])
            texts.append(exported(store, "jsonl"))

    for number, joined in enumerate(("".join(texts), "".join(reversed(texts)))):
        after, _ = brought_in(tmp_path / f"joined{number}", joined)
        replies = [m for m in after.values() if m.role == "assistant"]
        assert sorted(message.text for message in replies) == both
        assert {message.parent_id for message in replies} == {"a"}


def test_a_label_of_either_file_stays(tmp_path: Path) -> None:
    with Store(tmp_path / "ours") as store:
        [message_id] = store.save([Draft("user", [Block("?")])])
        plain = exported(store, "jsonl")
        store.label(message_id, "the good one")
        labelled = exported(store, "jsonl")

    for number, text in enumerate((plain + labelled, labelled + plain)):
        [message] = brought_in(tmp_path / f"{number}", text)[0].values()
        assert message.title == "the good one"
