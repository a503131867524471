"""How messages are laid out in rows and lanes."""

from __future__ import annotations

from textwrap import dedent

from convotui.storage.records import NO_PARENT
from convotui.tree import FORKED, ORPHAN, ROOT, Forest

from .drawing import forest, outline


def test_nothing_is_laid_out_as_nothing() -> None:
    assert len(Forest(outline())) == 0


def test_the_most_recently_active_reply_keeps_its_parents_lane_and_comes_last() -> None:
    tree = forest(
        "aB3xK9",
        "dE4fG5<aB3xK9",
        "hI7jK8<dE4fG5",
        "lM0nO1<hI7jK8",
        "pQ2rS3<dE4fG5",
        "fG0hI1<pQ2rS3",
    )
    assert tree.drawn() == dedent(
        """\
        ◆ aB3xK9
        ● dE4fG5
        ├─● hI7jK8
        │ ● lM0nO1
        ● pQ2rS3
        ● fG0hI1
        """
    )


def test_a_thread_stays_in_one_lane() -> None:
    assert forest("a", "b<a", "c<b", "d<c").drawn() == dedent(
        """\
        ◆ a
        ● b
        ● c
        ● d
        """
    )


def test_a_new_message_brings_its_branch_to_the_trunk() -> None:
    assert forest("a", "b<a", "c<a", "d<b").drawn() == dedent(
        """\
        ◆ a
        ├─● c
        ● b
        ● d
        """
    )


def test_every_older_sibling_opens_a_lane_of_its_own_from_the_same_parent() -> None:
    tree = forest("a", "b<a", "c<b", "d<b", "e<d", "f<c", "g<d", "h<b", "z")
    assert tree.drawn() == dedent(
        """\
        ◆ a
        ● b
        ├─● c
        │ ● f
        ├─● d
        │ ├─● e
        │ ● g
        ● h
        ◆ z
        """
    )


def test_roots_are_sorted_by_the_newest_message_below_them() -> None:
    assert forest("a", "b", "c", "d<a").drawn() == dedent(
        """\
        ◆ b
        ◆ c
        ◆ a
        ● d
        """
    )


def test_a_message_whose_parent_is_missing_is_an_orphan() -> None:
    assert forest("a", "b<?", "c<b").drawn() == dedent(
        """\
        ◆ a
        ◇ b
        ● c
        """
    )


def test_a_message_that_is_its_own_parent_is_an_orphan() -> None:
    assert forest("a<a", "b<a", "c").drawn() == dedent(
        """\
        ◇ a
        ● b
        ◆ c
        """
    )


def test_a_cycle_of_two_is_cut_above_its_earliest_message() -> None:
    assert forest("a<b", "b<a", "c<b", "d<a").drawn() == dedent(
        """\
        ◇ a
        ├─● b
        │ ● c
        ● d
        """
    )


def test_a_cycle_of_three_is_cut_above_its_earliest_message() -> None:
    # The first message that leads into the cycle is not part of it.
    assert forest("z<d", "b<d", "c<b", "d<c", "e<c").drawn() == dedent(
        """\
        ◇ b
        ● c
        ├─● d
        │ ● z
        ● e
        """
    )


def test_each_of_two_cycles_is_cut() -> None:
    assert forest("a<c", "b<d", "c<a", "d<b").drawn() == dedent(
        """\
        ◇ a
        ● c
        ◇ b
        ● d
        """
    )


def test_a_reply_may_be_older_than_what_it_replies_to() -> None:
    assert forest("b<a", "a", "c<a", "z").drawn() == dedent(
        """\
        ◆ a
        ├─● b
        ● c
        ◆ z
        """
    )


def test_an_only_reply_keeps_the_lane_even_if_it_is_older() -> None:
    assert forest("c<b", "b<a", "a").drawn() == dedent(
        """\
        ◆ a
        ● b
        ● c
        """
    )


def test_of_replies_that_are_all_older_the_newest_is_last() -> None:
    assert forest("b<a", "c<a", "d<b", "a").drawn() == dedent(
        """\
        ◆ a
        ├─● c
        ● b
        ● d
        """
    )


def test_the_replies_to_a_hidden_message_hang_from_the_nearest_one_on_show() -> None:
    tree = forest("a", "b<a", "c<b", "d<c", "e<b", "f<a", hidden="b c")
    assert tree.drawn() == dedent(
        """\
        ◆ a
        ├─● d
        ├─● e
        ● f
        """
    )


def test_the_replies_to_a_hidden_root_are_plain_roots() -> None:
    assert forest("a<?", "b<a", "c<a", "d<c", hidden="a").drawn() == dedent(
        """\
        ◆ b
        ◆ c
        ● d
        """
    )


def test_a_cycle_is_cut_at_the_same_place_if_its_earliest_message_is_hidden() -> None:
    assert forest("a<c", "b<a", "c<b", hidden="a").drawn() == dedent(
        """\
        ◆ b
        ● c
        """
    )


def test_hidden_messages_do_not_count_as_activity() -> None:
    messages = ("a", "b<a", "c<a", "d<b")
    assert forest(*messages, hidden="d").drawn() == dedent(
        """\
        ◆ a
        ├─● b
        ● c
        """
    )


def test_hiding_works_where_replies_are_older_than_what_they_reply_to() -> None:
    assert forest("d<c", "c<b", "b<a", "a", "e<b", hidden="b").drawn() == dedent(
        """\
        ◆ a
        ├─● c
        │ ● d
        ● e
        """
    )


def test_everything_can_be_hidden() -> None:
    tree = forest("a", "b<a", hidden="a b")
    assert tree.drawn() == ""
    assert tree.forest.nearest_row(1) is None


def test_every_row_knows_its_parent_its_size_and_its_flags() -> None:
    made = forest("a", "b<a", "c<b", "d<a", "e<?").forest
    assert list(made.positions) == [0, 1, 2, 3, 4]
    assert list(made.lanes) == [0, 1, 1, 0, 0]
    assert list(made.parents) == [NO_PARENT, 0, 1, 0, NO_PARENT]
    assert list(made.sizes) == [4, 2, 1, 1, 1]
    assert list(made.flags) == [ROOT, FORKED, 0, 0, ROOT | ORPHAN]
    assert list(made.forks) == [1, 0, 0, 0, 0]


def test_the_row_of_a_message_is_found_by_its_position() -> None:
    tree = forest("a", "b", "c<a", hidden="b")
    assert [tree.forest.row_of(position) for position in range(3)] == [0, None, 1]


def test_a_hidden_message_is_nearest_to_its_first_ancestor_on_show() -> None:
    tree = forest("a", "b<a", "c<b", "d<c", "x", "y<x", hidden="b c x")
    nearest = {
        name: tree.name(tree.forest.nearest_row(tree.position(name)))
        for name in tree.outline.ids
    }
    assert nearest == {"a": "a", "b": "a", "c": "a", "d": "d", "x": None, "y": "y"}


def test_what_stands_for_no_parent_has_no_row() -> None:
    made = forest("a", "b<?").forest
    assert [made.row_of(parent) for parent in (-1, -2)] == [None, None]
    assert [made.nearest_row(parent) for parent in (-1, -2)] == [None, None]


def test_the_outline_is_left_as_it_was() -> None:
    messages = outline("a<b", "b<a", "c<?")
    Forest(messages, bytearray([1, 0, 1]))
    assert messages == outline("a<b", "b<a", "c<?")
