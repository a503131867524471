"""Where keys are found, and where they go."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from convotui.llm import Endpoint, ErrorKind
from tests.llm.asking import ask, at
from tests.llm.server import OpenAIServer


def printing(code: str) -> tuple[str, ...]:
    return (sys.executable, "-c", code)


async def test_a_key_comes_from_the_variable_that_is_named(
    server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "another")
    monkeypatch.setenv("MY_KEY", " canary \n")

    assert (await ask(at(server, key_variable="MY_KEY"))).error is None

    assert server.next_request().headers["Authorization"] == "Bearer canary"


async def test_a_key_comes_from_the_first_line_that_a_command_prints(
    server: OpenAIServer,
) -> None:
    command = printing(r"print('  canary $HOME;\nlogin: me')")

    assert (await ask(at(server, key_command=command))).error is None

    assert server.next_request().headers["Authorization"] == "Bearer canary $HOME;"


async def test_a_command_is_run_for_each_request(
    server: OpenAIServer, tmp_path: Path
) -> None:
    counter = tmp_path / "counter"
    command = printing(
        f"f = open({str(counter)!r}, 'a+'); f.write('x'); print(f'key{{f.tell()}}')"
    )

    for _ in range(2):
        assert (await ask(at(server, key_command=command))).error is None

    keys = [request.headers["Authorization"] for request in server.requests]
    assert keys == ["Bearer key1", "Bearer key2"]


@pytest.mark.parametrize(
    ("how", "kind", "words"),
    [
        ({"key_variable": "UNSET_KEY"}, "no_key", "UNSET_KEY is not set"),
        ({"key_command": ("no-such-program",)}, "no_key", "cannot be run"),
        ({"key_command": ()}, "no_key", "cannot be run"),
        ({"key_command": ("bad\0name",)}, "no_key", "cannot be run"),
        ({"key_command": printing("")}, "no_key", "printed nothing"),
        (
            {"key_command": printing("print('canary'); exit(3)")},
            "no_key",
            "failed with code 3",
        ),
        (
            {"key_command": printing("print('canary\\x1b')")},
            "bad_key",
            "characters that no key has",
        ),
    ],
)
async def test_a_key_that_cannot_be_had_is_told_before_anything_is_sent(
    server: OpenAIServer, how: dict[str, Any], kind: ErrorKind, words: str
) -> None:
    error = (await ask(at(server, **how))).failure

    assert error.kind == kind
    assert words in str(error)
    assert "canary" not in str(error).replace("print('canary", "")
    assert server.requests == []


@pytest.mark.parametrize(
    ("model", "variable"),
    [
        ("gpt-4o", "OPENAI_API_KEY"),
        ("openai/gpt-4o", "OPENAI_API_KEY"),
        ("claude-sonnet-5", "ANTHROPIC_API_KEY"),
        ("gemini/gemini-2.5-pro", "GEMINI_API_KEY or GOOGLE_API_KEY"),
        ("groq/anything", "GROQ_API_KEY"),
        ("openrouter/some/thing", "OPENROUTER_API_KEY"),
        ("cohere/command-a-03-2025", "COHERE_API_KEY"),
        ("claude-sonet-5", "ANTHROPIC_API_KEY"),
        ("azure/mine", "AZURE_API_KEY"),
    ],
)
async def test_without_a_key_its_variable_is_named(model: str, variable: str) -> None:
    error = (await ask(Endpoint(model))).failure

    assert error.kind == "no_key"
    assert f"set {variable}" in str(error)


async def test_a_server_of_ones_own_needs_no_key_and_is_given_nobody_elses(
    server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "canary")

    assert (await ask(at(server))).error is None

    assert "canary" not in str(server.next_request().headers)


async def test_the_providers_own_variables_are_found(
    server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "canary")
    monkeypatch.setenv("OPENAI_API_BASE", server.base_url)

    assert (await ask(Endpoint("openai/gpt-4o"))).error is None

    request = server.next_request()
    assert request.headers["Authorization"] == "Bearer canary"
    headers = {name: request.headers[name] for name in request.headers}
    del headers["Authorization"]
    assert "canary" not in str(headers)
    assert b"canary" not in request.raw
    assert "canary" not in request.path
