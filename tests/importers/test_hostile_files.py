"""Samples cut short, with bits flipped, or full of hostile text: no harm is done."""

from __future__ import annotations

import json
import random
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from convotui.conversations.exporting import every_message, export_pieces
from convotui.conversations.importing import Importer
from convotui.storage import Store

from .helpers import FIXTURES, SAMPLES, all_of, bring_in, saved

DATABASES = [
    FIXTURES / "cpe_seed_era.cpeconvo",
    FIXTURES / "cpe_today.cpeconvo",
    SAMPLES / "egirl_conversations.db",
    SAMPLES / "orcx_conversations.db",
    SAMPLES / "pingu.db",
    SAMPLES / "q_data.sqlite3",
]
FEW = settings(
    deadline=None,
    max_examples=25,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(["user", "assistant", "Prompt", "tool_use_results", "a"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3)
    ),
    max_leaves=6,
)
Q_KEYS = st.sampled_from(
    [
        "user",
        "assistant",
        "content",
        "prompt",
        "Prompt",
        "CancelledToolUses",
        "ToolUse",
        "tool_uses",
        "tool_use_results",
        "images",
        "source",
        "Bytes",
        "request_metadata",
        "timestamp",
        "stream_end_timestamp_ms",
        "time_to_first_chunk",
        "secs",
        "env_context",
    ]
)
Q_LIKE = st.recursive(
    JSON,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(Q_KEYS, inner, max_size=4)
    ),
    max_leaves=12,
)


FIELDS = ("parent_id", "role", "blocks", "created_at", "facts", "title")


def imported(data: bytes) -> None:
    """Import a file with this in it; whatever it is, nothing is raised."""
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory, "file")
        file.write_bytes(data)
        with Store(Path(directory, "store")) as store:
            report = Importer(store).run([file])
            assert len(all_of(store)) == report.intake.new
            assert report.files or report.problems
        assert file.read_bytes() == data


@pytest.mark.parametrize("sample", DATABASES, ids=lambda sample: sample.name)
@FEW
@given(st.data())
def test_a_sample_cut_short(sample: Path, data: st.DataObject) -> None:
    whole = sample.read_bytes()
    imported(whole[: data.draw(st.integers(0, len(whole)))])


@pytest.mark.parametrize("sample", DATABASES, ids=lambda sample: sample.name)
@FEW
@given(st.integers(0, 2**32))
def test_a_sample_with_bits_flipped(sample: Path, seed: int) -> None:
    broken = bytearray(sample.read_bytes())
    chance = random.Random(seed)
    for _ in range(chance.choice([1, 10, 200])):
        broken[chance.randrange(len(broken))] ^= 1 << chance.randrange(8)
    imported(bytes(broken))


@FEW
@given(st.data())
def test_a_document_cut_short_or_with_bits_flipped(data: st.DataObject) -> None:
    with Store(None) as store:
        bring_in(store, FIXTURES / "cpe_seed_era.cpeconvo")
        document = "".join(export_pieces(every_message(store), "json", ""))
    broken = bytearray(document.encode())
    del broken[data.draw(st.integers(1, len(broken))) :]
    broken[data.draw(st.integers(0, len(broken) - 1))] ^= 1
    imported(bytes(broken))


@settings(deadline=None, max_examples=100)
@given(st.lists(Q_LIKE, max_size=3), Q_LIKE, Q_LIKE, Q_LIKE)
def test_any_history_of_q(
    history: list[object], summary: object, waiting: object, tangent: object
) -> None:
    state = {
        "conversation_id": "c",
        "history": history,
        "latest_summary": summary,
        "next_message": waiting,
        "tangent_state": tangent,
        "transcript": summary,
    }
    imported(json.dumps(state).encode())


@settings(deadline=None, max_examples=100)
@given(
    st.lists(
        st.fixed_dictionaries(
            {"id": JSON | st.sampled_from("ab")},
            optional=dict.fromkeys(
                ("parent_id", "role", "blocks", "created_at", "facts", "title"), JSON
            ),
        ),
        max_size=4,
    )
)
def test_any_messages_of_a_document(messages: list[object]) -> None:
    document = {"format": "convotui", "version": 1, "messages": messages}
    imported(json.dumps(document).encode())


HOSTILE = ["\0", "\x1b[2J\x07", "\u202e", "\ud800", "\U000e0001", "a" * 2_000_000, ""]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text[:8]))
def test_hostile_text_is_kept_and_comes_out_again(
    text: str, store: Store, tmp_path: Path
) -> None:
    document = {
        "format": "convotui",
        "version": 1,
        "messages": [
            {
                "id": "a",
                "role": "user",
                "title": text,
                "blocks": [{"content": text, "extra_fields": text, "id": text}],
                "facts": {"model": text, "finish_reason": text},
            }
        ],
    }
    file = saved(tmp_path / "all.json", document)
    bring_in(store, file)
    assert bring_in(store, file).intake.new == 0
    [message] = all_of(store)

    assert message.blocks[0].content == text.replace("\ud800", "\ufffd")


@pytest.mark.parametrize("version", [2, 10**9, "x", None, -1, 1e300, [1]], ids=str)
def test_a_document_of_another_version_is_told_or_read(
    version: object, store: Store, tmp_path: Path
) -> None:
    document = {"format": "convotui", "version": version, "messages": []}
    report = Importer(store).run([saved(tmp_path / "all.json", document)])

    is_newer = version in (2, 10**9)
    assert [p.reason.startswith("was written by a newer") for p in report.problems] == (
        [True] if is_newer else []
    )
