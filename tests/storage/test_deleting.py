"""What a delete takes, what it refuses to take, and what it would weigh."""

from __future__ import annotations

from pathlib import Path

import pytest

from convotui.storage import HasRepliesError, MessageId, Store, Weight

from .helpers import (
    add_message,
    chain,
    draft,
    ids_of,
    is_whole,
    other_program,
    rows,
    seed_file,
    texts,
    trashed,
)


@pytest.fixture
def tree(store: Store) -> dict[str, MessageId]:
    """a, below it b and e; below b c and d; f alone."""
    drafts = [
        draft("a"),
        draft("b", 0),
        draft("c", 1),
        draft("d", 1),
        draft("e", 0),
        draft("f"),
    ]
    return dict(zip("abcdef", store.save(drafts), strict=True))


def test_a_leaf_goes_alone(store: Store, tree: dict[str, MessageId]) -> None:
    change = store.delete([tree["c"]])
    assert change is not None
    assert change.kind == "delete"
    assert change.message_ids == (tree["c"],)
    assert change.message_count == 1
    assert texts(store) == list("abdef")


def test_its_blocks_go_with_it(
    store: Store, path: Path, tree: dict[str, MessageId]
) -> None:
    store.delete([tree["b"]], recursive=True)
    left = rows(path, "SELECT content FROM blocks ORDER BY 1")
    assert left == [("a",), ("e",), ("f",)]
    assert is_whole(path)


def test_a_message_with_replies_is_not_deleted_by_itself(
    store: Store, tree: dict[str, MessageId]
) -> None:
    with pytest.raises(HasRepliesError, match="--cascade") as caught:
        store.delete([tree["b"]])
    assert caught.value.message_id == tree["b"]
    assert texts(store) == list("abcdef")
    assert store.trash() == []


def test_one_refusal_keeps_all_that_were_named(
    store: Store, tree: dict[str, MessageId]
) -> None:
    with pytest.raises(HasRepliesError):
        store.delete([tree["f"], tree["b"]])
    assert texts(store) == list("abcdef")


def test_a_message_goes_if_all_its_replies_are_named_too(
    store: Store, tree: dict[str, MessageId]
) -> None:
    change = store.delete([tree["b"], tree["d"], tree["c"]])
    assert change is not None
    assert change.message_count == 3
    assert texts(store) == list("aef")


def test_a_recursive_delete_takes_everything_below(
    store: Store, tree: dict[str, MessageId]
) -> None:
    change = store.delete([tree["b"]], recursive=True)
    assert change is not None
    assert change.message_ids == (tree["b"],)
    assert change.message_count == 3
    assert texts(store) == list("aef")


def test_a_recursive_delete_of_a_root_takes_the_whole_tree(
    store: Store, tree: dict[str, MessageId]
) -> None:
    store.delete([tree["a"]], recursive=True)
    assert texts(store) == ["f"]


def test_subtrees_that_overlap_are_taken_once(
    store: Store, tree: dict[str, MessageId]
) -> None:
    change = store.delete([tree["b"], tree["c"], tree["a"]], recursive=True)
    assert change is not None
    assert change.message_count == 5
    assert texts(store) == ["f"]


def test_deleting_what_does_not_exist_succeeds_and_does_nothing(
    store: Store, tree: dict[str, MessageId]
) -> None:
    assert store.delete(ids_of("nobody")) is None
    assert store.delete(ids_of("nobody"), recursive=True) is None
    assert store.delete([]) is None
    assert texts(store) == list("abcdef")
    assert store.trash() == []


def test_what_does_not_exist_is_passed_over_among_what_does(
    store: Store, tree: dict[str, MessageId]
) -> None:
    change = store.delete([MessageId("nobody"), tree["f"]])
    assert change is not None
    assert change.message_ids == (tree["f"],)
    assert texts(store) == list("abcde")


def test_deleting_twice_takes_once(store: Store, tree: dict[str, MessageId]) -> None:
    store.delete([tree["f"]])
    assert store.delete([tree["f"]]) is None
    assert len(store.trash()) == 1


def test_deleted_messages_are_nowhere_to_be_seen(
    store: Store, tree: dict[str, MessageId]
) -> None:
    store.delete([tree["b"]], recursive=True)
    assert tree["c"] not in store.outline().ids
    assert store.search("c") == []
    assert store.previews([tree["c"]]) == []
    assert [m.text for m in store.subtree(tree["a"])] == ["a", "e"]


def test_a_message_that_another_program_added_is_deleted(path: Path) -> None:
    seed_file(path)
    with other_program(path) as connection:
        add_message(connection, "root11", "root")
        add_message(connection, "reply1", "reply", parent="root11")
    with Store(path) as store:
        with pytest.raises(HasRepliesError):
            store.delete(ids_of("root11"))
        store.delete(ids_of("root11"), recursive=True)
        assert texts(store) == []
    assert is_whole(path)


def test_many_messages_are_deleted_at_once(store: Store) -> None:
    ids = store.save([draft(str(number)) for number in range(40_000)])
    assert store.weigh(ids).messages == 40_000
    change = store.delete(ids)
    assert change is not None
    assert change.message_count == 40_000
    assert texts(store) == []
    assert trashed(store) == [change]


def test_a_delete_weighs_what_it_would_take(
    store: Store, tree: dict[str, MessageId]
) -> None:
    store.label(tree["b"], "a label")
    store.label(tree["c"], "another")
    store.label(tree["e"], "a third")
    assert store.weigh([tree["b"]]) == Weight(messages=3, forks=1, labels=2)
    assert store.weigh([tree["a"]]) == Weight(messages=5, forks=2, labels=3)
    assert store.weigh([tree["a"], tree["b"]]) == Weight(5, 2, 3)
    assert store.weigh([tree["f"]]) == Weight(1, 0, 0)
    assert store.weigh(ids_of("nobody")) == Weight(0, 0, 0)
    assert store.weigh([]) == Weight(0, 0, 0)


def test_subagents_titles_weigh_nothing_but_labels_like_them_do(store: Store) -> None:
    ids = store.save(chain(["a", "b", "c"]))
    store.label(ids[0], "subagent:review:x1")
    store.label(ids[1], "Subagent: an idea")
    store.label(ids[2], "subagents compared")
    assert store.weigh([ids[0]]).labels == 2
