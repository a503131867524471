"""A server to ask, and an environment without the keys of whoever runs the tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from convotui.llm.providers import PROVIDERS
from tests.llm.server import OpenAIServer


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer() as server:
        yield server


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for provider in PROVIDERS.values():
        for name in provider.variables:
            monkeypatch.delenv(name, raising=False)
