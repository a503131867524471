"""What models cost and hold, from the list that litellm ships.

The list is read as a file: knowing a price must not load litellm, which takes seconds.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any

_LIST = "model_prices_and_context_window_backup.json"
_ENOUGH_ALIKE = 0.6


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What is known of a model; `None` is unknown."""

    name: str
    provider: str
    mode: str
    context_window: int | None = None
    """How many tokens may go in."""
    max_output: int | None = None
    input_price: float | None = None
    """In US dollars, for one token."""
    output_price: float | None = None
    sees_images: bool = False


def facts_of(model: str) -> ModelFacts | None:
    """Return what is known of a model, named with its provider or without."""
    known = _all()
    if model in known:
        return known[model]
    provider, _, name = model.partition("/")
    facts = known.get(name)
    return facts if facts is not None and facts.provider == provider else None


@cache
def chat_models() -> Mapping[str, ModelFacts]:
    """Return every model that can chat, by name."""
    chat = {name: facts for name, facts in _all().items() if facts.mode == "chat"}
    return MappingProxyType(chat)


def near_names(model: str, count: int = 3) -> list[str]:
    """Return the names of models that look most like `model`, the nearest first.

    Those of the provider that it names come before all others.
    """
    provider, slash, name = model.lower().partition("/")
    if slash:
        theirs = {
            facts.name.lower().removeprefix(f"{provider}/"): facts.name
            for facts in chat_models().values()
            if facts.provider == provider
        }
        if near := get_close_matches(name, theirs, count, _ENOUGH_ALIKE):
            return [theirs[match] for match in near]
    every = {known.lower(): known for known in chat_models()}
    wanted = name if slash else provider
    return [
        every[match] for match in get_close_matches(wanted, every, count, _ENOUGH_ALIKE)
    ]


@cache
def _all() -> Mapping[str, ModelFacts]:
    return {
        name: _facts(name, entry)
        for name, entry in _read().items()
        if isinstance(entry, dict) and name != "sample_spec"
    }


def _read() -> dict[str, Any]:
    """Return litellm's list, or an empty one: then less is known, that is all."""
    spec = find_spec("litellm")
    if spec is None or not spec.submodule_search_locations:
        return {}
    try:
        text = Path(spec.submodule_search_locations[0], _LIST).read_text("utf-8")
        entries = json.loads(text)
    except (OSError, ValueError):
        return {}
    return entries if isinstance(entries, dict) else {}


def _facts(name: str, entry: Mapping[str, Any]) -> ModelFacts:
    return ModelFacts(
        name=name,
        provider=_word(entry.get("litellm_provider")),
        mode=_word(entry.get("mode")),
        context_window=_count(entry.get("max_input_tokens") or entry.get("max_tokens")),
        max_output=_count(entry.get("max_output_tokens")),
        input_price=_price(entry.get("input_cost_per_token")),
        output_price=_price(entry.get("output_cost_per_token")),
        sees_images=entry.get("supports_vision") is True,
    )


def _word(value: object) -> str:
    return value if isinstance(value, str) else ""


def _count(value: object) -> int | None:
    number = _price(value)
    return int(number) if number else None


def _price(value: object) -> float | None:
    """Return a number that makes sense as one; the list has words in some places."""
    if isinstance(value, bool):
        return None
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    return number if 0 <= number < float("inf") else None
