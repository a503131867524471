"""The names of exported files."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convotui.export.naming import file_name

from .samples import message

RESERVED = {"CON", "PRN", "AUX", "NUL"} | {
    f"{port}{number}" for port in ("COM", "LPT") for number in "0123456789¹²³"
}


@pytest.mark.parametrize(
    ("label", "text", "name"),
    [
        ("Deep deletes", "x", "Deep-deletes-aB3xK9.md"),
        (None, "How do I  *delete*\na tree?", "How-do-I-delete-a-tree-aB3xK9.md"),
        (None, "", "conversation-aB3xK9.md"),
        ("???", "text instead", "text-instead-aB3xK9.md"),
        ("../../etc/passwd", "x", "etc-passwd-aB3xK9.md"),
        (".bashrc", "x", "bashrc-aB3xK9.md"),
        ("--force", "x", "force-aB3xK9.md"),
        ("v1.2...3", "x", "v1.2-3-aB3xK9.md"),
        ("CON.txt", "x", "_CON.txt-aB3xK9.md"),
        ("com¹.x", "x", "_com¹.x-aB3xK9.md"),
        ("console", "x", "console-aB3xK9.md"),
        ("Grüße, 世界", "x", "Grüße-世界-aB3xK9.md"),
        ("e\u0301t\u0065\u0301", "x", "été-aB3xK9.md"),
        ("a\u202egpj.exe\x00\n", "x", "a-gpj.exe-aB3xK9.md"),
    ],
)
def test_a_file_is_named_by_label_or_words_and_id(
    label: str | None, text: str, name: str
) -> None:
    assert file_name(message("aB3xK9", None, text, title=label), ".md") == name


def test_a_long_name_is_cut_after_a_word() -> None:
    long = message("aB3xK9", None, "twelve more " * 20)
    assert file_name(long, ".html") == (
        "twelve-more-twelve-more-twelve-more-twelve-more-twelve-more-aB3xK9.html"
    )


@given(st.text(), st.text() | st.characters(categories=["Cs"]), st.text())
def test_every_name_is_safe(message_id: str, label: str, text: str) -> None:
    name = file_name(message(message_id, None, text, title=label), ".md")

    assert name.endswith(".md")
    assert len(name.encode()) <= 100
    assert all(char.isalnum() or char in "._-" for char in name)
    assert name[0] not in ".-"
    assert ".." not in name
    assert name.split(".")[0].upper() not in RESERVED
    assert unicodedata.is_normalized("NFC", name)


@given(
    st.sampled_from("aé世😀ᄀ").flatmap(lambda c: st.integers(1, 300).map(c.__mul__))
)
def test_long_names_fit(text: str) -> None:
    name = file_name(message(text, None, text, title=text), ".json")
    assert len(name.encode()) <= 100
