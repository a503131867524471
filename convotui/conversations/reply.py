"""A reply while it arrives."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace
from typing import TypeVar

from convotui.conversations.turns import GENERATOR, SIGNATURE
from convotui.llm import (
    FinishPiece,
    Piece,
    TextPiece,
    ThinkingPiece,
    ToolCallPiece,
    UsagePiece,
)
from convotui.storage import Block, ChatMessage, ReplyFacts, ReplyState

N = TypeVar("N", int, float)


@dataclass
class _Growing:
    """A block to which more is added."""

    type: str
    pieces: list[str] = field(default_factory=list)
    before: Block | None = None
    """What was there when the reply went on, which is kept as it was."""
    signature: str | None = None
    index: int | None = None
    """Which of the calls it is, as the pieces count them."""
    call_id: str = ""
    name: str = ""

    def block(self, provider: str) -> Block:
        text = "".join(self.pieces)
        self.pieces = [text]
        if self.before is not None:
            return replace(self.before, content=self.before.content + text)
        if self.type == "tool_call":
            call = {"name": self.name, "parameters": _arguments(text)}
            content = json.dumps(call, ensure_ascii=False, separators=(",", ":"))
            return Block(content, "tool_call", id=self.call_id or None)
        if self.type == "thinking":
            extra = {GENERATOR: provider}
            if self.signature:
                extra[SIGNATURE] = self.signature
            return Block(text, "thinking", extra_fields=json.dumps(extra))
        return Block(text)


class Reply:
    """What has arrived of one reply, for whoever wants to look."""

    def __init__(
        self,
        message: ChatMessage,
        provider: str,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._message = message
        self._provider = provider
        self._clock = clock
        self._begun = clock()
        self._before = message.facts or ReplyFacts()
        self._facts = replace(self._before, state="streaming", error=None)
        self._blocks = [_Growing(block.type, before=block) for block in message.blocks]
        self._changed = asyncio.Event()
        self.version = 0
        """How often it has changed."""
        self.size = 0
        """How many characters have arrived."""
        self.is_over = False
        self.problem = ""
        """Why what has arrived could not be saved yet, if so."""

    @property
    def message(self) -> ChatMessage:
        """The message as it is now."""
        blocks = tuple(block.block(self._provider) for block in self._blocks)
        return replace(self._message, blocks=blocks, facts=self._facts)

    @property
    def text(self) -> str:
        """What has been said so far."""
        return self.message.text

    async def changes(self) -> AsyncIterator[None]:
        """Yield whenever there is something new, until the reply is over."""
        seen = -1
        while True:
            if self.version != seen:
                seen = self.version
                yield
            elif self.is_over:
                return
            else:
                await self._changed.wait()

    def take(self, piece: Piece) -> None:
        """Add what has arrived."""
        match piece:
            case TextPiece(text):
                self.size += len(text)
                self._note_first()
                self._block("content").pieces.append(text)
            case ThinkingPiece(text, signature):
                self.size += len(text)
                self._note_first()
                block = self._thought(text)
                block.pieces.append(text)
                block.signature = signature or block.signature
            case ToolCallPiece():
                self.size += len(piece.arguments)
                self._note_first()
                self._take_call(piece)
            case UsagePiece():
                self._take_usage(piece)
            case FinishPiece(reason):
                self._facts = replace(self._facts, finish_reason=reason)
        self._tell()

    def end(self, state: ReplyState, error: str | None = None) -> None:
        """Take note of how it ended."""
        taken = (self._before.duration_seconds or 0) + self._clock() - self._begun
        self._facts = replace(
            self._facts, state=state, error=error, duration_seconds=round(taken, 3)
        )
        self._tell()

    def close(self) -> None:
        """Say that nothing more will come."""
        self.is_over = True
        self._tell()

    def tell_problem(self, problem: str) -> None:
        """Say why it could not be saved, or that it could."""
        if problem != self.problem:
            self.problem = problem
            self._tell()

    def _tell(self) -> None:
        self.version += 1
        self._changed.set()
        self._changed = asyncio.Event()

    def _note_first(self) -> None:
        if self._facts.first_token_seconds is None:
            seconds = round(self._clock() - self._begun, 3)
            self._facts = replace(self._facts, first_token_seconds=seconds)

    def _block(self, kind: str) -> _Growing:
        """Return the last block, if it is of this kind, or a new one."""
        if not self._blocks or self._blocks[-1].type != kind:
            self._blocks.append(_Growing(kind))
        return self._blocks[-1]

    def _thought(self, more: str) -> _Growing:
        """Return the last thought; a new one if that was signed as it is."""
        block = self._block("thinking")
        if more and (block.signature or block.before):
            block = _Growing("thinking")
            self._blocks.append(block)
        return block

    def _take_call(self, piece: ToolCallPiece) -> None:
        for block in reversed(self._blocks):
            if block.index == piece.index and block.type == "tool_call":
                # Some servers give all their calls the same index.
                is_another = piece.name and block.call_id and piece.id != block.call_id
                break
        else:
            is_another = True
        if is_another:
            block = _Growing("tool_call", index=piece.index)
            self._blocks.append(block)
        block.call_id = block.call_id or piece.id
        block.name = block.name or piece.name
        block.pieces.append(piece.arguments)

    def _take_usage(self, piece: UsagePiece) -> None:
        before = self._before
        self._facts = replace(
            self._facts,
            input_tokens=_sum(before.input_tokens, piece.input_tokens),
            output_tokens=_sum(before.output_tokens, piece.output_tokens),
            cached_tokens=_sum(before.cached_tokens, piece.cached_tokens),
            reasoning_tokens=_sum(before.reasoning_tokens, piece.reasoning_tokens),
            cost=_sum(before.cost, piece.cost),
        )


def _sum(before: N | None, more: N | None) -> N | None:
    if more is None:
        return before
    return more if before is None else before + more


def _arguments(text: str) -> object:
    """Return what a tool was given; as it came, if it is no JSON."""
    try:
        return json.loads(text or "{}")
    except (ValueError, RecursionError):
        return text
