"""A search finds the same with and without the index, and whoever wrote the words."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from convotui.storage import Draft, MessageId, Store

from .helpers import (
    add_message,
    draft,
    ids_of,
    other_program,
    seed_file,
)

LETTERS = st.sampled_from(
    "aAbBéÉe\u0301\u0308ß\u017f\u0131İ\u03c3ςΣΩ\u2126\u041aкЁйи한\u1112\u1161\u11ab日本カ\u3099ไทนमस्ते"
    "0½²①_-.%*\"'()\\:^ \t\n\x00\u200d\u00ad\ue0a0👩\U0001f3fdﬁǅᲐა\u0345\u0483"
)
WORDS = st.text(LETTERS, max_size=12)


def found_with_and_without_index(
    texts: list[str], titles: list[str | None], typed: str
) -> tuple[list[MessageId], list[MessageId]]:
    with tempfile.TemporaryDirectory() as directory:
        indexed, bare = Path(directory, "indexed"), Path(directory, "bare")
        with Store(indexed) as store:
            # A save of many messages indexes them at once.
            store.save(
                [Draft("user", [])] * 60
                + [
                    draft(text, id=f"id{number}", title=title)
                    for number, (text, title) in enumerate(
                        zip(texts, titles, strict=False)
                    )
                ]
            )
            with_index = [hit.id for hit in store.search(typed)]
            assert store.health().unindexed == 0
        seed_file(bare)
        with other_program(bare) as connection:
            for number, (text, title) in enumerate(zip(texts, titles, strict=False)):
                add_message(connection, f"id{number}", text, title=title)
        with Store(bare) as store:
            without_index = [hit.id for hit in store.search(typed)]
    return with_index, without_index


@settings(max_examples=150, deadline=None)
@given(
    st.lists(WORDS, min_size=1, max_size=4),
    st.lists(st.none() | WORDS, min_size=4, max_size=4),
    WORDS,
)
@example(["xab"], [None], '" ab"')
@example(["\ue0a0main"], [None], "main")
@example(["\u1112\u1161\u11ab\u1100\u1173\u11af"], [None], "한글")
@example(["ᲐᲑ"], [None], "აბ")
@example(["мой"], [None], "мой")
def test_the_index_makes_no_difference(
    texts: list[str], titles: list[str | None], typed: str
) -> None:
    with_index, without_index = found_with_and_without_index(texts, titles, typed)
    assert with_index == without_index


@settings(max_examples=100, deadline=None)
@given(WORDS, st.data())
def test_whatever_a_text_holds_between_spaces_is_found(
    text: str, data: st.DataObject
) -> None:
    words = [
        word
        for word in text.split()
        if '"' not in word and any(letter.isalnum() for letter in word)
    ]
    assume(words)
    typed = data.draw(st.sampled_from(words))
    with_index, without_index = found_with_and_without_index([text], [None], typed)
    assert without_index == ["id0"]
    assert with_index == ["id0"]


def hits(store: Store, typed: str) -> list[str]:
    return [hit.id for hit in store.search(typed)]


def test_what_another_program_adds_is_found_at_once(store: Store, path: Path) -> None:
    store.save([draft("ours", id="ours11")])
    with other_program(path) as connection:
        add_message(connection, "their1", "needle", at="2030-01-01 00:00:00")
    assert hits(store, "needle") == ["their1"]
    store.save([draft("needle too", id="ours22")])
    assert hits(store, "needle") == ["their1", "ours22"]


def test_what_another_program_deletes_is_not_found_any_more(
    store: Store, path: Path
) -> None:
    store.save([draft("needle", id="gone11"), draft("needle", id="stays1")])
    with other_program(path) as connection:
        connection.execute("DELETE FROM blocks WHERE message_id = 'gone11'")
        connection.execute("DELETE FROM messages WHERE id = 'gone11'")
    assert hits(store, "needle") == ["stays1"]


def test_what_another_program_puts_in_place_of_a_deleted_message_is_found(
    store: Store, path: Path
) -> None:
    """SQLite gives the number of the last row away again."""
    store.save([draft("first", id="first1"), draft("second", id="last11")])
    store.delete(ids_of("last11"))
    with other_program(path) as connection:
        add_message(connection, "their1", "needle")
    store.save([draft("third", id="third1")])
    assert hits(store, "needle") == ["their1"]


def test_what_other_programs_wrote_is_indexed_by_and_by(path: Path) -> None:
    seed_file(path)
    with other_program(path) as connection:
        for number in range(1200):
            add_message(connection, f"m{number}", f"needle{number}")
    with Store(path) as store:
        assert store.health().unindexed == 1200
        for _ in range(3):
            store.save([draft("one more")])
            assert hits(store, "needle1199") == ["m1199"]
        assert store.health().unindexed <= 3
        assert len(hits(store, "needle")) == 1200


def test_the_index_is_sound_after_deletes_and_undos(store: Store) -> None:
    ids = store.save([draft(f"needle {number}") for number in range(60)])
    store.delete(ids[:10])
    store.delete(ids[10:20])
    store.undo()
    store.empty_trash()
    assert hits(store, "needle") == ids[:9:-1]
    assert store.health().damage == ()
    assert store.health().unindexed == 0


def test_own_saves_are_indexed_by_and_by(store: Store) -> None:
    ids = [store.save([draft(f"needle {number}")])[0] for number in range(120)]
    assert hits(store, "needle") == ids[::-1]
    assert store.health().unindexed < 60


def test_saves_in_place_of_deleted_messages_are_indexed_too(store: Store) -> None:
    """SQLite gives the numbers of the last rows away again."""
    ids = store.save([draft(f"needle {number}") for number in range(200)])
    store.delete(ids[10:])
    more = [store.save([draft(f"needle {number}")])[0] for number in range(120)]
    assert hits(store, "needle") == [*more[::-1], *ids[9::-1]]
    assert store.health().unindexed < 60
