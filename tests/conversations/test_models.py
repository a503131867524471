"""Which model answers, and with what."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from convotui.conversations.models import NoModelError
from convotui.llm import Endpoint
from convotui.llm.local import BUILT_IN
from convotui.llm.weights import FILE_NAME, SIZE
from convotui.settings import NamedModel, Settings
from convotui.storage import ChatMessage, MessageId, ReplyFacts
from tests.llm.server import OpenAIServer

from .talking import NAMED, models

NOBODY = {"OLLAMA_HOST": "127.0.0.1:9"}
"""An environment in which no Ollama is found, whoever runs the tests."""
KEYS = {**NOBODY, "OPENAI_API_KEY": "k"}


def replied(model: str | None) -> list[ChatMessage]:
    """A thread whose last reply was given by a model."""
    time = datetime(2026, 3, 1)
    facts = ReplyFacts(model=model) if model else None
    return [
        ChatMessage(MessageId("q"), None, "user", (), time),
        ChatMessage(MessageId("a"), MessageId("q"), "assistant", (), time, facts=facts),
        ChatMessage(MessageId("r"), MessageId("a"), "user", (), time),
    ]


@pytest.fixture
def ollama() -> Iterator[OpenAIServer]:
    with OpenAIServer() as server:
        server.ollama_models = ["llama3:8b"]
        yield server


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    """A directory with something as large as the built-in model."""
    pytest.importorskip("xllamacpp")
    with (tmp_path / FILE_NAME).open("wb") as file:
        file.truncate(SIZE)
    return tmp_path


def test_the_model_that_is_asked_for_comes_first(tmp_path: Path) -> None:
    chosen = models(tmp_path, environment=KEYS, wanted="gpt-4o").choose(
        replied("openai/scripted")
    )

    assert (chosen.name, chosen.endpoint) == ("gpt-4o", Endpoint("gpt-4o"))
    assert (chosen.provider, chosen.window) == ("openai", 128_000)


def test_a_thread_keeps_its_model(tmp_path: Path) -> None:
    for stored in ("anthropic/other", "other"):
        chosen = models(tmp_path).choose(replied(stored))
        assert (chosen.name, chosen.endpoint.model) == ("other", "anthropic/other")
    assert models(tmp_path, environment=KEYS).choose(replied("gpt-4o")).name == "gpt-4o"


@pytest.mark.parametrize(
    "stored",
    [None, "gpt-4o", "who/knows", "ollama_chat/gone", BUILT_IN, "local//no/such.gguf"],
)
def test_a_model_that_cannot_be_asked_any_more_is_not(
    stored: str | None, tmp_path: Path
) -> None:
    assert models(tmp_path, environment=NOBODY).choose(replied(stored)).name == "mine"


def test_the_settings_come_before_a_key(tmp_path: Path) -> None:
    assert models(tmp_path, environment=KEYS).choose().name == "mine"


def test_a_key_comes_before_ollama(tmp_path: Path, ollama: OpenAIServer) -> None:
    environment = {"OLLAMA_HOST": ollama.address, "OPENAI_API_KEY": "k"}

    assert models(tmp_path, Settings(), environment).choose().provider == "openai"
    assert ollama.requests == []


def test_ollama_comes_before_the_built_in_model(
    weights: Path, ollama: OpenAIServer
) -> None:
    found = models(weights, Settings(), {"OLLAMA_HOST": ollama.address})

    chosen = found.choose()
    assert chosen.endpoint == Endpoint(
        "ollama_chat/llama3:8b", api_base=ollama.root_url
    )
    assert found.choose(replied("ollama_chat/llama3:8b")) == chosen
    assert found.named("ollama_chat/llama3:8b").endpoint == chosen.endpoint


def test_the_built_in_model_is_better_than_none(weights: Path) -> None:
    found = models(weights, Settings(), NOBODY)

    assert found.choose().name == BUILT_IN
    assert not found.can_install


def test_without_a_model_the_user_is_told_how_to_get_one(tmp_path: Path) -> None:
    found = models(tmp_path, Settings(), NOBODY)

    with pytest.raises(NoModelError, match=r"OPENAI_API_KEY.*convotui models install"):
        found.choose()
    assert found.usable() == []


def test_the_nearest_system_prompt_is_used(tmp_path: Path) -> None:
    own = NamedModel(Endpoint("openai/x"), system="own", context_window=1234)
    plain = NamedModel(Endpoint("openai/y"))
    settings = Settings(
        system="general",
        persona="pirate",
        personas={"pirate": "Arr."},
        models={"own": own, "plain": plain},
    )

    named = models(tmp_path, settings)
    assert (named.named("own").system, named.named("plain").system) == ("own", "Arr.")
    assert (named.named("own").window, named.named("plain").window) == (1234, None)
    assert models(tmp_path, settings, system="now").named("own").system == "now"
    assert models(tmp_path, settings, system="").named("own").system == ""


def test_what_can_be_asked_is_listed_with_the_users_own_first(
    weights: Path, ollama: OpenAIServer
) -> None:
    environment = {"OLLAMA_HOST": ollama.address, "OPENAI_API_KEY": "k"}

    found = models(weights, NAMED, environment).usable()

    assert [model.name for model in found[:2]] == ["mine", "other"]
    assert [model.name for model in found[-2:]] == ["ollama_chat/llama3:8b", BUILT_IN]
    assert {model.why for model in found[2:-2]} == {"OPENAI_API_KEY"}
    assert "gpt-4o" in {model.name for model in found}


def test_whoever_only_browses_connects_to_nobody(
    tmp_path: Path, ollama: OpenAIServer
) -> None:
    found = models(tmp_path, Settings(), {"OLLAMA_HOST": ollama.address})
    for thread in (replied(None), replied("ollama_chat/llama3:8b")):
        with pytest.raises(NoModelError):
            found.choose(thread, looks_around=False)
    assert ollama.requests == []

    asked = found.choose(replied(None))

    assert found.choose(replied(None), looks_around=False) == asked
    assert len(ollama.requests) == 1
