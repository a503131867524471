"""What folding hides, and where the rest is found."""

from __future__ import annotations

from textwrap import dedent

import pytest

from convotui.tree import Folds

from .drawing import Drawing, forest


@pytest.fixture
def tree() -> Drawing:
    """Unfolded: a, b, ├c, │d, ├e, │├f, │g, h, i; then x, y."""
    return forest(
        "a", "b<a", "c<b", "d<c", "e<b", "f<e", "g<e", "h<b", "i<h", "x", "y<x"
    )


@pytest.fixture
def folds(tree: Drawing) -> Folds:
    return Folds(tree.forest)


def test_everything_is_on_show_at_first(tree: Drawing, folds: Folds) -> None:
    assert len(folds) == len(tree.forest)
    assert [folds.row_at(index) for index in range(11)] == list(range(11))
    assert [folds.index_of(row) for row in range(11)] == list(range(11))
    assert folds.folded_rows() == []


def test_a_fold_hides_what_is_below_it_and_says_how_much(
    tree: Drawing, folds: Folds
) -> None:
    folds.fold(tree.row("e"))
    assert tree.drawn(folds) == dedent(
        """\
        ◆ a
        ● b
        ├─● c
        │ ● d
        ├─● e ▸ +2
        ● h
        ● i
        ◆ x
        ● y
        """
    )
    assert folds.hidden_below(tree.row("e")) == 2
    assert folds.hidden_below(tree.row("b")) == 0


def test_several_folds_stand_beside_each_other(tree: Drawing, folds: Folds) -> None:
    for name in ("x", "c", "h"):
        folds.fold(tree.row(name))
    assert tree.drawn(folds) == dedent(
        """\
        ◆ a
        ● b
        ├─● c ▸ +1
        ├─● e
        │ ├─● f
        │ ● g
        ● h ▸ +1
        ◆ x ▸ +1
        """
    )


def test_a_hidden_row_is_found_at_the_outermost_fold_around_it(
    tree: Drawing, folds: Folds
) -> None:
    for name in ("e", "b"):
        folds.fold(tree.row(name))
    assert tree.name(folds.row_at(folds.index_of(tree.row("f")))) == "b"
    assert tree.name(folds.row_at(folds.index_of(tree.row("i")))) == "b"
    assert tree.name(folds.row_at(folds.index_of(tree.row("x")))) == "x"


@pytest.mark.parametrize("order", ["e a", "a e"])
def test_a_fold_inside_another_stays_when_the_outer_one_opens(
    tree: Drawing, folds: Folds, order: str
) -> None:
    for name in order.split():
        folds.fold(tree.row(name))
    assert tree.drawn(folds) == "◆ a ▸ +8\n◆ x\n● y\n"
    assert tree.names(folds.folded_rows()) == "a e"
    folds.unfold(tree.row("a"))
    assert tree.drawn(folds).splitlines()[4:6] == ["├─● e ▸ +2", "● h"]


def test_a_message_without_replies_cannot_be_folded(
    tree: Drawing, folds: Folds
) -> None:
    folds.fold(tree.row("i"))
    folds.toggle(tree.row("y"))
    assert folds.folded_rows() == []
    assert Folds(tree.forest, [tree.row("i")]).folded_rows() == []


def test_folding_twice_is_folding_once(tree: Drawing, folds: Folds) -> None:
    folds.fold(tree.row("b"))
    folds.fold(tree.row("b"))
    assert tree.names(folds.folded_rows()) == "b"
    folds.unfold(tree.row("b"))
    assert len(folds) == 11


def test_unfolding_what_is_not_folded_changes_nothing(
    tree: Drawing, folds: Folds
) -> None:
    folds.fold(tree.row("e"))
    folds.unfold(tree.row("b"))
    folds.unfold(tree.row("y"))
    assert tree.names(folds.folded_rows()) == "e"


def test_toggling_folds_and_unfolds(tree: Drawing, folds: Folds) -> None:
    row = tree.row("b")
    folds.toggle(row)
    assert folds.is_folded(row)
    assert len(folds) == 4
    folds.toggle(row)
    assert not folds.is_folded(row)
    assert len(folds) == 11


def test_folds_can_be_taken_over_from_elsewhere(tree: Drawing) -> None:
    folds = Folds(tree.forest, [tree.row("x"), tree.row("b"), tree.row("x")])
    assert tree.drawn(folds) == "◆ a\n● b ▸ +7\n◆ x ▸ +1\n"


def test_the_folded_rows_handed_out_are_a_copy(tree: Drawing, folds: Folds) -> None:
    folds.fold(tree.row("b"))
    folds.folded_rows().clear()
    assert folds.is_folded(tree.row("b"))


def test_unfolding_all_opens_nested_folds_too(tree: Drawing, folds: Folds) -> None:
    for name in ("e", "b", "x"):
        folds.fold(tree.row(name))
    folds.unfold_all()
    assert len(folds) == 11
    assert folds.folded_rows() == []


def test_revealing_opens_every_fold_around_a_row_and_no_other(
    tree: Drawing, folds: Folds
) -> None:
    for name in ("a", "b", "e", "c", "x"):
        folds.fold(tree.row(name))
    folds.reveal(tree.row("e"))
    assert tree.drawn(folds) == dedent(
        """\
        ◆ a
        ● b
        ├─● c ▸ +1
        ├─● e ▸ +2
        ● h
        ● i
        ◆ x ▸ +1
        """
    )


def test_folding_others_leaves_what_leads_to_a_row_and_lies_under_it(
    tree: Drawing, folds: Folds
) -> None:
    folds.fold_others(tree.row("e"))
    assert tree.drawn(folds) == dedent(
        """\
        ◆ a
        ● b
        ├─● c ▸ +1
        ├─● e
        │ ├─● f
        │ ● g
        ● h ▸ +1
        ◆ x ▸ +1
        """
    )


def test_folding_others_opens_what_hides_the_row_and_what_it_hides(
    tree: Drawing, folds: Folds
) -> None:
    for name in ("a", "b", "h"):
        folds.fold(tree.row(name))
    folds.fold_others(tree.row("h"))
    assert tree.names(folds.folded_rows()) == "c e x"


def test_folding_other_roots_leaves_only_one_conversation_open(
    tree: Drawing, folds: Folds
) -> None:
    folds.fold_others(tree.row("x"))
    assert tree.drawn(folds) == "◆ a ▸ +8\n◆ x\n● y\n"


@pytest.mark.parametrize("index", [-1, 4])
def test_there_is_no_row_outside_what_is_on_show(
    tree: Drawing, folds: Folds, index: int
) -> None:
    folds.fold(tree.row("b"))
    with pytest.raises(IndexError):
        folds.row_at(index)
