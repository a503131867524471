"""Where every message hangs: the ids of a million in little room, parents anywhere."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convotui.storage import MessageId, Store
from convotui.storage.packing import PackedIds, Packer
from convotui.storage.records import MISSING_PARENT, NO_PARENT

from .helpers import other_program, seed_file

IDS = st.lists(st.text("abé日", min_size=1, max_size=3).map(MessageId), unique=True)


@given(IDS, st.data())
def test_packed_ids_are_like_a_list_of_them(
    ids: list[MessageId], data: st.DataObject
) -> None:
    packed = PackedIds.of(ids)
    assert list(packed) == ids
    assert packed == ids
    assert packed == PackedIds.of(ids)
    assert packed != [*ids, "x"]
    assert [packed[place] for place in range(-len(ids), len(ids))] == ids * 2
    for beyond in (len(ids), -len(ids) - 1):
        with pytest.raises(IndexError):
            packed[beyond]
    part = data.draw(st.slices(len(ids)))
    assert packed[part] == ids[part]
    assert packed != ids[1:] or not ids
    wanted = data.draw(
        st.lists(st.sampled_from([*ids, MessageId("ab"), MessageId("")]))
    )
    assert packed.positions_of(wanted) == {
        name: ids.index(name) for name in wanted if name in ids
    }


@given(IDS, st.integers(1, 4))
def test_ids_can_be_packed_some_at_a_time(ids: list[MessageId], step: int) -> None:
    packer = Packer()
    for start in range(0, len(ids), step):
        packer.add(ids[start : start + step])
    packed = packer.packed()
    assert packed == ids
    assert packed.at(range(len(ids))) == ids


def test_many_ids_are_found_as_well_as_few() -> None:
    ids = [MessageId(f"{number:04}") for number in range(1000)]
    packed = PackedIds.of(ids)
    for step in (1, 100):
        wanted = ids[::step]
        expected = {name: int(name) for name in wanted}
        assert packed.positions_of([*wanted, MessageId("none")]) == expected


def test_a_parent_is_found_however_far_away(path: Path) -> None:
    """A file of which no dictionary holds every id."""
    size = 45_000
    begin = datetime(2026, 1, 1)

    def parent(number: int) -> str | None:
        special = {0: None, size - 3: "m0", size - 2: "nobody", 1: f"m{size - 1}"}
        return special.get(number, f"m{number - 1}")

    seed_file(path)
    with other_program(path) as connection:
        connection.executemany(
            "INSERT INTO messages (id, parent_id, role, created_at)"
            " VALUES (?, ?, 'user', ?)",
            (
                (f"m{number}", parent(number), str(begin + timedelta(seconds=number)))
                for number in range(size)
            ),
        )
    with Store(path) as store:
        outline = store.outline()
    assert outline.ids == [f"m{number}" for number in range(size)]
    expected = {0: NO_PARENT, size - 3: 0, size - 2: MISSING_PARENT, 1: size - 1}
    assert list(outline.parents) == [
        expected.get(number, number - 1) for number in range(size)
    ]
