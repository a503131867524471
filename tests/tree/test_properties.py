"""What holds for every outline, also for broken ones."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from convotui.storage.records import MISSING_PARENT, NO_PARENT
from convotui.tree import FORKED, ORPHAN, ROOT, Filter, Folds, Forest, moves, shown

from .drawing import of_parents

unhurried = settings(deadline=None)
"""How long an example takes is up to the machine."""


@dataclass(frozen=True)
class Case:
    parents: list[int]
    mask: bytearray

    def forest(self) -> Forest:
        return Forest(of_parents(self.parents), self.mask)

    def positions(self) -> list[int]:
        return [position for position, seen in enumerate(self.mask) if seen]

    def cut(self) -> list[int]:
        """The parents after each cycle has lost the link above its earliest message."""
        parents = self.parents.copy()
        for position in range(len(parents)):
            if position in self._above(parents, position):
                parents[position] = MISSING_PARENT
        return parents

    def nearest(self, position: int) -> int:
        """The nearest ancestor on show, or `NO_PARENT`."""
        for above in self._above(self.cut(), position):
            if self.mask[above]:
                return above
        return NO_PARENT

    def _above(self, parents: list[int], position: int) -> list[int]:
        above: list[int] = []
        while (position := parents[position]) >= 0 and position not in above:
            above.append(position)
        return above


@st.composite
def cases(draw: st.DrawFn, *, hiding: bool = True) -> Case:
    count = draw(st.integers(0, 24))
    parent = st.integers(MISSING_PARENT, max(count - 1, NO_PARENT))
    parents = draw(st.lists(parent, min_size=count, max_size=count))
    if draw(st.booleans()):
        parents = [min(parent, at - 1) for at, parent in enumerate(parents)]
    seen = st.lists(st.booleans(), min_size=count, max_size=count)
    mask = bytearray(draw(seen)) if hiding else bytearray([1]) * count
    return Case(parents, mask)


@unhurried
@given(cases())
def test_every_message_on_show_has_exactly_one_row(case: Case) -> None:
    forest = case.forest()
    assert sorted(forest.positions) == case.positions()
    rows = [forest.row_of(position) for position in forest.positions]
    assert rows == list(range(len(forest)))


@unhurried
@given(cases())
def test_every_row_hangs_from_its_nearest_ancestor_on_show(case: Case) -> None:
    forest = case.forest()
    for row, position in enumerate(forest.positions):
        above = moves.parent(forest, row)
        found = NO_PARENT if above is None else forest.positions[above]
        assert found == case.nearest(position)


@unhurried
@given(cases())
def test_hidden_messages_are_nearest_to_what_their_replies_hang_from(
    case: Case,
) -> None:
    forest = case.forest()
    for position, seen in enumerate(case.mask):
        nearest = case.nearest(position)
        expected = forest.row_of(position if seen else nearest)
        assert forest.nearest_row(position) == expected


@unhurried
@given(cases())
def test_every_parent_is_drawn_before_its_replies(case: Case) -> None:
    forest = case.forest()
    assert all(above < row for row, above in enumerate(forest.parents))


@unhurried
@given(cases())
def test_every_subtree_is_a_run_of_rows(case: Case) -> None:
    forest = case.forest()
    for row, size in enumerate(forest.sizes):
        below = [r for r in range(len(forest)) if row in moves.path(forest, r)]
        assert below == list(range(row, row + size))


@unhurried
@given(cases())
def test_siblings_are_sorted_by_the_newest_message_below_them(case: Case) -> None:
    forest = case.forest()
    newest = [
        max(forest.positions[row : row + size]) for row, size in enumerate(forest.sizes)
    ]
    for row in range(NO_PARENT, len(forest)):
        for older, newer in pairwise(moves.children(forest, row)):
            assert newest[older] < newest[newer]


@unhurried
@given(cases())
def test_only_last_replies_keep_the_lane_of_their_parent(case: Case) -> None:
    forest = case.forest()
    for row, above in enumerate(forest.parents):
        forked = above >= 0 and moves.next_sibling(forest, row) is not None
        lane = forest.lanes[above] + forked if above >= 0 else 0
        assert forest.lanes[row] == lane
        assert bool(forest.flags[row] & FORKED) == forked
        assert bool(forest.flags[row] & ROOT) == (above < 0)


@unhurried
@given(cases())
def test_a_lane_begins_at_the_root_or_fork_that_opened_it(case: Case) -> None:
    forest = case.forest()
    for row in range(len(forest)):
        top = row
        while not forest.flags[top] & (ROOT | FORKED):
            top = forest.parents[top]
        assert forest.line_top(row) == top


@unhurried
@given(cases())
def test_orphans_are_the_messages_whose_own_parent_is_gone(case: Case) -> None:
    forest = case.forest()
    orphans = [p for p, parent in enumerate(case.cut()) if parent == MISSING_PARENT]
    found = [
        position
        for position, flags in zip(forest.positions, forest.flags, strict=True)
        if flags & ORPHAN
    ]
    assert sorted(found) == [position for position in orphans if case.mask[position]]


@unhurried
@given(cases(hiding=False))
def test_a_mask_that_hides_nothing_changes_nothing(case: Case) -> None:
    masked, plain = case.forest(), Forest(of_parents(case.parents))
    for name in ("positions", "lanes", "parents", "sizes", "flags", "forks"):
        assert getattr(masked, name) == getattr(plain, name)


@unhurried
@given(cases())
def test_moves_among_siblings_undo_each_other(case: Case) -> None:
    forest = case.forest()
    for row in range(len(forest)):
        siblings = moves.children(forest, forest.parents[row])
        place, count = moves.sibling_position(forest, row)
        assert (siblings[place - 1], len(siblings)) == (row, count)
        following = moves.next_sibling(forest, row)
        assert following == (siblings[place] if place < count else None)
        if following is not None:
            assert moves.previous_sibling(forest, following) == row


@unhurried
@given(cases())
def test_forks_are_the_rows_with_more_than_one_reply(case: Case) -> None:
    forest = case.forest()
    count = len(forest)
    forks = [row for row in range(count) if len(moves.children(forest, row)) > 1]
    for row in range(count):
        after = min((fork for fork in forks if fork > row), default=None)
        before = max((fork for fork in forks if fork < row), default=None)
        assert moves.next_fork(forest, row) == after
        assert moves.previous_fork(forest, row) == before


@unhurried
@given(cases(), st.lists(st.integers(0, 23)))
def test_rows_and_indexes_lead_to_each_other_under_any_folds(
    case: Case, toggled: list[int]
) -> None:
    forest = case.forest()
    folds = Folds(forest)
    for row in toggled:
        if row < len(forest):
            folds.toggle(row)
    folded = set(folds.folded_rows())
    on_show = [
        row
        for row in range(len(forest))
        if folded.isdisjoint(moves.path(forest, row)[:-1])
    ]
    assert [folds.row_at(index) for index in range(len(folds))] == on_show
    for row in range(len(forest)):
        hiding = [above for above in moves.path(forest, row)[:-1] if above in folded]
        assert folds.row_at(folds.index_of(row)) == min(hiding, default=row)


@unhurried
@given(cases(), st.sets(st.integers(0, 23)))
def test_subagents_are_left_out_with_everything_below(
    case: Case, traces: set[int]
) -> None:
    outline = of_parents(case.parents)
    traces = {position for position in traces if position < len(outline)}
    outline.titles.update(dict.fromkeys(traces, "subagent:scout:1"))
    mask = shown(outline, Filter.NO_SUBAGENTS)
    assert mask is not None
    marked = Case(case.parents, bytearray(p in traces for p in range(len(outline))))
    for position, seen in enumerate(mask):
        inside = position in traces or marked.nearest(position) != NO_PARENT
        assert bool(seen) == (not inside)
