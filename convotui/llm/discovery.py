"""Which models can be used now, and which one if the user named none."""

from __future__ import annotations

import ipaddress
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit
from urllib.request import ProxyHandler, build_opener

from convotui.llm.catalog import ModelFacts, chat_models, facts_of
from convotui.llm.client import LOCAL_PREFIX, Endpoint
from convotui.llm.providers import PROVIDERS, has_key

Source = Literal["configured", "key", "ollama", "local"]

_OLLAMA = "http://127.0.0.1:11434"
_OLLAMA_PORT = 11434
_OLLAMA_SECONDS = 0.5
_OLLAMA_BYTES = 4_000_000
_OLLAMA_PREFIX = "ollama_chat/"


@dataclass(frozen=True, slots=True)
class UsableModel:
    """A model that would answer."""

    name: str
    """What the user calls it if it is configured, else what litellm calls it."""
    source: Source
    why: str
    """What makes it usable: a variable, a file, an address."""
    endpoint: Endpoint
    """How to ask it."""
    facts: ModelFacts | None = None


def usable(
    environment: Mapping[str, str],
    *,
    endpoints: Mapping[str, Endpoint] | None = None,
    local_files: Sequence[Path] = (),
    ollama: Sequence[Endpoint] = (),
) -> list[UsableModel]:
    """Return the models that can be used, those that the user named first.

    Nothing is asked for over the network here: `ollama` is what `running_ollama` found.
    """
    return [
        *(_named(name, "configured", it) for name, it in (endpoints or {}).items()),
        *_with_key(environment),
        *(_named(it.model, "ollama", it) for it in ollama),
        *(_file(path) for path in local_files),
    ]


def default_model_for_keys(environment: Mapping[str, str]) -> str | None:
    """Return a good general model of the first provider that there is a key for."""
    for provider in PROVIDERS.values():
        if provider.default_model and has_key(provider, environment):
            return provider.default_model
    return None


def ollama_url(environment: Mapping[str, str]) -> str:
    """Return where Ollama listens: what `OLLAMA_HOST` says, else this machine."""
    host = environment.get("OLLAMA_HOST", "").strip()
    if not host:
        return _OLLAMA
    try:
        parts = urlsplit(host if "://" in host else f"http://{host}")
        port = parts.port or (443 if parts.scheme == "https" else _OLLAMA_PORT)
        name = parts.hostname or "127.0.0.1"
    except ValueError:
        return _OLLAMA
    return f"{parts.scheme}://{_reachable(name)}:{port}"


def running_ollama(
    base_url: str = _OLLAMA, *, timeout: float = _OLLAMA_SECONDS
) -> list[Endpoint]:
    """Return how to ask the models of a running Ollama.

    It is asked directly and never through a proxy. If none runs, or what runs there is
    not Ollama, there are no models.
    """
    opener = build_opener(ProxyHandler({}))
    try:
        with opener.open(f"{base_url}/api/tags", timeout=timeout) as reply:
            listing = json.loads(reply.read(_OLLAMA_BYTES))
    except (OSError, HTTPException, ValueError, RecursionError):
        return []
    models = listing.get("models") if isinstance(listing, dict) else None
    entries = models if isinstance(models, list) else []
    names = [entry.get("name") for entry in entries if isinstance(entry, dict)]
    return [
        Endpoint(f"{_OLLAMA_PREFIX}{name}", api_base=base_url)
        for name in names
        if name and isinstance(name, str)
    ]


def _named(name: str, source: Source, endpoint: Endpoint) -> UsableModel:
    why = endpoint.api_base or endpoint.model
    return UsableModel(name, source, why, endpoint, facts_of(endpoint.model))


def _file(path: Path) -> UsableModel:
    name = f"{LOCAL_PREFIX}{path}"
    return UsableModel(name, "local", str(path), Endpoint(name))


def _with_key(environment: Mapping[str, str]) -> Iterator[UsableModel]:
    """Yield every chat model of the providers that there is a key for."""
    keys = {name: has_key(it, environment) for name, it in PROVIDERS.items()}
    if not any(keys.values()):
        return
    for name, facts in chat_models().items():
        if variable := keys.get(facts.provider):
            yield UsableModel(name, "key", variable, Endpoint(name), facts)


def _reachable(host: str) -> str:
    """Return a host to connect to; a server's "everywhere" is here for its clients."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if address.is_unspecified:
        return "127.0.0.1" if address.version == 4 else "[::1]"
    return f"[{host}]" if address.version == 6 else host
