"""Samples of exports and sessions, broken in every way: no harm, and nothing twice."""

from __future__ import annotations

import json
import random
import tempfile
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from convotui.conversations.importing import Importer, ImportOptions
from convotui.importers import Format, format_named
from convotui.storage import Store

from .helpers import SAMPLES, all_of

FORMATS = {
    "chatgpt_conversations.json": "chatgpt",
    "claude_ai_conversations.json": "claude-ai",
    "claude_code_session.jsonl": "claude-code",
    "codex_rollout.jsonl": "codex",
    "openai_finetune.jsonl": "openai",
    "openai_messages.json": "openai",
    "sharegpt.json": "sharegpt",
}
SAMPLE = pytest.mark.parametrize("sample", FORMATS)
FEW = settings(
    deadline=None,
    max_examples=30,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
STRANGE: list[Any] = [
    None,
    True,
    -1,
    10**30,
    1e300,
    "",
    "\0\ud800",
    "user",
    [],
    [None, [1], {}],
    {},
    {"type": "text"},
    {"content_type": "code", "parts": [{}]},
]


def imported(data: bytes, format_: Format | None = None) -> list[str]:
    """Import a file with this in it, twice, and return what was told of it."""
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory, "file")
        file.write_bytes(data)
        with Store(Path(directory, "store")) as store:
            options = ImportOptions(format=format_)
            report = Importer(store, options).run([file])
            before = all_of(store)
            assert len(before) == report.intake.new
            again = Importer(store, options).run([file])
            assert (again.intake.new, again.intake.grown) == (0, 0)
            assert all_of(store) == before
        assert file.read_bytes() == data
        return [problem.reason for problem in report.problems]


def values(sample: str) -> list[Any]:
    text = (SAMPLES / sample).read_text()
    if sample.endswith(".json"):
        found = json.loads(text)
        assert isinstance(found, list)
        return found
    return [json.loads(line) for line in text.splitlines() if line.endswith("}")]


def places(value: Any) -> list[tuple[Any, Any]]:
    """Where anything is inside of a value: what holds it, and under which name."""
    if not isinstance(value, dict | list):
        return []
    names = list(value) if isinstance(value, dict) else range(len(value))
    inside = [place for name in names for place in places(value[name])]
    return [(value, name) for name in names] + inside


@SAMPLE
@FEW
@given(st.data())
def test_cut_short(sample: str, data: st.DataObject) -> None:
    whole = (SAMPLES / sample).read_bytes()
    imported(whole[: data.draw(st.integers(0, len(whole)))])


@SAMPLE
@FEW
@given(st.integers(0, 2**32))
def test_with_bits_flipped(sample: str, seed: int) -> None:
    broken = bytearray((SAMPLES / sample).read_bytes())
    chance = random.Random(seed)
    for _ in range(chance.choice([1, 10, 200])):
        broken[chance.randrange(len(broken))] ^= 1 << chance.randrange(8)
    imported(bytes(broken))


@SAMPLE
@FEW
@given(st.integers(0, 2**32))
def test_with_values_of_other_types(sample: str, seed: int) -> None:
    chance = random.Random(seed)
    found = values(sample)
    for _ in range(chance.choice([1, 3, 30])):
        holder, name = chance.choice(places(found))
        holder[name] = deepcopy(chance.choice(STRANGE))
    if sample.endswith(".json"):
        text = json.dumps(found)
    else:
        text = "\n".join(map(json.dumps, found))
    told = imported(text.encode(), format_named(FORMATS[sample]))

    assert not [reason for reason in told if "malformed" in reason]


@FEW
@given(st.integers(0, 2**32))
def test_a_packed_session_with_bits_flipped(seed: int) -> None:
    whole = (SAMPLES / "codex_rollout.jsonl").read_bytes()
    broken = bytearray(zstandard.ZstdCompressor().compress(whole))
    chance = random.Random(seed)
    for _ in range(chance.choice([1, 3])):
        broken[chance.randrange(len(broken))] ^= 1 << chance.randrange(8)
    del broken[chance.randrange(1, len(broken)) :]
    imported(bytes(broken))
