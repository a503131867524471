"""What goes to a model and what comes back, whoever runs the model."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

LOCAL_PREFIX = "local/"
"""A model whose name begins so runs on this machine; the rest is a GGUF file's path."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A model, where it is reached and how it is asked.

    It says where a key is to be found and never holds one.
    """

    model: str
    """As litellm names it, or `LOCAL_PREFIX` and the path of a file."""
    api_base: str | None = None
    key_variable: str | None = None
    key_command: Sequence[str] | None = None
    """A program, with its arguments, that prints the key."""
    temperature: float | None = None
    max_tokens: int | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Further parameters, passed on as they are."""

    @property
    def is_local(self) -> bool:
        """Whether the model runs on this machine, by convotui itself."""
        return self.model.startswith(LOCAL_PREFIX)


@dataclass(frozen=True, slots=True)
class Text:
    """Something said."""

    text: str


@dataclass(frozen=True, slots=True)
class Thinking:
    """What a model thought, as its provider wants to see it again."""

    text: str
    signature: str | None = None


@dataclass(frozen=True, slots=True)
class Media:
    """An image or another file that is not text."""

    mime_type: str
    data: str
    """Base64."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that the model asked for."""

    id: str
    name: str
    arguments: str
    """JSON."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool gave back."""

    call_id: str
    text: str
    is_error: bool = False
    media: Sequence[Media] = ()


Part = Text | Thinking | Media | ToolCall | ToolResult


@dataclass(frozen=True, slots=True)
class Turn:
    """Everything that one side said before the other one did.

    The results of tools are said by the user; each follows a call in the turn before.
    """

    role: Literal["user", "assistant"]
    parts: Sequence[Part]


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked of a model."""

    turns: Sequence[Turn]
    system: str = ""


@dataclass(frozen=True, slots=True)
class TextPiece:
    """More of what the reply says."""

    text: str


@dataclass(frozen=True, slots=True)
class ThinkingPiece:
    """More of what the model thinks before it replies."""

    text: str
    signature: str | None = None
    """What the provider wants to see again with the thought, once it is whole."""


@dataclass(frozen=True, slots=True)
class ToolCallPiece:
    """More of a tool call; the pieces of one call share an index."""

    index: int
    id: str = ""
    name: str = ""
    arguments: str = ""


@dataclass(frozen=True, slots=True)
class UsagePiece:
    """What the reply took, as counted by the provider; `None` is unknown."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost: float | None = None
    """In US dollars."""


@dataclass(frozen=True, slots=True)
class FinishPiece:
    """Why the reply ended; it comes at most once."""

    reason: str


Piece = TextPiece | ThinkingPiece | ToolCallPiece | UsagePiece | FinishPiece

ErrorKind = Literal[
    "no_key",
    "bad_key",
    "unknown_model",
    "rate_limit",
    "too_long",
    "refused",
    "unreachable",
    "timeout",
    "cut",
    "server",
    "nonsense",
    "missing",
    "other",
]
"""`refused` is a provider's policy; `missing` a part of convotui not installed."""


class ModelError(Exception):
    """A reply that did not come, or not whole; its text says what to do."""

    def __init__(
        self, message: str, kind: ErrorKind, retry_after: float | None = None
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.retry_after = retry_after
        """How many seconds the provider asks to wait."""


class ChatClient(Protocol):
    """Something that can reply."""

    def reply(
        self, endpoint: Endpoint, request: Request
    ) -> AsyncGenerator[Piece, None]:
        """Yield the reply piece by piece; closing the generator stops it at once.

        Raises:
            ModelError: And nothing else, whatever goes wrong.
        """
