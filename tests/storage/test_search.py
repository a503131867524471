"""What a search finds, whatever is typed and whatever was said."""

from __future__ import annotations

import pytest

from convotui.storage import Block, Draft, Store

from .helpers import draft


def found(store: Store, typed: str) -> list[str]:
    """The texts of the messages that were found, in the order they were saved."""
    ids = [hit.id for hit in reversed(store.search(typed))]
    return [message.text for message in store.get(ids)]


def finds(store: Store, text: str, typed: str) -> bool:
    store.save([draft(text), draft("something else altogether")])
    return text in found(store, typed)


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("The quick brown fox", "quick"),
        ("The quick brown fox", "qui"),
        ("The quick brown fox", "fox quick"),
        ("The quick brown fox", "QUICK"),
        ("THE QUICK BROWN FOX", "quick"),
        ("The quick brown fox", '"quick brown"'),
        ("The quick\n  brown fox", '"quick brown"'),
        ("The quick brown fox", '"quick bro"'),
        ('He said "quick', '"quick'),
        ('He said "" twice', '""'),
        ("naïve café", "naive cafe"),
        ("naive cafe", "naïve café"),
        ("nai\u0308ve", "naïve"),
        ("naïve", "nai\u0308ve"),
        ("Ärger über Öl", "arger uber ol"),
        ("Việt Nam", "viet"),
        ("İstanbul", "istanbul"),
        ("Ελλάδα", "ελλαδα"),
        ("ΟΔΟΣ", "οδος"),
        ("мой дом", "мой"),
        ("Київ", "київ"),
        ("Ёлка", "елка"),
        ("snake_case_name", "case"),
        ("snake_case_name", "snake_case"),
        ("camelCase", "camel"),
        ("a.b.c", "b.c"),
        ("C++ and C#", "c++"),
        ("100%", "100%"),
        ("100% sure", "%"),
        ("under_score", "_"),
        ("a*b", "a*b"),
        ("f(x) = [y]", "f(x)"),
        ("f(x) = [y]", "[y]"),
        ("ends with \\", "\\"),
        ("why?!", "?!"),
        ("don't", "don't"),
        ("it's 'quoted'", "'quoted'"),
        ("AND OR NOT NEAR", "and or not near"),
        ("col:umn", "col:umn"),
        ("日本語の文章です", "本語"),
        ("日本語の文章です", "文章"),
        ("你好\uff0c世界", "世界"),
        ("ภาษาไทย", "ไทย"),
        ("한국어 텍스트", "한국"),
        ("before\x00after", "after"),
        ("before\x00after", "before"),
        ("👩‍🚀 in space", "👩‍🚀"),
        ("tab\tseparated", '"tab separated"'),
        ("straße", "straße"),
        ("½ cup", "½"),
        ("%" * 5_000, "%" * 5_000),
        ("x" * 5_000, "x" * 5_000),
        ("(" * 100, "((("),
        ("使用Python编程", "python"),
        ("\ue0a0main is the branch", "main"),
    ],
)
def test_it_is_found(store: Store, text: str, typed: str) -> None:
    assert finds(store, text, typed)


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("The quick brown fox", "quick cat"),
        ("The quick brown fox", "uick"),
        ("The quick brown fox", '"brown quick"'),
        ("The quick brown fox", "q*k"),
        ("The quick brown fox", "quick*"),
        ("The quick brown fox", "."),
        ("The quick brown fox", "fox$"),
        ("The quick brown fox", "%"),
        ("100 sure", "100%"),
        ("a.b", "a_b"),
        ("aXb", "a.b"),
        ("xab", '" ab"'),
        ("東京", "京都"),
        ("a", "\x00"),
        ("a", "\ud800"),
    ],
)
def test_it_is_not_found(store: Store, text: str, typed: str) -> None:
    assert not finds(store, text, typed)


@pytest.mark.parametrize("typed", ["", " ", "\n\t", '" "', "\u0301"])
def test_typing_nothing_finds_nothing(store: Store, typed: str) -> None:
    store.save([draft('quotes " and spaces')])
    assert store.search(typed) == []


def test_words_may_be_spread_over_the_blocks_of_a_message(store: Store) -> None:
    store.save([Draft(role="assistant", blocks=[Block("alpha"), Block("beta")])])
    assert len(store.search("beta alpha")) == 1
    assert store.search('"alpha beta"') == []


def test_words_of_two_messages_do_not_add_up(store: Store) -> None:
    store.save([draft("alpha"), draft("beta")])
    assert store.search("alpha beta") == []


@pytest.mark.parametrize("kind", ["content", "thinking", "tool_call", "metadata"])
def test_everything_that_is_text_is_searched(store: Store, kind: str) -> None:
    blocks = [Block('{"name":"needle"}', type=kind, mime_type="application/json")]
    [message_id] = store.save([Draft(role="assistant", blocks=blocks)])
    assert [hit.id for hit in store.search("needle")] == [message_id]


def test_base64_and_redacted_thinking_are_not_searched(store: Store) -> None:
    blocks = [
        Block("needle", modality=1, mime_type="image/png"),
        Block("needle", type="redacted_thinking"),
    ]
    store.save([Draft(role="assistant", blocks=blocks)])
    assert store.search("needle") == []


def test_labels_are_searched_from_the_moment_they_are_set(store: Store) -> None:
    [message_id] = store.save([draft("text")])
    store.label(message_id, "Crème brûlée")
    assert [hit.id for hit in store.search("brulee")] == [message_id]
    assert [hit.id for hit in store.search("creme text")] == [message_id]
    store.label(message_id, None)
    assert store.search("brulee") == []


def test_hits_come_newest_first_and_no_more_than_asked_for(store: Store) -> None:
    ids = store.save([draft(f"needle {number}") for number in range(450)])
    assert [hit.id for hit in store.search("needle")] == ids[::-1]
    assert [hit.id for hit in store.search("needle", limit=3)] == ids[:-4:-1]
    assert store.search("needle", limit=0) == []


def test_a_hit_shows_the_words_around_the_match(store: Store) -> None:
    store.save([draft("one two\nthree NÉEDLE four", role="assistant", title="label")])
    [hit] = store.search("needle")
    assert (hit.before, hit.match, hit.after) == ("one two three ", "NÉEDLE", " four")
    assert (hit.role, hit.title) == ("assistant", "label")


def test_a_hit_in_a_long_text_shows_only_what_is_near(store: Store) -> None:
    store.save([draft("far " * 1000 + "needle" + " away" * 1000)])
    [hit] = store.search("needle")
    assert hit.before.startswith("…")
    assert hit.before.endswith("far ")
    assert hit.after.endswith("…")
    assert len(hit.before) < 100
    assert len(hit.after) < 100


def test_deleted_messages_are_found_again_after_undo(store: Store) -> None:
    ids = store.save([draft("needle")])
    store.delete(ids)
    assert store.search("needle") == []
    store.undo()
    assert [hit.id for hit in store.search("needle")] == ids
