"""One client for every model: on this machine or wherever litellm reaches."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path

from convotui.llm.client import ChatClient, Endpoint, Piece, Request


class AnyClient:
    """Hands each request to the client that can answer it."""

    def __init__(self, weights: Path) -> None:
        self._weights = weights
        self._local: ChatClient | None = None
        self._remote: ChatClient | None = None

    async def reply(
        self, endpoint: Endpoint, request: Request
    ) -> AsyncGenerator[Piece, None]:
        """Yield the reply piece by piece; closing the generator stops it at once.

        Raises:
            ModelError: And nothing else, whatever goes wrong.
        """
        pieces = self._client_for(endpoint).reply(endpoint, request)
        async with aclosing(pieces):
            async for piece in pieces:
                yield piece

    def warm_up(self, endpoint: Endpoint) -> None:
        """Load what a reply from a model needs; this blocks for seconds.

        Raises:
            ModelError: If it cannot be loaded.
        """
        if not endpoint.is_local:
            from convotui.llm.litellm_client import warm_up

            warm_up()

    def _client_for(self, endpoint: Endpoint) -> ChatClient:
        if endpoint.is_local:
            if self._local is None:
                from convotui.llm.local import LocalClient

                self._local = LocalClient(self._weights)
            return self._local
        if self._remote is None:
            from convotui.llm.litellm_client import LitellmClient

            self._remote = LitellmClient()
        return self._remote
