"""Messages by id, by time, as threads and as subtrees."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from convotui.storage import (
    ROLES,
    UNKNOWN_TIME,
    Block,
    Draft,
    MessageId,
    MessageNotFoundError,
    Store,
)
from tests.conftest import Clock

from .helpers import chain, draft, ids_of, other_program, texts


@pytest.fixture
def tree(store: Store) -> dict[str, MessageId]:
    """a, below it b and e; below b c and d; f alone. Saved in the order of names."""
    drafts = [
        draft("a"),
        draft("b", 0, role="assistant"),
        draft("c", 1),
        draft("d", 1),
        draft("e", 0, role="assistant"),
        draft("f"),
    ]
    return dict(zip("abcdef", store.save(drafts), strict=True))


def test_messages_come_in_the_order_they_are_asked_for(
    store: Store, tree: dict[str, MessageId]
) -> None:
    wanted = [tree["f"], tree["a"], tree["d"]]
    assert [message.id for message in store.get(wanted)] == wanted


def test_a_message_names_its_parent(store: Store, tree: dict[str, MessageId]) -> None:
    [root, reply] = store.get([tree["a"], tree["b"]])
    assert root.parent_id is None
    assert reply.parent_id == root.id


def test_an_unknown_id_among_known_ones_is_an_error(
    store: Store, tree: dict[str, MessageId]
) -> None:
    with pytest.raises(MessageNotFoundError) as caught:
        store.get([tree["a"], MessageId("nobody")])
    assert caught.value.message_id == "nobody"
    assert "nobody" in str(caught.value)


def test_more_messages_than_one_statement_takes_are_found(store: Store) -> None:
    ids = store.save([draft(str(number)) for number in range(2500)])
    found = store.get(ids[::-1])
    assert [message.text for message in found] == [str(n) for n in range(2499, -1, -1)]
    assert [row.id for row in store.previews(ids[::-1])] == ids[::-1]


def test_a_list_begins_with_the_newest(
    store: Store, tree: dict[str, MessageId]
) -> None:
    assert texts(store, ascending=False) == list("fedcba")


def test_a_list_can_begin_with_the_oldest(
    store: Store, tree: dict[str, MessageId]
) -> None:
    assert texts(store, ascending=True) == list("abcdef")


@pytest.mark.parametrize("ascending", [False, True])
@pytest.mark.parametrize("offset", [0, 1, 5, 6, 100])
@pytest.mark.parametrize("limit", [None, 0, 1, 4, 100])
def test_pages_are_cut_from_the_whole_list(
    store: Store,
    tree: dict[str, MessageId],
    ascending: bool,
    offset: int,
    limit: int | None,
) -> None:
    everything = sorted("abcdef", reverse=not ascending)
    expected = everything[offset:][:limit]
    page = store.list_messages(ascending=ascending, offset=offset, limit=limit)
    assert [message.text for message in page] == expected
    rows = store.list_rows(ascending=ascending, offset=offset, limit=limit)
    assert [row.text for row in rows] == expected


def test_pages_count_messages_and_not_blocks(store: Store) -> None:
    store.save(
        [Draft(role="user", blocks=[Block(str(n)), Block("more")]) for n in range(3)]
    )
    assert len(store.list_messages(limit=2)) == 2


def test_time_goes_before_the_order_of_saving(store: Store) -> None:
    noon = datetime(2026, 1, 1, 12)
    for hours in (1, 0, 2):
        store.save([draft(str(hours), at=noon + timedelta(hours=hours))])
    assert texts(store) == ["0", "1", "2"]


def test_the_order_of_saving_decides_between_equal_times(
    store: Store, clock: Clock
) -> None:
    clock.stop()
    for number in range(5):
        store.save([draft(str(number))])
    assert texts(store) == list("01234")
    assert texts(store, ascending=False) == list("43210")
    assert [row.text for row in store.list_rows(ascending=True)] == list("01234")
    ids = [message.id for message in store.list_messages(ascending=True)]
    assert store.outline().ids == ids


def test_a_thread_leads_from_the_root_to_the_message(
    store: Store, tree: dict[str, MessageId]
) -> None:
    thread = store.thread(tree["d"])
    assert [message.text for message in thread] == ["a", "b", "d"]
    assert [message.parent_id for message in thread] == [None, tree["a"], tree["b"]]


def test_the_thread_of_a_root_is_the_root(
    store: Store, tree: dict[str, MessageId]
) -> None:
    assert [message.text for message in store.thread(tree["f"])] == ["f"]


def test_a_thread_follows_parents_even_if_the_clock_was_set_back(store: Store) -> None:
    late, early = datetime(2026, 1, 2), datetime(2026, 1, 1)
    [root] = store.save([draft("root", at=late)])
    [reply] = store.save([draft("reply", root, at=early)])
    assert [message.text for message in store.thread(reply)] == ["root", "reply"]
    assert [message.text for message in store.subtree(root)] == ["root", "reply"]
    outline = store.outline()
    assert outline.ids == [reply, root]
    assert list(outline.parents) == [1, -1]


def test_a_subtree_has_each_parent_before_its_replies(
    store: Store, tree: dict[str, MessageId]
) -> None:
    assert [message.text for message in store.subtree(tree["a"])] == list("abcde")
    assert [message.text for message in store.subtree(tree["b"])] == list("bcd")
    assert [message.text for message in store.subtree(tree["e"])] == ["e"]


def test_an_unknown_message_has_neither_thread_nor_subtree(
    store: Store, tree: dict[str, MessageId]
) -> None:
    with pytest.raises(MessageNotFoundError):
        store.thread(MessageId("nobody"))
    with pytest.raises(MessageNotFoundError):
        store.subtree(MessageId("nobody"))


def test_an_outline_says_where_every_message_hangs(
    store: Store, tree: dict[str, MessageId]
) -> None:
    store.label(tree["c"], "here")
    outline = store.outline()
    assert outline.ids == list(tree.values())
    assert list(outline.parents) == [-1, 0, 1, 1, 0, -1]
    roles = [ROLES[code] for code in outline.roles]
    assert roles == ["user", "assistant", "user", "user", "assistant", "user"]
    assert outline.titles == {2: "here"}
    assert len(outline) == 6


def test_rows_of_messages_that_are_gone_are_left_out(
    store: Store, tree: dict[str, MessageId]
) -> None:
    store.delete([tree["a"]], recursive=True)
    assert [row.id for row in store.previews(list(tree.values()))] == [tree["f"]]


def test_the_newest_reply_is_what_a_conversation_goes_on_from(store: Store) -> None:
    ids = store.save([*chain(["ask", "answer"]), draft("tool", 1, role="tool_result")])
    store.save([draft("another question")])
    assert store.newest_reply() == ids[2]


def test_a_store_of_questions_has_no_newest_reply(store: Store) -> None:
    store.save([draft("ask")])
    assert store.newest_reply() is None


def test_the_newest_reply_is_no_subagents(store: Store) -> None:
    [_, answer] = store.save(chain(["ask", "answer"]))
    trace = "subagent:review:x1"
    [task, *_] = store.save(
        [
            draft("task", title=trace),
            draft("done", 0, role="assistant", title=trace),
            draft("below the trace, though unlabelled", 1, role="assistant"),
        ]
    )
    store.save([draft("below the task", task, role="assistant")])
    assert store.newest_reply() == answer


def test_a_label_alone_does_not_make_a_subagent(store: Store) -> None:
    [_, answer] = store.save(chain(["ask", "answer"]))
    store.label(answer, "Subagent: an idea")
    assert store.newest_reply() == answer


@pytest.mark.parametrize(
    ("stored", "read"),
    [
        ("2026-01-02 03:04:05", datetime(2026, 1, 2, 3, 4, 5)),
        ("2026-01-02 03:04:05.678", datetime(2026, 1, 2, 3, 4, 5, 678000)),
        ("2026-01-02T03:04:05Z", datetime(2026, 1, 2, 3, 4, 5)),
        ("2026-01-02 03:04:05+02:00", datetime(2026, 1, 2, 1, 4, 5)),
        ("9999-12-31 23:59:59-01:00", UNKNOWN_TIME),
        ("0001-01-01 00:00:00+01:00", UNKNOWN_TIME),
        ("not a date", UNKNOWN_TIME),
        ("", UNKNOWN_TIME),
        (1767322800, UNKNOWN_TIME),
    ],
)
def test_times_of_other_programs_are_read_or_unknown(
    store: Store, stored: object, read: datetime
) -> None:
    ids = ids_of("oddOne")
    store.save([draft("odd", id="oddOne")])
    with other_program(store.path) as connection:
        connection.execute("UPDATE messages SET created_at = ?", (stored,))
    assert store.get(ids)[0].created_at == read
    assert store.previews(ids)[0].created_at == read
    assert [message.created_at for message in store.list_messages()] == [read]
    assert [hit.created_at for hit in store.search("odd")] == [read]
    assert sum(used.messages for used in store.usage()) == 1


def test_the_end_of_a_thread_is_its_last_messages(store: Store) -> None:
    ids = store.save(chain(["one", "two", "three", "four"]))
    assert [m.text for m in store.thread(ids[3], limit=2)] == ["three", "four"]
    assert len(store.thread(ids[3], limit=9)) == 4
