"""What a label may be, and which ones may be changed."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from convotui.conversations.labels import (
    MAX_LABEL_LENGTH,
    ProtectedLabelError,
    clean_label,
    label_message,
)
from convotui.storage import InvalidTextError, Store
from convotui.text import visible_line
from tests.storage.helpers import draft

ANY_TEXT = st.lists(
    st.one_of(
        st.characters(exclude_categories=()),
        st.characters(categories=("Cc", "Cf", "Zl", "Zp", "Zs")),
        st.sampled_from(" ab"),
    )
).map("".join)


@given(ANY_TEXT)
@example("a\nb")
@example("\u202eevil")
@example("\ud800")
@example("x" * 201)
def test_a_label_is_refused_or_can_be_seen_on_one_line(text: str) -> None:
    try:
        label = clean_label(text)
    except InvalidTextError as error:
        refusal = str(error)
    else:
        refusal = ""

    if refusal:
        assert visible_line(refusal) == refusal
    elif label is None:
        assert text.strip(" ") == ""
    else:
        assert 0 < len(label) <= MAX_LABEL_LENGTH
        assert label == label.strip(" ")
        assert len(label.splitlines()) == 1
        assert not {"Cc", "Cs", "Zl", "Zp"} & set(map(unicodedata.category, label))


@given(ANY_TEXT)
def test_a_clean_label_stays_as_it_is(text: str) -> None:
    try:
        label = clean_label(text)
    except InvalidTextError:
        return

    assert label is None or clean_label(label) == label


@pytest.mark.parametrize(
    ("typed", "label"),
    [
        ("go", "go"),
        ("  two words ", "two words"),
        ("two   words", "two words"),
        ("   ", None),
        ("", None),
        ("x" * MAX_LABEL_LENGTH, "x" * MAX_LABEL_LENGTH),
        (" " * 300 + "x", "x"),
    ],
)
def test_white_space_does_not_count(typed: str, label: str | None) -> None:
    assert clean_label(typed) == label


def test_a_label_is_set_changed_and_removed(store: Store) -> None:
    [message] = store.save([draft("hello")])

    assert label_message(store, message, "first") is not None
    assert label_message(store, message, "first") is None
    changed = label_message(store, message, " second ")
    assert changed is not None
    assert (changed.before, changed.after) == ("first", "second")

    assert label_message(store, message, "  ") is not None

    assert store.get([message])[0].title is None
    assert label_message(store, message, None) is None


def test_a_trace_is_protected_in_both_directions(store: Store) -> None:
    traced, plain = store.save([draft("a", title="subagent:x:1"), draft("b")])

    for label in ("mine", "", None):
        with pytest.raises(ProtectedLabelError, match="--force"):
            label_message(store, traced, label)
    with pytest.raises(ProtectedLabelError, match="--force"):
        label_message(store, plain, "subagent:y:2")

    assert [m.title for m in store.get([traced, plain])] == ["subagent:x:1", None]


def test_force_overrides_the_protection(store: Store) -> None:
    [traced] = store.save([draft("a", title="subagent:x:1")])

    label_message(store, traced, "mine", force=True)

    assert store.get([traced])[0].title == "mine"
