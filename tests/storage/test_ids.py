"""How messages get their ids, and how few letters find one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain, repeat
from pathlib import Path

import pytest

from convotui.storage import (
    AmbiguousIdError,
    IdTakenError,
    MessageNotFoundError,
    Store,
    new_id,
)

from .helpers import add_message, draft, ids_of, other_program, seed_file, texts


def test_ids_are_six_letters_and_digits(store: Store) -> None:
    ids = store.save([draft("x") for _ in range(2000)])
    assert all(re.fullmatch("[0-9A-Za-z]{6}", message_id) for message_id in ids)
    assert len(set(ids)) == 2000
    assert set("".join(ids)) == set(
        "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    )


def test_two_new_ids_differ() -> None:
    assert new_id() != new_id()


def saved_with(path: Path, ids: Iterator[str]) -> list[str]:
    with Store(path, new_id=lambda: next(ids)) as store:
        return [*store.save([draft("second")])]


def test_a_taken_id_is_tried_nine_times_over(path: Path) -> None:
    with Store(path) as store:
        store.save([draft("first", id="taken1")])
    ids = chain(repeat("taken1", 9), ["isFree"])
    assert saved_with(path, ids) == ["isFree"]


def test_when_no_id_is_free_nothing_is_saved(path: Path) -> None:
    with Store(path) as store:
        store.save([draft("first", id="taken1")])
    with pytest.raises(IdTakenError):
        saved_with(path, repeat("taken1"))
    with Store(path) as store:
        assert texts(store) == ["first"]


def test_messages_of_one_save_never_share_an_id(path: Path) -> None:
    ids = chain(["twin11"] * 3, ["other1", "other2"])
    with Store(path, new_id=lambda: next(ids)) as store:
        saved = store.save([draft("a"), draft("b"), draft("c")])
        assert sorted(saved) == ["other1", "other2", "twin11"]
        assert [message.text for message in store.get(saved)] == ["a", "b", "c"]


def test_ids_in_the_trash_are_not_given_out(path: Path) -> None:
    with Store(path) as store:
        store.delete(store.save([draft("first", id="taken1")]))
    ids = chain(["taken1"], ["isFree"])
    assert saved_with(path, ids) == ["isFree"]
    with Store(path) as store:
        store.undo()
        assert texts(store) == ["first", "second"]


def test_an_id_that_is_given_is_kept(store: Store) -> None:
    assert store.save([draft("a", id="-x_9Zq")]) == ["-x_9Zq"]


@pytest.mark.parametrize("where", ["saved", "trashed", "same save"])
def test_an_id_that_is_given_but_taken_is_refused(store: Store, where: str) -> None:
    drafts = [draft("fresh"), draft("twin", id="taken1")]
    if where == "same save":
        drafts.append(draft("twin", id="taken1"))
    else:
        saved = store.save([draft("first", id="taken1")])
        if where == "trashed":
            store.delete(saved)
    before = texts(store)
    with pytest.raises(IdTakenError, match="taken1"):
        store.save(drafts)
    assert texts(store) == before


def test_an_id_of_which_only_blocks_are_left_can_be_kept(path: Path) -> None:
    """CPE left the blocks of deleted messages behind."""
    seed_file(path)
    with other_program(path) as connection:
        add_message(connection, "again1", "old words")
        connection.execute("DELETE FROM messages")
    with Store(path) as store:
        saved = store.save([draft("new words", id="again1")])
        assert [message.text for message in store.get(saved)] == ["new words"]


@pytest.fixture
def known(store: Store) -> Store:
    names = ["abc123", "abd456", "-x9Zqa", "_y8Zqa", "abX", "abXtra", "ABC123", "zz%_1"]
    store.save([draft(name, id=name) for name in names])
    return store


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("abc123", "abc123"),
        ("abc", "abc123"),
        ("abd4", "abd456"),
        ("-", "-x9Zqa"),
        ("_y", "_y8Zqa"),
        ("AB", "ABC123"),
        ("abX", "abX"),
        ("abXt", "abXtra"),
        ("zz%", "zz%_1"),
    ],
)
def test_an_id_is_found_by_its_beginning(known: Store, typed: str, meant: str) -> None:
    assert known.resolve(typed) == meant


@pytest.mark.parametrize(
    "typed", ["q", "abc1234", "bc123", "", "%", "zz_", "ab_", "\ud800", "abc\x00"]
)
def test_what_begins_no_id_finds_none(known: Store, typed: str) -> None:
    with pytest.raises(MessageNotFoundError) as caught:
        known.resolve(typed)
    assert caught.value.message_id == typed


def test_what_begins_several_ids_names_them(known: Store) -> None:
    with pytest.raises(AmbiguousIdError) as caught:
        known.resolve("ab")
    assert caught.value.candidates == ("abX", "abXtra", "abc123", "abd456")
    for candidate in caught.value.candidates:
        assert candidate in str(caught.value)


def test_as_many_letters_as_are_needed_tell_an_id_from_all_others(
    known: Store,
) -> None:
    ids = known.outline().ids
    needed = known.unique_prefixes(ids)
    assert list(needed) == ids
    for message_id, length in needed.items():
        assert known.resolve(message_id[:length]) == message_id
        shorter = message_id[: min(length, len(message_id)) - 1]
        with suppress(AmbiguousIdError, MessageNotFoundError):
            assert known.resolve(shorter) != message_id
    assert known.unique_prefixes(ids_of("abc123")) == {"abc123": 3}


def test_a_message_in_the_trash_is_not_found_by_its_id(known: Store) -> None:
    known.delete(ids_of("abc123"))
    with pytest.raises(MessageNotFoundError):
        known.resolve("abc123")
    with pytest.raises(MessageNotFoundError):
        known.get(ids_of("abc123"))
