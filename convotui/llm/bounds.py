"""Bounds on what a server may do to whoever asks it, whichever library asks."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

_SHORT_BYTES = 100_000
"""What is read of an error, whose first words say it all, and of what is packed."""
_LINE_BYTES = 50_000_000
"""A line of a reply that is longer has no end."""


def set_bounds(httpx: Any) -> None:
    """Bound all that is received, and let nobody be reached whom nobody chose."""
    receive = httpx.AsyncHTTPTransport.handle_async_request

    class Bounded(httpx.AsyncByteStream):  # type: ignore[misc]
        """The body of a response, as far as it is of any use."""

        def __init__(self, response: Any) -> None:
            self._stream = response.stream
            packed = response.headers.get("content-encoding", "identity") != "identity"
            self._is_short = packed or response.status_code >= 300

        async def __aiter__(self) -> AsyncIterator[bytes]:
            total = line = 0
            async for data in self._stream:
                yield data
                total += len(data)
                end = data.rfind(b"\n")
                line = line + len(data) if end < 0 else len(data) - end
                if self._is_short and total > _SHORT_BYTES:
                    return
                if line > _LINE_BYTES:
                    raise httpx.ReadError("a line without an end")

        async def aclose(self) -> None:
            await self._stream.aclose()

    async def handle_async_request(transport: Any, request: Any) -> Any:
        # A few packed bytes can be more than the memory holds.
        request.headers["accept-encoding"] = "identity"
        response = await receive(transport, request)
        if _leads_away(httpx, request, response):
            del response.headers["location"]
        response.stream = Bounded(response)
        return response

    httpx.AsyncHTTPTransport.handle_async_request = handle_async_request


def _leads_away(httpx: Any, request: Any, response: Any) -> bool:
    """Whether a response would have what was asked sent to somebody else."""
    location = response.headers.get("location")
    if location is None:
        return False
    try:
        target = request.url.join(location)
    except (httpx.InvalidURL, ValueError):
        return True
    is_weaker = request.url.scheme == "https" and target.scheme != "https"
    return bool(target.host != request.url.host or is_weaker)
