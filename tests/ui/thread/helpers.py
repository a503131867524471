"""A host for the thread, messages to show in it, and a way to read its screen."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime

from textual import on
from textual.app import App, ComposeResult
from textual.message import Message
from textual.pilot import Pilot

from convotui.storage.records import Block, ChatMessage, MessageId, ReplyFacts
from convotui.ui.thread import ThreadView


class Host(App[None]):
    """Shows a thread and remembers what it says."""

    def __init__(self, view: ThreadView | None = None) -> None:
        super().__init__()
        self.view = view or ThreadView()
        self.posted: list[Message] = []
        self.was_hit = False

    def compose(self) -> ComposeResult:
        yield self.view

    @on(ThreadView.LinkClicked)
    @on(ThreadView.SiblingWanted)
    @on(ThreadView.MessageHighlighted)
    def remember(self, message: Message) -> None:
        self.posted.append(message)

    def action_hit(self) -> None:
        """What no message may ever run."""
        self.was_hit = True


@asynccontextmanager
async def shown(
    *messages: ChatMessage,
    size: tuple[int, int] = (80, 24),
    siblings: dict[MessageId, tuple[int, int]] | None = None,
    replies_below: int = 0,
) -> AsyncIterator[tuple[Host, ThreadView, Pilot[None]]]:
    """Show a thread that has the focus."""
    host = Host()
    async with host.run_test(size=size) as pilot:
        host.view.focus()
        host.view.show(messages, siblings, replies_below)
        await pilot.pause()
        yield host, host.view, pilot


def message(
    *blocks: Block | str,
    role: str = "user",
    id: str = "aaaaaa",  # noqa: A002
    title: str | None = None,
    error: bool = False,
    facts: ReplyFacts | None = None,
    created_at: datetime = datetime(2020, 2, 3, 12, 0),
) -> ChatMessage:
    return ChatMessage(
        MessageId(id),
        None,
        role,
        tuple(Block(block) if isinstance(block, str) else block for block in blocks),
        created_at,
        title,
        error,
        facts,
    )


def reply(*blocks: Block | str, id: str = "bbbbbb") -> ChatMessage:  # noqa: A002
    return message(*blocks, role="assistant", id=id)


def thread(count: int) -> list[ChatMessage]:
    """Many messages of many lengths, whose heights are hard to guess."""
    return [
        message(
            f"# Message {number}\n\n"
            + "\n\n".join(f"- item {number}.{item}" for item in range(number % 7))
            + f"\n\n```python\nprint({number})\n```\n" * (number % 3 == 0)
            + f"words of {number} " * (number * 37 % 101),
            role="assistant" if number % 2 else "user",
            id=f"m{number:05}",
        )
        for number in range(count)
    ]


def lines(view: ThreadView) -> list[str]:
    """What is on screen, line by line."""
    return [view.render_line(y).text.rstrip() for y in range(view.size.height)]


def text(view: ThreadView) -> str:
    return "\n".join(lines(view))


def row(view: ThreadView, words: str) -> int:
    """The row on which words are."""
    return next(y for y, line in enumerate(lines(view)) if words in line)


def where(view: ThreadView, words: str) -> tuple[int, int]:
    """The column and the row at which words are, as a mouse would hit them."""
    y = row(view, words)
    return lines(view)[y].index(words), y
