"""Messages that follow one another in time."""

from __future__ import annotations

from datetime import datetime, timedelta

from convotui.storage import Block, Draft, MessageId, ReplyFacts, Role


class Writer:
    """Writes messages down, each some minutes after the one before."""

    def __init__(self, now: datetime) -> None:
        self.drafts: list[Draft] = []
        """What was written, ready to be saved."""
        self._now = now
        self._time = now

    def at(self, days_ago: float) -> None:
        """Go on at another day."""
        self._time = self._now - timedelta(days=days_ago)

    def ask(
        self,
        message_id: str,
        text: str | list[Block],
        parent: str | None = None,
        *,
        title: str | None = None,
    ) -> None:
        """Write what the user says."""
        self._add("user", message_id, text, parent, title=title)

    def answer(
        self,
        message_id: str,
        text: str | list[Block],
        parent: str,
        facts: ReplyFacts,
        *,
        title: str | None = None,
    ) -> None:
        """Write what a model replies."""
        self._add("assistant", message_id, text, parent, title=title, facts=facts)

    def result(
        self,
        message_id: str,
        call: str,
        text: str,
        parent: str,
        *,
        failed: bool = False,
    ) -> None:
        """Write what a tool gives back."""
        blocks = [Block(text, id=call)]
        self._add("tool_result", message_id, blocks, parent, failed=failed)

    def _add(
        self,
        role: Role,
        message_id: str,
        text: str | list[Block],
        parent: str | None,
        *,
        title: str | None = None,
        facts: ReplyFacts | None = None,
        failed: bool = False,
    ) -> None:
        self._time += timedelta(minutes=4)
        self.drafts.append(
            Draft(
                role,
                [Block(text)] if isinstance(text, str) else text,
                parent=MessageId(parent) if parent else None,
                id=MessageId(message_id),
                title=title,
                facts=facts,
                tool_result_error=failed,
                created_at=self._time,
            )
        )


def facts(model: str, sent: int, received: int, cost: float) -> ReplyFacts:
    """Return what is known of a reply."""
    return ReplyFacts(model=model, input_tokens=sent, output_tokens=received, cost=cost)


def thinking(text: str) -> Block:
    """Return what a model thinks before it says anything."""
    return Block(text, type="thinking")


def tool_call(call: str, json: str) -> Block:
    """Return a tool that a model asks for."""
    return Block(json, type="tool_call", id=call, mime_type="application/json")
