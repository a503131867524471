"""Prices and windows, without litellm loaded."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from convotui.llm.catalog import chat_models, facts_of, near_names

ODD = {
    "sample_spec": {"max_tokens": "set to max_output_tokens if provider specifies it"},
    "words": {"max_input_tokens": "many", "input_cost_per_token": "1e-6", "mode": 3},
    "list": [1, 2],
    "negative": {"max_tokens": -1, "output_cost_per_token": -0.5, "mode": "chat"},
    "nothing": {},
}


def test_a_known_model_has_its_price_and_window() -> None:
    facts = facts_of("gpt-4o")

    assert facts is not None
    assert (facts.provider, facts.mode, facts.sees_images) == ("openai", "chat", True)
    assert (facts.context_window, facts.max_output) == (128_000, 16_384)
    assert (facts.input_price, facts.output_price) == (2.5e-06, 1e-05)


def test_a_model_is_known_with_its_provider_too_but_not_with_another() -> None:
    assert facts_of("openai/gpt-4o") == facts_of("gpt-4o")
    assert facts_of("mistral/gpt-4o") is None
    assert facts_of("no-such-model") is None
    assert facts_of("") is None


def test_only_what_chats_is_listed_for_chatting() -> None:
    assert "gpt-4o" in chat_models()
    assert facts_of("text-embedding-3-small") is not None
    assert "text-embedding-3-small" not in chat_models()
    assert "sample_spec" not in chat_models()


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("gtp-4o", "gpt-4o"),
        ("openai/gpt-4oo", "gpt-4o"),
        ("opeani/gpt-4o", "gpt-4o"),
        ("Claude-Sonet-5", "claude-sonnet-5"),
        ("mistral/mistral-larg-latest", "mistral/mistral-large-latest"),
    ],
)
def test_a_slip_finds_the_model_that_was_meant(typed: str, meant: str) -> None:
    assert near_names(typed)[0] == meant


def test_nonsense_is_near_to_nothing() -> None:
    assert near_names("xyzzy-plugh-3000") == []


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (json.dumps(ODD), "negative nothing words 1e-06 None"),
        ("[]", ""),
        ("{", ""),
        (None, ""),
    ],
)
def test_an_odd_list_only_makes_less_known(
    content: str | None, expected: str, tmp_path: Path
) -> None:
    package = tmp_path / "litellm"
    package.mkdir()
    (package / "__init__.py").write_text("raise SystemExit('loaded')")
    if content is not None:
        name = "model_prices_and_context_window_backup.json"
        (package / name).write_text(content)
    code = """
import sys
from convotui.llm.catalog import facts_of
names = [name for name in sorted(sys.argv[1:]) if facts_of(name)]
words = facts_of("words")
print(*names, *((words.input_price, words.context_window) if words else ()))
"""

    run = subprocess.run(
        [sys.executable, "-c", code, *ODD],
        env={"PYTHONPATH": f"{tmp_path}:{Path(__file__).parents[2]}"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (run.stdout.strip(), run.stderr) == (expected, "")
