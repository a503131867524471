"""Models reached through litellm; no other module names it.

litellm takes seconds to load, and it prints, logs, fetches, retries and reads `.env`
files unless told not to. It is loaded once, late, off the event loop, and told.
"""

from __future__ import annotations

import gc
import importlib
import logging
import os
import sys
import threading
import warnings
from collections.abc import AsyncGenerator
from contextlib import aclosing
from functools import cache
from typing import Any

from convotui.llm.background import in_background
from convotui.llm.bounds import set_bounds
from convotui.llm.catalog import facts_of
from convotui.llm.client import (
    Endpoint,
    FinishPiece,
    ModelError,
    Piece,
    Request,
    TextPiece,
)
from convotui.llm.errors import explain, without_end
from convotui.llm.keys import key_for
from convotui.llm.messages import messages_of
from convotui.llm.pieces import as_cost, finish_of, own_cost, pieces_of, usage_of

_BEFORE_IMPORT = {
    # Prices and the like are not to be fetched from the web.
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "True",
    "LITELLM_LOCAL_BLOG_POSTS": "True",
    # Otherwise settings are taken from a `.env` file in the project, which may have
    # come with a clone and could send the user's keys elsewhere.
    "LITELLM_MODE": "PRODUCTION",
}
_LOGGERS = ("LiteLLM", "LiteLLM Proxy", "LiteLLM Router", "httpcore", "httpx", "openai")

_loading = threading.Lock()


def warm_up() -> None:
    """Load litellm, so that the first reply need not; this blocks for seconds.

    Raises:
        ModelError: If it cannot be loaded.
    """
    _litellm()


class LitellmClient:
    """Replies from every model that litellm can reach."""

    def __init__(
        self, *, connect_seconds: float = 10, silence_seconds: float = 120
    ) -> None:
        self._connect_seconds = connect_seconds
        self._silence_seconds = silence_seconds

    async def reply(
        self, endpoint: Endpoint, request: Request
    ) -> AsyncGenerator[Piece, None]:
        """Yield the reply piece by piece; closing the generator stops it at once.

        Raises:
            ModelError: And nothing else, whatever goes wrong.
        """
        pieces = in_background(lambda: self._reply(endpoint, request))
        async with aclosing(pieces):
            async for piece in pieces:
                yield piece

    async def _reply(
        self, endpoint: Endpoint, request: Request
    ) -> AsyncGenerator[Piece, None]:
        key, said, finish, total, stream = None, False, "", None, None
        try:
            key = await key_for(endpoint)
            litellm = _litellm()
            arguments = self._arguments(litellm, endpoint, request, key)
            stream = await litellm.acompletion(**arguments)
            async with aclosing(stream):
                async for chunk in stream:
                    _keep_what_is_loaded()
                    for piece in pieces_of(chunk):
                        said = said or not _is_blank(piece)
                        yield piece
                    finish = finish_of(chunk) or finish
                    total = getattr(chunk, "usage", None) or total
                if counted := _counted(stream):
                    cost = own_cost(counted)
                    if cost is None:
                        cost = _cost(litellm, arguments["model"], total)
                    yield usage_of(total, counted, cost)
                if not _end_of(stream):
                    finish = ""
        except Exception as error:  # noqa: BLE001 - litellm raises what it meets
            # Whatever goes wrong after the end of a reply, the reply was whole.
            finish = _end_of(stream) if said else ""
            if not finish or finish == "error":
                raise explain(error, endpoint, key, said) from None
        if not said or not finish:
            raise without_end(endpoint, finish, said)
        yield FinishPiece(finish)

    def _arguments(
        self, litellm: Any, endpoint: Endpoint, request: Request, key: str | None
    ) -> dict[str, Any]:
        httpx: Any = importlib.import_module("httpx")
        timeout = httpx.Timeout(self._silence_seconds, connect=self._connect_seconds)
        chosen = {
            "api_base": endpoint.api_base,
            "api_key": key,
            "max_tokens": endpoint.max_tokens,
            "temperature": endpoint.temperature,
        }
        return {
            # A parameter that a model does not know is no reason not to talk to it.
            "drop_params": True,
            "max_retries": 0,
            "num_retries": 0,
            "timeout": timeout,
            **endpoint.extra,
            **{name: value for name, value in chosen.items() if value is not None},
            "model": _name(litellm, endpoint),
            "messages": messages_of(request),
            "stream": True,
            "stream_options": {"include_usage": True},
        }


