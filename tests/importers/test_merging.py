"""Two files of one kind brought together: the union of both, in either order."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from convotui.conversations.exporting import every_message, export_pieces
from convotui.storage import Block, Draft, MessageId, ReplyFacts, Store
from tests.storage.helpers import add_message, other_program, seed_file

from .helpers import SAMPLES, all_of, bring_in, tree

Content = tuple[str, ...]
"""What is said from the root down to a message."""


@dataclass(frozen=True)
class Said:
    """A message of which two people may have different ones under one id."""

    number: int
    parent: int | None
    text: str


def draft(said: Said) -> Draft:
    return Draft(
        "user",
        [Block(said.text)],
        None if said.parent is None else MessageId(f"id{said.parent}"),
        created_at=datetime(2026, 1, 1),
        id=MessageId(f"id{said.number}"),
    )


@st.composite
def two_trees(draw: st.DrawFn) -> tuple[list[Said], list[Said]]:
    """Two files with a common past, and each with messages of its own."""
    size = draw(st.integers(1, 8))
    ours: list[Said] = []
    theirs: list[Said] = []
    for number in range(size):
        owners = draw(st.sampled_from(["both", "ours", "theirs", "clash"]))
        for file, name in ((ours, "ours"), (theirs, "theirs")):
            if owners in ("both", "clash", name):
                parents = [None, *(said.number for said in file)]
                common = {said.number for said in ours} & {s.number for s in theirs}
                if owners == "both":
                    parents = [None, *sorted(common - {number})]
                index = draw(st.integers(0, 100)) if owners != "both" else number * 7
                parent = parents[index % len(parents)]
                text = f"{number} {name}" if owners == "clash" else f"{number}"
                file.append(Said(number, parent, text))
    return ours, theirs


def threads(store: Store) -> list[Content]:
    """Every message with all that leads to it: a file without its ids."""
    said: dict[MessageId, Content] = {}
    by_id = {message.id: message for message in all_of(store)}

    def way(message_id: MessageId) -> Content:
        if message_id not in said:
            message = by_id[message_id]
            above = () if message.parent_id is None else way(message.parent_id)
            said[message_id] = (*above, message.text)
        return said[message_id]

    return sorted(way(message_id) for message_id in by_id)


def make(path: Path, messages: Sequence[Said]) -> Path:
    with Store(path) as store:
        if messages:
            store.save([draft(said) for said in messages])
        else:
            store.save([draft(Said(99, None, "99"))])
    return path


def brought_together(directory: Path, first: Path, *others: Path) -> list[Content]:
    with tempfile.TemporaryDirectory(dir=directory) as own:
        target = Path(own, "store")
        with Store(first) as store:
            store.back_up(target)
        with Store(target) as store:
            for other in others:
                bring_in(store, other)
            return threads(store)


@settings(deadline=None, max_examples=60)
@given(two_trees())
def test_the_order_does_not_matter(trees: tuple[list[Said], list[Said]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        ours = make(directory / "ours", trees[0])
        theirs = make(directory / "theirs", trees[1])

        one_way = brought_together(directory, ours, theirs)
        other_way = brought_together(directory, theirs, ours)

        assert one_way == other_way
        with Store(ours) as store:
            assert set(threads(store)) <= set(one_way)
        with Store(theirs) as store:
            assert set(threads(store)) <= set(one_way)


@settings(deadline=None, max_examples=40)
@given(two_trees())
def test_two_who_exchange_their_files_have_the_same(
    trees: tuple[list[Said], list[Said]],
) -> None:
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        ours = make(directory / "ours", trees[0])
        theirs = make(directory / "theirs", trees[1])
        sizes = []
        for target, other in ((ours, theirs), (theirs, ours)) * 2:
            with Store(target) as store:
                new = bring_in(store, other).intake.new
                sizes.append((new, threads(store)))

        assert [new for new, _ in sizes[2:]] == [0, 0]
        assert sizes[0][1] == sizes[1][1] == sizes[3][1]


def test_the_same_message_is_one_and_another_gets_another_id(
    store: Store, tmp_path: Path
) -> None:
    store.save([draft(Said(1, None, "same")), draft(Said(2, 1, "ours"))])
    other = make(
        tmp_path / "other",
        [Said(1, None, "same"), Said(2, 1, "theirs"), Said(3, 2, "reply to theirs")],
    )
    report = bring_in(store, other)

    assert (report.intake.new, report.intake.known) == (2, 1)
    assert sorted(tree(store)) == [
        ("ours", "same"),
        ("reply to theirs", "theirs"),
        ("same", None),
        ("theirs", "same"),
    ]
    kept = {message.text: message.id for message in all_of(store)}
    assert (kept["same"], kept["ours"]) == ("id1", "id2")
    assert kept["reply to theirs"] == "id3"
    assert kept["theirs"] not in ("id1", "id2", "id3")


def test_what_was_deleted_here_stays_deleted(store: Store, tmp_path: Path) -> None:
    thread = [Said(1, None, "one"), Said(2, 1, "two")]
    other = make(tmp_path / "other", [*thread, Said(3, 2, "three")])
    store.save([draft(said) for said in thread])
    store.delete([MessageId("id2")])

    assert bring_in(store, other).intake.known == 2
    assert tree(store) == [("one", None), ("three", "one")]
    store.undo()
    assert sorted(message.id for message in all_of(store)) == ["id1", "id2", "id3"]


def test_an_id_in_the_trash_is_not_given_away(store: Store, tmp_path: Path) -> None:
    other = make(tmp_path / "other", [Said(1, None, "theirs")])
    store.save([draft(Said(1, None, "ours"))])
    store.delete([MessageId("id1")])
    bring_in(store, other)
    store.undo()

    assert sorted(tree(store)) == [("ours", None), ("theirs", None)]


def test_a_copy_of_a_file_brings_nothing_new_whatever_is_in_it(tmp_path: Path) -> None:
    for name in ("here", "copy"):
        seed_file(tmp_path / name)
        with other_program(tmp_path / name) as connection:
            add_message(connection, "a", "one", role="system")
            add_message(connection, "b", "two", parent="a", role="odd", at="no time")
            add_message(connection, "c", "three", parent="gone")
            connection.execute(
                "INSERT INTO blocks VALUES (7, 'a', 'x', 'y', '', x'4142', '', 1, 0)"
            )
    with Store(tmp_path / "here") as store:
        assert bring_in(store, tmp_path / "copy").intake.new == 0


def test_what_two_imported_from_the_same_place_is_one(
    store: Store, tmp_path: Path
) -> None:
    with Store(tmp_path / "other") as other:
        bring_in(other, SAMPLES / "pingu.db")
    bring_in(store, SAMPLES / "pingu.db")

    assert bring_in(store, tmp_path / "other").intake.new == 0


def test_labels_and_facts_come_along(store: Store, tmp_path: Path) -> None:
    with Store(tmp_path / "other") as other:
        facts = ReplyFacts("m", 1, 2, cost=0.5, state="interrupted", error="cut off")
        [reply] = other.save([Draft("assistant", [Block("hi")], facts=facts)])
        other.label(reply, "the good one")
    bring_in(store, tmp_path / "other")
    [message] = all_of(store)
    assert (message.title, message.facts) == ("the good one", facts)

    store.label(reply, None)
    with Store(tmp_path / "other") as other:
        other.label(reply, "their name")
    bring_in(store, tmp_path / "other")
    assert all_of(store)[0].title == "their name"

    store.label(reply, "my name")
    bring_in(store, tmp_path / "other")
    assert all_of(store)[0].title == "my name"


@settings(deadline=None, max_examples=40)
@given(two_trees())
def test_what_is_exported_comes_back_the_same(
    trees: tuple[list[Said], list[Said]],
) -> None:
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        with Store(make(directory / "ours", trees[0])) as store:
            document = "".join(export_pieces(every_message(store), "json", ""))
            before = all_of(store)
        (directory / "all.json").write_text(document)
        with Store(directory / "again") as store:
            bring_in(store, directory / "all.json")
            assert sorted(all_of(store), key=lambda m: m.id) == sorted(
                before, key=lambda m: m.id
            )
            assert bring_in(store, directory / "ours").intake.new == 0
