"""Where one can go from a row."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from convotui.storage.records import NO_PARENT
from convotui.tree import Forest, moves

from .drawing import Drawing, forest

Move = Callable[[Forest, int], int | None]


@pytest.fixture
def tree() -> Drawing:
    """Drawn: a, b, ├c, │d, ├e, │├f, │g, h, i; then x, y."""
    return forest(
        "a", "b<a", "c<b", "d<c", "e<b", "f<e", "g<e", "h<b", "i<h", "x", "y<x"
    )


def ends(tree: Drawing, move: Move) -> str:
    """Where a move leads from every row, as `from>to`, if it leads anywhere."""
    pairs = [(row, move(tree.forest, row)) for row in range(len(tree.forest))]
    return " ".join(
        f"{tree.name(row)}>{tree.name(to)}" for row, to in pairs if to is not None
    )


@pytest.mark.parametrize(
    ("move", "expected"),
    [
        (moves.parent, "b>a c>b d>c e>b f>e g>e h>b i>h y>x"),
        (moves.first_child, "a>b b>c c>d e>f h>i x>y"),
        (moves.previous_sibling, "e>c g>f h>e x>a"),
        (moves.next_sibling, "a>x c>e e>h f>g"),
        (moves.previous_fork, "c>b d>b e>b f>e g>e h>e i>e x>e y>e"),
        (moves.next_fork, "a>b b>e c>e d>e"),
    ],
    ids=lambda value: value.__name__ if callable(value) else "",
)
def test_a_move_leads_from_every_row_to_the_right_one(
    tree: Drawing, move: Move, expected: str
) -> None:
    assert ends(tree, move) == expected


def test_several_roots_are_no_fork() -> None:
    tree = forest("a", "b", "c")
    assert moves.next_fork(tree.forest, tree.row("a")) is None
    assert moves.previous_fork(tree.forest, tree.row("c")) is None


def test_the_path_runs_from_the_root_to_the_row(tree: Drawing) -> None:
    assert tree.names(moves.path(tree.forest, tree.row("g"))) == "a b e g"
    assert tree.names(moves.path(tree.forest, tree.row("x"))) == "x"


def test_children_come_as_they_are_drawn(tree: Drawing) -> None:
    assert tree.names(moves.children(tree.forest, tree.row("b"))) == "c e h"
    assert tree.names(moves.children(tree.forest, tree.row("y"))) == ""
    assert tree.names(moves.children(tree.forest, NO_PARENT)) == "a x"


def test_siblings_are_counted_from_one(tree: Drawing) -> None:
    positions = {
        name: moves.sibling_position(tree.forest, tree.row(name)) for name in "ceahxb"
    }
    assert positions == {
        "c": (1, 3),
        "e": (2, 3),
        "h": (3, 3),
        "a": (1, 2),
        "x": (2, 2),
        "b": (1, 1),
    }
