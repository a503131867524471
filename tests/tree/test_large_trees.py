"""Trees far deeper and wider than Python's stack."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from convotui.storage.records import NO_PARENT, Outline
from convotui.tree import FORKED, Filter, Folds, Forest, graph, moves, shown

from .drawing import of_parents

COUNT = 100_000


def chain() -> Outline:
    return of_parents(range(NO_PARENT, COUNT - 1))


def chain_backwards() -> Outline:
    """Each message replies to the one after it."""
    return of_parents([*range(1, COUNT), NO_PARENT])


def ring() -> Outline:
    return of_parents([COUNT - 1, *range(COUNT - 1)])


def siblings() -> Outline:
    return of_parents([NO_PARENT] + [0] * (COUNT - 1))


def caterpillar() -> Outline:
    """A deep thread whose every message, from its end up, then got another reply."""
    half = COUNT // 2
    return of_parents([*range(NO_PARENT, half - 1), *reversed(range(half))])


@pytest.mark.parametrize("make", [chain, chain_backwards, ring])
def test_a_deep_thread_is_one_lane_from_root_to_end(
    make: Callable[[], Outline],
) -> None:
    forest = Forest(make())
    assert max(forest.lanes) == 0
    assert moves.path(forest, COUNT - 1) == list(range(COUNT))
    assert list(forest.sizes) == list(range(COUNT, 0, -1))


def test_a_deep_thread_can_be_folded_and_revealed() -> None:
    folds = Folds(Forest(chain()), range(COUNT))
    assert len(folds) == 1
    folds.reveal(COUNT - 1)
    assert len(folds) == COUNT


def test_the_end_of_a_deep_thread_finds_its_only_ancestor_on_show() -> None:
    mask = bytearray(COUNT)
    mask[0] = 1
    forest = Forest(chain(), mask)
    assert len(forest) == 1
    assert forest.nearest_row(COUNT - 1) == 0


def test_a_deep_trace_is_left_out_to_its_end() -> None:
    outline = chain()
    outline.titles[1] = "subagent:scout:1"
    assert len(Forest(outline, shown(outline, Filter.NO_SUBAGENTS))) == 1


def test_many_siblings_are_each_one_lane_from_their_parent() -> None:
    forest = Forest(siblings())
    assert list(forest.positions) == list(range(COUNT))
    assert list(forest.lanes) == [0] + [1] * (COUNT - 2) + [0]
    assert set(forest.flags[1:-1]) == {FORKED}


def test_one_can_move_among_many_siblings() -> None:
    forest = Forest(siblings())
    assert moves.previous_sibling(forest, COUNT - 1) == COUNT - 2
    assert moves.previous_sibling(forest, 1) is None
    assert moves.sibling_position(forest, COUNT // 2) == (COUNT // 2, COUNT - 1)
    assert list(moves.children(forest, 0)) == list(range(1, COUNT))
    assert list(moves.children(forest, 1)) == []


def test_a_caterpillar_opens_a_lane_at_every_message() -> None:
    forest = Forest(caterpillar())
    half = COUNT // 2
    assert list(forest.lanes[:half]) == list(range(half))
    assert list(forest.positions) == list(range(COUNT))
    assert forest.lanes[half] == half - 1
    assert forest.forks.count(1) == half - 1


def test_a_caterpillar_is_drawn_within_the_limit() -> None:
    forest = Forest(caterpillar())
    rows = zip(forest.lanes, forest.flags, strict=True)
    assert max(len(graph(lane, flags)) for lane, flags in rows) == 35


def test_what_leads_to_the_end_of_a_caterpillar_folds_nothing_away() -> None:
    folds = Folds(Forest(caterpillar()), [1, 5])
    folds.fold_others(COUNT // 2 - 1)
    assert len(folds) == COUNT
