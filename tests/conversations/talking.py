"""A model that says what a test scripts, and the one who has its name."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from pathlib import Path

from convotui.conversations.models import Models
from convotui.llm import Endpoint, Piece, Request, Text
from convotui.settings import NamedModel, Settings

NAMED = Settings(
    model="mine",
    models={
        "mine": NamedModel(Endpoint("openai/scripted", api_base="http://localhost:9")),
        "other": NamedModel(Endpoint("anthropic/other", api_base="http://localhost:9")),
    },
)
"""Settings that name two models, so that nobody looks for any."""


class Pause:
    """A point in a script where the model waits until it is let go on."""

    def __init__(self) -> None:
        self.reached = asyncio.Event()
        self.released = asyncio.Event()


Step = Piece | Exception | Pause


class ScriptedClient:
    """Each request takes the next script; what was asked is remembered."""

    def __init__(self, *scripts: list[Step]) -> None:
        self._scripts = list(scripts)
        self.asked: list[tuple[Endpoint, Request]] = []
        self.closed = 0
        """How many replies were closed, whole or not."""

    @property
    def texts(self) -> list[list[str]]:
        """What was said in each request, turn by turn."""
        return [
            [
                "|".join(part.text for part in turn.parts if isinstance(part, Text))
                for turn in request.turns
            ]
            for _, request in self.asked
        ]

    async def reply(
        self, endpoint: Endpoint, request: Request
    ) -> AsyncGenerator[Piece, None]:
        self.asked.append((endpoint, request))
        try:
            for step in self._scripts.pop(0):
                if isinstance(step, Exception):
                    raise step
                if isinstance(step, Pause):
                    step.reached.set()
                    await step.released.wait()
                else:
                    yield step
        finally:
            self.closed += 1


def models(
    directory: Path,
    settings: Settings = NAMED,
    environment: Mapping[str, str] | None = None,
    wanted: str = "",
    system: str | None = None,
) -> Models:
    return Models(settings, environment or {}, directory, wanted, system)
