"""Which models can be used, and which is taken when none is named."""

from __future__ import annotations

import socket
import threading
from pathlib import Path

import pytest

from convotui.llm import Endpoint
from convotui.llm.catalog import chat_models
from convotui.llm.discovery import (
    default_model_for_keys,
    ollama_url,
    running_ollama,
    usable,
)
from convotui.llm.providers import PROVIDERS
from tests.llm.asking import ask
from tests.llm.server import OpenAIServer, Script


def test_without_anything_there_is_nothing() -> None:
    assert usable({}) == []
    assert default_model_for_keys({"PATH": "/bin", "OPENAI_API_KEY": " "}) is None


def test_a_key_makes_the_chat_models_of_its_provider_usable() -> None:
    models = usable({"MISTRAL_API_KEY": "x"})

    names = {model.name for model in models}
    assert "mistral/mistral-large-latest" in names
    assert all(model.name in chat_models() for model in models)
    assert {model.why for model in models} == {"MISTRAL_API_KEY"}
    assert {model.source for model in models} == {"key"}
    assert all(model.endpoint == Endpoint(model.name) for model in models)


def test_azure_needs_its_address_too() -> None:
    key = {"AZURE_API_KEY": "x"}

    assert usable(key) == []
    assert usable({**key, "AZURE_API_BASE": "https://example.invalid"}) != []


def test_what_the_user_named_comes_first_and_files_last() -> None:
    mine = Endpoint("openai/gpt-4o", api_base="http://127.0.0.1:8080/v1")
    llama = Endpoint("ollama_chat/llama3", api_base="http://127.0.0.1:11434")

    models = usable(
        {"GROQ_API_KEY": "x"},
        endpoints={"mine": mine},
        local_files=[Path("/models/small.gguf")],
        ollama=[llama],
    )

    first, *_, before_last, last = models
    assert (first.name, first.source, first.endpoint) == ("mine", "configured", mine)
    assert first.facts is not None
    assert first.facts.context_window == 128_000
    assert (before_last.source, before_last.endpoint) == ("ollama", llama)
    assert (last.source, last.name) == ("local", "local//models/small.gguf")
    assert last.endpoint.is_local


@pytest.mark.parametrize("provider", PROVIDERS)
def test_every_default_is_a_chat_model_with_a_price(provider: str) -> None:
    default = PROVIDERS[provider].default_model
    if default is None:
        return
    facts = chat_models()[default]

    assert facts.provider == provider
    assert facts.input_price is not None
    for variable in PROVIDERS[provider].variables:
        assert default_model_for_keys({variable: "x"}) == default


async def test_a_running_ollama_is_asked_for_its_models_and_for_a_reply(
    server: OpenAIServer,
) -> None:
    server.ollama_models = ["llama3.2:1b", "qwen3:8b"]

    found = running_ollama(server.root_url)

    assert [it.model for it in found] == [
        "ollama_chat/llama3.2:1b",
        "ollama_chat/qwen3:8b",
    ]
    server.script(
        Script(
            [
                b'{"model":"m","message":{"role":"assistant","content":"Hel"},'
                b'"done":false}\n',
                b'{"model":"m","message":{"role":"assistant","content":"lo"},'
                b'"done":false}\n',
                b'{"model":"m","message":{"role":"assistant","content":""},'
                b'"done":true,"done_reason":"stop","prompt_eval_count":3,'
                b'"eval_count":2}\n',
            ],
            content_type="application/x-ndjson",
        )
    )
    reply = await ask(found[0])
    assert (reply.text, reply.error) == ("Hello", None)
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (3, 2)


def test_ollama_is_not_asked_through_a_proxy(
    server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    server.ollama_models = ["llama3"]

    assert len(running_ollama(server.root_url)) == 1


@pytest.mark.parametrize(
    "body",
    [b"<html>", b"[]", b'{"models": 3}', b'{"models": [3, {"name": 4}]}', b"\xff"],
)
def test_what_is_not_ollama_has_no_models(body: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(10_000)
                connection.sendall(b"HTTP/1.0 200 OK\r\n\r\n" + body)

        thread = threading.Thread(target=answer)
        thread.start()
        port = listener.getsockname()[1]

        assert running_ollama(f"http://127.0.0.1:{port}", timeout=10) == []
        thread.join()


def test_where_nothing_listens_there_are_no_models() -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        port = nobody.getsockname()[1]

        assert running_ollama(f"http://127.0.0.1:{port}") == []
    assert running_ollama("nonsense") == []


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("", "http://127.0.0.1:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("0.0.0.0:8000", "http://127.0.0.1:8000"),
        ("box", "http://box:11434"),
        ("https://box", "https://box:443"),
        ("http://box:1/", "http://box:1"),
        ("[::1]:8000", "http://[::1]:8000"),
        ("box:port", "http://127.0.0.1:11434"),
    ],
)
def test_ollama_is_where_its_variable_says(host: str, url: str) -> None:
    assert ollama_url({"OLLAMA_HOST": host}) == url
