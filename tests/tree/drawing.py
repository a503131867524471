"""Small trees written as text, and drawn as text."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from convotui.storage.packing import PackedIds
from convotui.storage.records import (
    MISSING_PARENT,
    NO_PARENT,
    ROLES,
    MessageId,
    Outline,
    Role,
)
from convotui.tree import UNICODE, Filter, Folds, Forest, Glyphs, graph, shown


@dataclass(frozen=True)
class Drawing:
    """A forest whose rows can be called by name."""

    outline: Outline
    forest: Forest

    def position(self, name: str) -> int:
        return self.outline.ids.index(MessageId(name))

    def row(self, name: str) -> int:
        row = self.forest.row_of(self.position(name))
        assert row is not None, f"{name} is not on show"
        return row

    def name(self, row: int | None) -> str | None:
        return None if row is None else self.outline.ids[self.forest.positions[row]]

    def names(self, rows: Iterable[int]) -> str:
        return " ".join(self.outline.ids[self.forest.positions[row]] for row in rows)

    def drawn(self, folds: Folds | None = None, glyphs: Glyphs = UNICODE) -> str:
        """One line a message, as `textwrap.dedent` leaves a picture in a test."""
        folds = Folds(self.forest) if folds is None else folds
        rows = [folds.row_at(index) for index in range(len(folds))]
        return "".join(f"{self._line(row, folds, glyphs)}\n" for row in rows)

    def _line(self, row: int, folds: Folds, glyphs: Glyphs) -> str:
        lanes = graph(self.forest.lanes[row], self.forest.flags[row], glyphs)
        hidden = folds.hidden_below(row)
        return f"{lanes} {self.name(row)}" + (
            f" {glyphs.fold} +{hidden}" if hidden else ""
        )


def outline(
    *messages: str,
    roles: Mapping[str, Role] | None = None,
    titles: Mapping[str, str] | None = None,
) -> Outline:
    """Messages in the order of time: `b<a` replies to a, `b<?` to what is not there."""
    pairs = [message.partition("<")[::2] for message in messages]
    positions = {name: position for position, (name, _) in enumerate(pairs)}
    known = {"": NO_PARENT, "?": MISSING_PARENT, **positions}
    return Outline(
        ids=PackedIds.of([name for name, _ in pairs]),
        parents=array("i", [known[parent] for _, parent in pairs]),
        roles=bytearray(
            ROLES.index((roles or {}).get(name, "user")) for name, _ in pairs
        ),
        titles={positions[name]: title for name, title in (titles or {}).items()},
    )


def forest(*messages: str, hidden: str = "") -> Drawing:
    """A forest of the messages, without those named in `hidden`."""
    made = outline(*messages)
    mask = bytearray(name not in hidden.split() for name in made.ids)
    return Drawing(made, Forest(made, mask if hidden else None))


def filtered(made: Outline, by: Filter) -> Drawing:
    """A forest of what a filter leaves."""
    return Drawing(made, Forest(made, shown(made, by)))


def of_parents(parents: Iterable[int]) -> Outline:
    """An outline of nameless messages."""
    links = array("i", parents)
    ids = PackedIds.of([str(position) for position in range(len(links))])
    return Outline(ids, links, bytearray(len(links)))
