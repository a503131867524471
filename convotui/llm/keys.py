"""Keys, looked up at the moment they are needed and kept nowhere."""

from __future__ import annotations

import asyncio
import os
from asyncio.subprocess import DEVNULL, PIPE

from convotui.llm.client import Endpoint, ModelError
from convotui.llm.providers import PROVIDERS, Provider, has_key, provider_of

_COMMAND_SECONDS = 10
_NO_KEY = "none"
"""What goes to a server that was named without a key: some want one and never look."""


async def key_for(endpoint: Endpoint) -> str | None:
    """Return the key to send, or `None` to leave finding it to litellm.

    A provider's own variable is for that provider alone: an address of one's own gets
    a key only by name.

    Raises:
        ModelError: If there is no key where one should be.
    """
    if endpoint.key_variable is not None:
        return _from_variable(endpoint.key_variable)
    if endpoint.key_command is not None:
        return await _from_command(tuple(endpoint.key_command))
    if "api_key" in endpoint.extra:
        return None
    if endpoint.api_base is not None:
        return _NO_KEY
    provider = PROVIDERS.get(provider_of(endpoint.model))
    # Who needs more than a key (Azure) takes other things than keys too.
    if provider is not None and not provider.needs:
        _require(provider, endpoint.model)
    return None


def _require(provider: Provider, model: str) -> None:
    if has_key(provider, os.environ) is None:
        names = " or ".join(provider.variables[:2])
        raise ModelError(
            f"No key for {model}: set {names} in the environment, or choose another "
            "model.",
            "no_key",
        )


def _from_variable(name: str) -> str:
    key = os.environ.get(name, "").strip()
    if not key:
        raise ModelError(
            f"No key: the environment variable {name} is not set.", "no_key"
        )
    return _sendable(key, f"the variable {name}")


async def _from_command(command: tuple[str, ...]) -> str:
    name = command[0] if command else ""
    try:
        async with asyncio.timeout(_COMMAND_SECONDS):
            output, code = await _run(command)
    except TimeoutError:
        raise _no_output(name, f"took more than {_COMMAND_SECONDS} seconds") from None
    except (OSError, ValueError, TypeError):
        raise _no_output(name, "cannot be run") from None
    if code != 0:
        raise _no_output(name, f"failed with code {code}")
    lines = output.decode("utf-8", "replace").strip().splitlines()
    if not lines:
        raise _no_output(name, "printed nothing")
    return _sendable(lines[0].strip(), f"the command {name!r}")


async def _run(command: tuple[str, ...]) -> tuple[bytes, int | None]:
    """Return what a program prints and how it ends; it ends with this at the latest."""
    process = await asyncio.create_subprocess_exec(
        *command, stdin=DEVNULL, stdout=PIPE, stderr=DEVNULL
    )
    try:
        output, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
    return output, process.returncode


def _no_output(name: str, what: str) -> ModelError:
    return ModelError(f"No key: the command {name!r} that prints it {what}.", "no_key")


def _sendable(key: str, source: str) -> str:
    if not (key.isascii() and key.isprintable()):
        raise ModelError(
            f"The key from {source} has characters that no key has.", "bad_key"
        )
    return key