def _litellm() -> Any:
    """Return litellm, loaded and told to be quiet."""
    # Its warnings are about its own code, and a reply would be lost to each that is
    # made an error. It has filters of its own, but whoever puts back the filters from
    # before it was loaded takes them away.
    warnings.filterwarnings("ignore", module=r"(litellm|openai|pydantic)\b")
    with _loading:
        return _load()


@cache
def _keep_what_is_loaded() -> None:
    """Keep what the first reply has loaded, too, out of the garbage collection."""
    gc.freeze()


@cache
def _load() -> Any:
    """Load litellm without holding up the other threads.

    Collecting garbage over the hundreds of thousands of objects that loading makes
    would stop them all for long; these are kept out of it for good.
    """
    os.environ.update(_BEFORE_IMPORT)
    _silence_logs()
    collects = gc.isenabled()
    gc.disable()
    try:
        litellm: Any = importlib.import_module("litellm")
    except ImportError as error:
        raise ModelError(
            f"litellm, which reaches the models, cannot be loaded ({error.name}): "
            "install convotui anew.",
            "missing",
        ) from None
    finally:
        gc.freeze()
        if collects:
            gc.enable()
    _silence_logs()
    _configure(litellm)
    set_bounds(importlib.import_module("httpx"))
    return litellm


def _configure(litellm: Any) -> None:
    litellm.suppress_debug_info = True
    litellm.set_verbose = False
    litellm.telemetry = False
    litellm.num_retries = 0
    # The other transport tells a timeout from a broken connection less well.
    litellm.disable_aiohttp_transport = True
    # Some providers take the results of tools only with a list of tools; it makes one.
    litellm.modify_params = True
    # A reply that repeats itself is still a reply.
    litellm.REPEATED_STREAMING_CHUNK_LIMIT = sys.maxsize


def _silence_logs() -> None:
    """Keep logs off the screen; loading prints some, and adds what prints them."""
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        logger.handlers = [logging.NullHandler()]
        logger.setLevel(logging.CRITICAL + 1)
        logger.propagate = False


def _name(litellm: Any, endpoint: Endpoint) -> str:
    """Return the model as litellm names it.

    A server with an address of its own speaks OpenAI's language unless the model's
    name says otherwise.
    """
    if endpoint.api_base is None:
        return endpoint.model
    try:
        litellm.get_llm_provider(endpoint.model, api_base=endpoint.api_base)
    except litellm.exceptions.BadRequestError:
        return f"openai/{endpoint.model}"
    return endpoint.model


def _is_blank(piece: Piece) -> bool:
    return isinstance(piece, TextPiece) and not piece.text.strip()


def _end_of(stream: Any) -> str:
    """Return why the server said that the reply ends, or nothing if it did not.

    When a connection ends quietly in the middle, litellm makes up an ending.
    """
    names = ("received_finish_reason", "intermittent_finish_reason")
    reasons = (getattr(stream, name, None) for name in names)
    return next((str(reason) for reason in reasons if reason), "")


def _counted(stream: Any) -> list[Any]:
    """Return what the server counted; litellm guesses where it did not."""
    counts = (getattr(chunk, "usage", None) for chunk in stream.chunks)
    return [count for count in counts if count is not None]


def _cost(litellm: Any, model: str, usage: Any) -> float | None:
    """Return what the list of prices says, or `None` if it says nothing."""
    facts = facts_of(model)
    if facts is None:
        return None
    try:
        costs: tuple[float, float] = litellm.cost_per_token(
            model=model, usage_object=usage
        )
    except Exception:  # noqa: BLE001 - a reply is worth more than its price
        return None
    # What has no price adds up to nothing, as what is free does.
    cost = as_cost(sum(costs))
    return cost if facts.input_price is not None or any(costs) else None
