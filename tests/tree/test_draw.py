"""What is drawn in front of a message."""

from __future__ import annotations

from textwrap import dedent

from convotui.tree import ASCII, FORKED, MAX_LANES, ORPHAN, ROOT, UNICODE, graph

from .drawing import forest


def test_marks_tell_roots_and_orphans_from_other_messages() -> None:
    assert [graph(0, flags, UNICODE) for flags in (0, ROOT, ROOT | ORPHAN)] == [
        "●",
        "◆",
        "◇",
    ]


def test_a_fork_leaves_the_lane_beside_it() -> None:
    assert graph(3, FORKED, UNICODE) == "│ │ ├─●"
    assert graph(3, 0, UNICODE) == "│ │ │ ●"


def test_ascii_draws_the_same_picture() -> None:
    tree = forest("a", "b<a", "c<b", "d<b", "e<a", "z<?")
    assert tree.drawn(glyphs=ASCII) == dedent(
        """\
        o a
        |-* b
        | |-* c
        | * d
        * e
        ? z
        """
    )


def test_all_lanes_are_drawn_up_to_the_limit() -> None:
    assert graph(MAX_LANES, 0, UNICODE) == "│ " * MAX_LANES + "●"
    assert graph(2, FORKED, UNICODE, max_lanes=2) == "│ ├─●"


def test_beyond_the_limit_the_lanes_on_the_left_are_left_out() -> None:
    assert graph(3, FORKED, UNICODE, max_lanes=2) == "⋯ │ ├─●"
    assert graph(4, 0, UNICODE, max_lanes=2) == "⋯ │ │ ●"
    assert graph(100_000, FORKED, ASCII, max_lanes=3) == "~ | | |-*"


def test_no_row_is_wider_than_the_limit_and_the_ellipsis() -> None:
    widths = {len(graph(lane, FORKED, UNICODE)) for lane in range(3 * MAX_LANES)}
    assert max(widths) == 2 * (MAX_LANES + 1) + 1


def test_no_lane_at_all_can_be_drawn() -> None:
    assert graph(0, ROOT, UNICODE, max_lanes=0) == "◆"
    assert graph(5, FORKED, UNICODE, max_lanes=0) == "⋯ ●"
