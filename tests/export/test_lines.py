"""convotui's own lines: what one looks like, and that no file of them does harm."""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from convotui.conversations.importing import Importer
from convotui.export.lines import lines
from convotui.export.message_values import CameFrom, Described
from convotui.storage import Block, ChatMessage, Draft, Origin, ReplyFacts, Store
from convotui.text import visible

from .samples import every_kind_of_block, message
from .trees import exported

FEW = settings(deadline=None, max_examples=60)
ORIGIN = CameFrom(
    Origin("q", "c1", "k1"), {"b": [1], "a": None}, Origin("q", "c0", "k0")
)
ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["aB3xK9", "hI6jK7", "cpe", 10**30, -1, 1e308]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["id", "key", "content"]), inner, max_size=3)
    ),
    max_leaves=5,
)


def came_from(one: ChatMessage) -> CameFrom:
    return ORIGIN._replace(origin=Origin("q", "c1", f"key of {one.id}"))


def told() -> list[str]:
    """Lines with something in every place."""
    thread = every_kind_of_block()
    facts = ReplyFacts("m", 1, 2, 3, 4, 0.5, 0.25, 1.5, "stop", "failed", "why")
    last = message("z", "pQ1rS2", "Bye", role="assistant", facts=facts)
    return list(lines((m, came_from(m)) for m in [*thread, last]))


def test_a_line_tells_what_is_known_and_nothing_else() -> None:
    facts = ReplyFacts("gpt-5", 1, cost=0.5)
    short = message("a", None, "É\n\x1b\u202e")
    long = message("b", "a", role="assistant", title="T", facts=facts, error=True)
    assert "".join(lines([(short, None), (long, ORIGIN)])).split("\n") == [
        '{"blocks":[{"content":"É\\n\\u001b\\u202e","mime_type":"text/plain",'
        '"modality":0,"type":"content"}],"convotui":1,'
        '"created_at":"2026-02-14 09:31:00","id":"a","role":"user"}',
        '{"blocks":[],"convotui":1,"created_at":"2026-02-14 09:31:00",'
        '"facts":{"cost":0.5,"input_tokens":1,"model":"gpt-5","state":"complete"},'
        '"id":"b","origin":{"continues":{"conversation":"c0","key":"k0"},'
        '"conversation":"c1","key":"k1","meta":{"a":null,"b":[1]},"source":"q"},'
        '"parent_id":"a","role":"assistant","title":"T","tool_result_error":true}',
        "",
    ]


@given(st.text() | st.characters(categories=["Cs"]))
def test_a_line_can_be_shown_and_stored_anywhere(text: str) -> None:
    came_from = CameFrom(Origin(text, text, text), {text: text})
    [line] = lines([(message(text, text, text, title=text), came_from)])

    assert visible(line) == line
    assert line.encode().splitlines() == [line.encode().removesuffix(b"\n")]


@pytest.mark.parametrize("meta", [{"x": float("inf")}, {"x": [float("nan")]}])
def test_numbers_that_json_cannot_hold_become_unknown(meta: dict[str, Any]) -> None:
    [line] = lines([(message("a"), CameFrom(Origin("q", "", "k"), meta))])

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is no JSON")

    json.loads(line, parse_constant=refuse)


def test_what_is_nested_too_deep_does_no_harm() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    [line] = lines([(message("a"), CameFrom(Origin("q", "", "k"), {"x": deep}))])

    assert json.loads(line)["origin"]["key"] == "k"


def test_a_line_is_written_before_the_next_message_is_read() -> None:
    read: list[ChatMessage] = []

    def coming() -> Iterator[Described]:
        for one in every_kind_of_block():
            read.append(one)
            yield one, None

    written = lines(coming())
    for number in range(1, 4):
        next(written)
        assert len(read) == number


def test_a_long_thread_comes_back_in_any_order(tmp_path: Path) -> None:
    size = 3_000
    drafts = [
        Draft("user", [Block(f"{number}")], number - 1 if number else None)
        for number in range(size)
    ]
    with Store(tmp_path / "ours") as store:
        store.save(drafts)
        text = exported(store, "jsonl").splitlines(keepends=True)
    random.Random(1).shuffle(text)
    (tmp_path / "all").write_text("".join(text))
    with Store(tmp_path / "theirs") as store:
        assert Importer(store).run([tmp_path / "all"]).intake.new == size
        [last] = store.search(f"{size - 1}")
        assert [m.text for m in store.thread(last.id)] == [str(n) for n in range(size)]


def imported(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory, "file")
        file.write_bytes(data)
        with Store(Path(directory, "store")) as store:
            report = Importer(store).run([file])
            assert len(store.list_messages()) == report.intake.new
            assert report.files or report.problems
            again = Importer(store).run([file])
            assert (again.intake.new, again.intake.grown) == (0, 0)
        assert file.read_bytes() == data


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every place inside of a value: what it is in, and where."""
    found: list[tuple[Any, Any]] = []
    waiting = [value]
    while waiting:
        inside = waiting.pop()
        keys = inside if isinstance(inside, dict) else range(len(inside))
        for key in keys:
            found.append((inside, key))
            if isinstance(inside[key], dict | list):
                waiting.append(inside[key])
    return found


@FEW
@given(st.data())
def test_lines_cut_short(data: st.DataObject) -> None:
    whole = "".join(told()).encode()
    imported(whole[: data.draw(st.integers(0, len(whole)))])


@FEW
@given(st.integers(0, 2**32))
def test_lines_with_bits_flipped(seed: int) -> None:
    broken = bytearray("".join(told()).encode())
    chance = random.Random(seed)
    for _ in range(chance.choice([1, 10, 200])):
        broken[chance.randrange(len(broken))] ^= 1 << chance.randrange(8)
    imported(bytes(broken))


@FEW
@given(st.data())
def test_anything_in_any_place(data: st.DataObject) -> None:
    document = [json.loads(line) for line in told()]
    for _ in range(data.draw(st.integers(1, 3))):
        inside, key = data.draw(st.sampled_from(places(document)))
        inside[key] = data.draw(ANYTHING)
    imported("\n".join(map(json.dumps, document)).encode())
