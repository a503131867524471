"""Questions, and what came back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from convotui.llm import (
    Endpoint,
    ModelError,
    Piece,
    Request,
    Text,
    TextPiece,
    Turn,
    UsagePiece,
)
from convotui.llm.litellm_client import LitellmClient
from tests.llm.server import OpenAIServer

HELLO = Request([Turn("user", [Text("Hello?")])])


@dataclass
class Reply:
    """Everything that came, and what it ended with."""

    pieces: list[Piece] = field(default_factory=list)
    error: ModelError | None = None

    @property
    def text(self) -> str:
        return "".join(it.text for it in self.pieces if isinstance(it, TextPiece))

    @property
    def usage(self) -> UsagePiece:
        (usage,) = (it for it in self.pieces if isinstance(it, UsagePiece))
        return usage

    @property
    def failure(self) -> ModelError:
        assert self.error is not None, f"no error, but {self.pieces}"
        return self.error


async def ask(
    endpoint: Endpoint,
    request: Request = HELLO,
    *,
    client: LitellmClient | None = None,
) -> Reply:
    """Return all that a model says, also when it fails."""
    reply = Reply()
    try:
        async for piece in (client or LitellmClient()).reply(endpoint, request):
            reply.pieces.append(piece)
    except ModelError as error:
        reply.error = error
    return reply


def at(server: OpenAIServer, model: str = "openai/scripted", **how: Any) -> Endpoint:
    """Return a model of the server."""
    return Endpoint(model, api_base=server.base_url, **how)
