"""Going on with a conversation by its name."""

from __future__ import annotations

from pathlib import Path

from convotui.conversations.sessions import newest_of_session
from convotui.storage import Store
from tests.storage.helpers import add_message, draft, other_program, seed_file


def test_a_session_goes_on_with_the_newest_message_below_its_label(
    store: Store,
) -> None:
    root, first, fork = store.save(
        [draft("root"), draft("one", 0, title="plan"), draft("fork", 0)]
    )
    [below] = store.save([draft("below", first)])
    [newest] = store.save([draft("elsewhere", fork)])
    store.save([draft("another", title="other plan")])
    store.label(root, "all of it")

    assert newest_of_session(store.outline(), "plan") == below
    assert newest_of_session(store.outline(), "all of it") == newest
    assert newest_of_session(store.outline(), "nobody's") is None


def test_of_two_with_one_label_the_one_that_was_active_last_goes_on(
    store: Store,
) -> None:
    old, _ = store.save([draft("old", title="plan"), draft("new", title="plan")])
    [reply] = store.save([draft("reply", old)])

    assert newest_of_session(store.outline(), "plan") == reply


def test_a_subagents_trace_is_no_part_of_a_session(store: Store) -> None:
    [root] = store.save([draft("root", title="plan")])
    [trace] = store.save([draft("trace", root, title="subagent:a:1")])
    store.save([draft("more of it", trace)])

    assert newest_of_session(store.outline(), "plan") == root


def test_a_ring_of_messages_ends_where_it_begins(path: Path) -> None:
    seed_file(path)
    with other_program(path) as connection:
        add_message(connection, "a", "one", parent="b", title="plan")
        add_message(connection, "b", "two", parent="a", at="2026-01-02 00:00:00")

    with Store(path) as store:
        assert newest_of_session(store.outline(), "plan") == "b"
