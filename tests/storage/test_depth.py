"""A hundred thousand messages, one below the other or side by side."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from convotui.storage import MessageId, Store, Weight

from .helpers import chain, draft, is_whole, other_program, seed_file

COUNT = 100_000


@pytest.fixture(scope="module")
def deep(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """One chain; tests leave it as they found it."""
    with Store(tmp_path_factory.mktemp("deep") / ".cpeconvo") as store:
        ids = store.save(chain([f"message{number}" for number in range(COUNT)]))
        assert len(set(ids)) == COUNT
        yield store


@pytest.fixture(scope="module")
def deep_ids(deep: Store) -> list[MessageId]:
    """All of them, the root first: they were saved at once, so in order."""
    return list(deep.outline().ids)


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """One root with very many replies; tests leave it as they found it."""
    with Store(tmp_path_factory.mktemp("wide") / ".cpeconvo") as store:
        store.save([draft("root"), *(draft(f"reply{n}", 0) for n in range(COUNT))])
        yield store


def test_a_deep_chain_is_outlined(deep: Store, deep_ids: list[MessageId]) -> None:
    assert len(deep_ids) == COUNT
    assert list(deep.outline().parents) == list(range(-1, COUNT - 1))


def test_a_deep_chain_is_listed(deep: Store) -> None:
    listed = deep.list_messages(ascending=True)
    assert len(listed) == COUNT
    assert listed[-1].text == f"message{COUNT - 1}"
    assert len(deep.list_rows()) == COUNT


def test_a_deep_chain_is_one_thread(deep: Store, deep_ids: list[MessageId]) -> None:
    thread = deep.thread(deep_ids[-1])
    assert [message.id for message in thread] == deep_ids


def test_a_deep_chain_is_one_subtree(deep: Store, deep_ids: list[MessageId]) -> None:
    subtree = deep.subtree(deep_ids[0])
    assert [message.id for message in subtree] == deep_ids


def test_a_deep_chain_is_weighed(deep: Store, deep_ids: list[MessageId]) -> None:
    assert deep.weigh(deep_ids[:1]) == Weight(COUNT, 0, 0)


def test_a_deep_chain_is_searched(deep: Store, deep_ids: list[MessageId]) -> None:
    [hit] = deep.search(f"message{COUNT - 1}")
    assert hit.id == deep_ids[-1]
    assert deep.newest_reply() == deep_ids[-1]


def test_a_deep_chain_is_deleted_and_comes_back(
    deep: Store, deep_ids: list[MessageId]
) -> None:
    change = deep.delete(deep_ids[:1], recursive=True)
    assert change is not None
    assert change.message_count == COUNT
    assert len(deep.outline()) == 0
    deep.undo()
    outline = deep.outline()
    assert outline.ids == deep_ids
    assert list(outline.parents) == list(range(-1, COUNT - 1))


def test_many_siblings_are_outlined_and_read(wide: Store) -> None:
    outline = wide.outline()
    assert list(outline.parents) == [-1] + [0] * COUNT
    subtree = wide.subtree(outline.ids[0])
    assert [message.id for message in subtree] == outline.ids
    assert [message.text for message in wide.thread(outline.ids[-1])] == [
        "root",
        f"reply{COUNT - 1}",
    ]


def test_many_siblings_are_deleted_and_come_back(wide: Store) -> None:
    ids = wide.outline().ids
    assert wide.weigh(ids[:1]) == Weight(COUNT + 1, 1, 0)
    wide.delete(ids[:1], recursive=True)
    assert len(wide.outline()) == 0
    wide.undo()
    assert wide.outline().ids == ids


def test_all_siblings_are_named_in_one_delete(wide: Store) -> None:
    ids = wide.outline().ids
    assert wide.weigh(ids[1:]).messages == COUNT
    wide.delete(ids[1:])
    assert wide.outline().ids == ids[:1]
    wide.undo()
    assert wide.outline().ids == ids


def test_a_large_file_is_sound_after_all_that(deep: Store, wide: Store) -> None:
    for store in (deep, wide):
        assert store.health().is_sound
        assert store.health().unindexed == 0


def test_a_deep_ring_is_read_and_repaired(path: Path) -> None:
    seed_file(path)
    with other_program(path) as connection:
        connection.execute(
            "WITH RECURSIVE n(i) AS"
            " (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 9999)"
            " INSERT INTO messages (id, parent_id, role)"
            " SELECT 'm' || i, 'm' || ((i + 1) % 10000), 'user' FROM n"
        )
    with Store(path) as store:
        assert len(store.thread(MessageId("m0"))) == 10_000
        assert len(store.subtree(MessageId("m0"))) == 10_000
        assert store.health().cycles == 1
        store.repair()
        assert store.health().is_sound
    assert is_whole(path)
