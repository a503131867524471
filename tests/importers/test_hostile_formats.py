"""Samples of other programs cut short, damaged, or with anything in any place of them.

Whatever a file holds, nothing is raised, the file is left alone, and what has come in
does not come in again.
"""

from __future__ import annotations

import io
import json
import random
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from convotui.conversations.importing import Importer
from convotui.storage import Store

from .helpers import SAMPLES, all_of, bring_in

NAMES = {
    "aichat_session.yaml": "aichat",
    "elia.sqlite": "elia",
    "gemini_session.jsonl": "gemini",
    "librechat.json": "librechat",
    "librechat_nested.json": "librechat",
    "llama_cpp.jsonl": "llama.cpp",
    "llm_continued_logs.db": "llm",
    "llm_logs.db": "llm",
    "llm_old_logs.db": "llm",
    "open_webui.json": "open-webui",
    "oterm_store.db": "oterm",
    "pi_session.jsonl": "pi",
}
EACH = pytest.mark.parametrize("name", NAMES)
DOCUMENTS = [name for name in NAMES if ".json" in name]
FEW = settings(deadline=None, max_examples=25)
ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["u1", "a2", "user", "00000002", "c1", 10**30, -1, 1e308]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["id", "type", "text"]), inner, max_size=3)
    ),
    max_leaves=5,
)


def imported(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory, "file")
        file.write_bytes(data)
        with Store(Path(directory, "store")) as store:
            report = Importer(store).run([file])
            assert len(all_of(store)) == report.intake.new
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


@EACH
def test_a_sample_is_known_by_what_is_in_it(
    name: str, store: Store, tmp_path: Path
) -> None:
    file = tmp_path / "file"
    file.write_bytes((SAMPLES / name).read_bytes())
    [report] = bring_in(store, file).files

    assert report.format == NAMES[name]
    assert report.intake.new > 5


@EACH
@FEW
@given(st.data())
def test_a_sample_cut_short(name: str, data: st.DataObject) -> None:
    whole = (SAMPLES / name).read_bytes()
    imported(whole[: data.draw(st.integers(0, len(whole)))])


@EACH
@FEW
@given(st.integers(0, 2**32))
def test_a_sample_with_bits_flipped(name: str, seed: int) -> None:
    broken = bytearray((SAMPLES / name).read_bytes())
    chance = random.Random(seed)
    for _ in range(chance.choice([1, 10, 200])):
        broken[chance.randrange(len(broken))] ^= 1 << chance.randrange(8)
    imported(bytes(broken))


@FEW
@given(st.integers(0, 2**32))
def test_an_archive_with_bits_flipped_or_cut_short(seed: int) -> None:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name in ("pi_session.jsonl", "elia.sqlite"):
            zipped.write(SAMPLES / name, name)
    broken = bytearray(archive.getvalue())
    chance = random.Random(seed)
    for _ in range(chance.choice([1, 10])):
        broken[chance.randrange(len(broken))] ^= 1 << chance.randrange(8)
    del broken[chance.choice([len(broken), chance.randrange(1, len(broken))]) :]
    imported(bytes(broken))


@pytest.mark.parametrize("name", DOCUMENTS)
@settings(deadline=None, max_examples=60)
@given(st.data())
def test_anything_in_any_place(name: str, data: st.DataObject) -> None:
    lines = (SAMPLES / name).read_text().splitlines()
    document = [json.loads(line) for line in lines]
    for _ in range(data.draw(st.integers(1, 3))):
        inside, key = data.draw(st.sampled_from(places(document)))
        inside[key] = data.draw(ANYTHING)
    imported("\n".join(map(json.dumps, document)).encode())
