"""JSON of any size and in any state: what can be read is, and the rest is told."""

from __future__ import annotations

import io
import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convotui.importers.documents import elements, records

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
OBJECTS = st.lists(st.dictionaries(st.text(), JSON), max_size=6)


class Dripping(io.BytesIO):
    """A file that gives a few bytes at a time, whatever is asked of it."""

    def read(self, size: int | None = -1) -> bytes:
        return super().read(3 if size is None or not 0 <= size < 3 else size)


def read(data: bytes | str) -> tuple[list[Any], list[str]]:
    """All values in a file, and where there was something else."""
    told: list[str] = []
    encoded = data.encode() if isinstance(data, str) else data
    found = records(Dripping(encoded), lambda where, why: told.append(f"{where} {why}"))
    return [record.value for record in found], told


@given(st.lists(JSON, max_size=6), st.sampled_from([None, 2]))
def test_an_array_gives_its_elements(values: list[Any], indent: int | None) -> None:
    assert read(json.dumps(values, indent=indent)) == (values, [])


@given(OBJECTS, st.booleans())
def test_lines_give_their_objects(values: list[Any], ascii_only: bool) -> None:
    lines = "\n".join(json.dumps(value, ensure_ascii=ascii_only) for value in values)
    assert read(lines) == (values, [])


@given(st.dictionaries(st.text(), JSON))
def test_one_object_may_go_over_lines(value: dict[str, Any]) -> None:
    assert read(json.dumps(value, indent=4)) == ([value], [])


@given(OBJECTS)
def test_an_array_within_an_object_gives_its_elements(values: list[Any]) -> None:
    document = json.dumps({"kind": "x", "items": values, "more": [1]})
    beginning = re.compile(r'\{"kind": "x", "items": \[')
    told: list[str] = []
    found = elements(
        Dripping(document.encode()), lambda where, why: told.append(why), beginning
    )

    assert [record.value for record in found] == values
    assert told == []


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_mark_tells_the_encoding(encoding: str) -> None:
    assert read('[{"a": "ü"}]'.encode(encoding)) == ([{"a": "ü"}], [])


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", ['[{"a": "ü"}]', '{"a": "ü"}'])
def test_without_a_mark_the_first_character_tells_it(text: str, encoding: str) -> None:
    assert read(text.encode(encoding)) == ([{"a": "ü"}], [])


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=ascii)
def test_lines_may_end_in_any_way(end: str) -> None:
    lines = ['{"a": 1}', '{"bad', '{"b": "\\r"}', "", '{"bad', '{"c": 3}']
    values, told = read(end.join(lines))

    assert values == [{"a": 1}, {"b": "\r"}, {"c": 3}]
    assert [line.partition(" is ")[0] for line in told] == ["line 2", "line 5"]


@pytest.mark.parametrize(
    "bad",
    [
        '{"a": tru}',
        '{"a": "x\ny"}',
        "[" * 5000 + "]" * 5000,
        '{"a": ' * 5000 + "1" + "}" * 5000,
        '{"n": ' + "9" * 5000 + "}",
        '{"a": "]}[{" , }',
        '{"a": tru, "b": "]}]}{[{[ in a string that is still to be read"}',
    ],
    ids=[
        "word",
        "newline",
        "deep list",
        "deep object",
        "long number",
        "brackets",
        "brackets later",
    ],
)
def test_a_bad_element_is_told_and_the_others_come_in(bad: str) -> None:
    values, told = read(f'[{{"a": 1}}, {bad}, {{"b": "]"}}]')

    assert values == [{"a": 1}, {"b": "]"}]
    assert [line.partition(" (")[0] for line in told] == ["item 2"]


@pytest.mark.parametrize(
    "bad",
    ['{"a": ', "{'a': 1}", "not json", '{"a": [1, 2,', '{"a": "open', "[" * 5000],
)
def test_a_bad_line_is_told_and_the_others_come_in(bad: str) -> None:
    values, told = read(f'{{"a": 1}}\n{bad}\n{{"b": 2}}\n')

    assert values == [{"a": 1}, {"b": 2}]
    assert [line.partition(" is ")[0] for line in told] == ["line 2"]


def test_a_file_that_ends_too_soon_gives_what_it_has() -> None:
    assert read('{"a": 1}\n{"b": ')[0] == [{"a": 1}]
    values, told = read('[{"a": 1}, {"b": 2}')
    assert values == [{"a": 1}, {"b": 2}]
    assert told == ["line 1 the file ends in the middle of its list."]


def test_what_is_nested_without_end_is_given_up() -> None:
    values, told = read("[" + "[" * 30_000)

    assert values == []
    assert len(told) == 1


def test_a_broken_document_is_told_once() -> None:
    document = json.dumps({"a": {"b": [1, 2, 3], "c": "d"}}, indent=2)
    values, told = read(document[:-8])

    assert values == []
    assert len(told) == 1


def test_bytes_that_are_no_text_are_marked() -> None:
    assert read(b'{"a": "\xff\xfe!"}')[0] == [{"a": "��!"}]


@given(st.binary(max_size=60))
def test_anything_at_all_can_be_read(data: bytes) -> None:
    for opening in (b"", b"[", b"{"):
        values, _ = read(opening + data)
        assert isinstance(values, list)


def test_numbers_that_are_none_stay_text() -> None:
    text = '{"a": NaN, "b": -Infinity, "c": 1e400, "d": 1.5, "e": -1E999}'
    assert read(text) == (
        [{"a": "NaN", "b": "-Infinity", "c": "1e400", "d": 1.5, "e": "-1E999"}],
        [],
    )
