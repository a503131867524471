"""Text from outside, as it is shown: nothing in it steers, and it fits."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len

from convotui.text import cut, visible, visible_line, width_of

STEERING = {
    *map(chr, range(0x20)),
    *map(chr, range(0x7F, 0xA0)),
    *"\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069",
    *"\u2028\u2029\ufff9\ufffa\ufffb",
    *map(chr, range(0xE0000, 0xE0080)),
} - {"\n", "\t"}

ANY_TEXT = st.lists(
    st.one_of(st.characters(exclude_categories=()), st.sampled_from(sorted(STEERING)))
).map("".join)
"""Half characters too, as an argument that is not UTF-8 holds them."""

SHOWN = st.text(st.characters(exclude_categories=("Cc", "Cs")), max_size=60)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("tab\tand\nline", "tab\tand\nline"),
        ("\x1b[31m", "␛[31m"),
        ("\x00\x07\x7f", "␀␇␡"),
        ("\x9b31m", "�31m"),
        ("\u202eevil", "�evil"),
        ("a\r\nb", "a\nb"),
        ("a\rb", "a␍b"),
        ("\ud83d", "�"),
        ("\U000e0041", "�"),
        ("日本語 👩‍🚀 é", "日本語 👩‍🚀 é"),
        ("نمی‌خواهم", "نمی‌خواهم"),
    ],
)
def test_what_could_steer_a_terminal_is_a_mark(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(ANY_TEXT)
def test_nothing_that_steers_is_left(text: str) -> None:
    shown = visible(text)

    assert not STEERING & set(shown)
    assert all(unicodedata.category(letter) != "Cs" for letter in shown)
    assert visible(shown) == shown
    shown.encode()


@given(ANY_TEXT)
def test_a_line_is_one_line_without_white_space_around_it(text: str) -> None:
    line = visible_line(text)

    assert len(line.splitlines()) <= 1
    assert line == line.strip()
    assert "\t" not in line
    assert "  " not in line
    assert not STEERING & set(line)


@given(
    st.text(
        st.characters(
            exclude_categories=("Cc", "Cf", "Cs", "Zl", "Zp"), max_codepoint=0xDFFFF
        )
    )
)
def test_what_can_be_seen_stays_as_it_is(text: str) -> None:
    assert visible(text) == text


@given(SHOWN)
def test_a_width_is_the_cells_that_a_terminal_needs(text: str) -> None:
    assert width_of(text) == cell_len(text)


@given(SHOWN, st.integers(0, 40))
@example("日本語", 4)
@example("👩‍🚀👩‍🚀👩‍🚀", 3)
@example("e" + "\u0301" * 50, 1)
@example("ab", 0)
def test_a_cut_text_is_never_wider_than_asked(text: str, cells: int) -> None:
    assert cell_len(cut(text, cells)) <= cells
    assert cell_len(cut(text, cells, "...")) <= cells


@given(SHOWN, st.integers(1, 40))
def test_a_text_that_fits_is_not_cut(text: str, cells: int) -> None:
    if len(text) <= cells and cell_len(text) <= cells:
        assert cut(text, cells) == text


@pytest.mark.parametrize(
    ("text", "cells", "kept"),
    [
        ("Hello, world", 12, "Hello, world"),
        ("Hello, world", 11, "Hello, wor…"),
        ("Hello, world", 8, "Hello,…"),
        ("日本語", 5, "日本…"),
        ("日本語", 4, "日…"),
    ],
)
def test_a_cut_text_ends_in_an_ellipsis(text: str, cells: int, kept: str) -> None:
    assert cut(text, cells) == kept


def test_a_text_of_any_length_is_cut_at_once() -> None:
    assert cut("é" * 10_000_000, 10) == "é" * 9 + "…"
