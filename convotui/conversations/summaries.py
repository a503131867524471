"""One line a conversation, and what everything adds up to.

A reply's tokens and cost are counted once, on the reply, however many threads it is
part of.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from convotui.storage import (
    ChatMessage,
    MessageId,
    Outline,
    Preview,
    is_subagent,
)
from convotui.tree import ROOT, Filter, Forest, shown

if TYPE_CHECKING:
    from convotui.storage import ReplyTotals, Store, Usage


@dataclass(frozen=True, slots=True)
class ConversationSummary:
    """A root and all that hangs below it."""

    id: MessageId
    """The message it begins with."""
    title: str
    """Its first label, or the beginning of its first message."""
    is_labelled: bool
    model: str | None
    """The model of most of its replies."""
    messages: int
    input_tokens: int
    output_tokens: int
    cost: float
    last_activity: datetime


@dataclass(frozen=True, slots=True)
class Totals:
    """What a set of messages adds up to."""

    messages: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost: float = 0.0


@dataclass(frozen=True, slots=True)
class Statistics:
    """Totals of some messages, and of each of their models and days."""

    total: Totals
    models: dict[str, Totals]
    """Only messages whose model is known, most expensive first."""
    days: dict[str, Totals]
    """By local date, oldest first."""


def summarise(
    store: Store, by: Filter = Filter.ALL, limit: int | None = None
) -> list[ConversationSummary]:
    """Return the last `limit` conversations, the most recently active one last."""
    outline = store.outline()
    forest = Forest(outline, shown(outline, by))
    roots = [row for row, flags in enumerate(forest.flags) if flags & ROOT]
    roots = roots if limit is None else roots[max(0, len(roots) - limit) :]
    conversations = [
        forest.positions[root : root + forest.sizes[root]] for root in roots
    ]
    ends = [
        outline.ids[position]
        for positions in conversations
        for position in (positions[0], max(positions))
    ]
    previews = {preview.id: preview for preview in store.previews(ends)}
    replies = {reply.id: reply for reply in store.reply_totals()}
    return [
        _summary(
            previews[outline.ids[positions[0]]],
            previews[outline.ids[max(positions)]],
            positions,
            [
                replies[outline.ids[position]]
                for position in positions
                if outline.ids[position] in replies
            ],
            _first_label(outline, positions),
        )
        for positions in conversations
        # Another program may have deleted them since the outline was read.
        if outline.ids[positions[0]] in previews
        and outline.ids[max(positions)] in previews
    ]


def _summary(
    first: Preview,
    last: Preview,
    positions: Sequence[int],
    replies: list[ReplyTotals],
    label: str | None,
) -> ConversationSummary:
    models = Counter(reply.model for reply in replies if reply.model is not None)
    return ConversationSummary(
        id=first.id,
        title=label or first.text,
        is_labelled=label is not None,
        model=models.most_common(1)[0][0] if models else None,
        messages=len(positions),
        input_tokens=sum(reply.input_tokens for reply in replies),
        output_tokens=sum(reply.output_tokens for reply in replies),
        cost=sum(reply.cost for reply in replies),
        last_activity=last.created_at,
    )


def _first_label(outline: Outline, positions: Sequence[int]) -> str | None:
    titles = (outline.titles.get(position) for position in positions)
    return next((title for title in titles if title and not is_subagent(title)), None)


def total_of(messages: Iterable[ChatMessage]) -> Totals:
    """Return what these messages add up to."""
    known = [message.facts for message in messages if message.facts is not None]
    return Totals(
        messages=len(known),
        input_tokens=sum(facts.input_tokens or 0 for facts in known),
        output_tokens=sum(facts.output_tokens or 0 for facts in known),
        cached_tokens=sum(facts.cached_tokens or 0 for facts in known),
        cost=sum(facts.cost or 0.0 for facts in known),
    )


def thread_totals(store: Store, message_id: MessageId) -> Totals:
    """Return what the messages from the root down to this one add up to."""
    return add_up(store.thread_usage(message_id)).total


def subtree_totals(store: Store, message_id: MessageId) -> Totals:
    """Return what a message and everything below it add up to."""
    return add_up(store.subtree_usage(message_id)).total


def add_up(usage: Iterable[Usage]) -> Statistics:
    """Return the totals of all that was used and of each model and day."""
    models: dict[str, list[Usage]] = defaultdict(list)
    days: dict[str, list[Usage]] = defaultdict(list)
    everything = list(usage)
    for entry in everything:
        days[entry.day].append(entry)
        if entry.model is not None:
            models[entry.model].append(entry)
    totals = {model: _total(entries) for model, entries in models.items()}
    return Statistics(
        total=_total(everything),
        models=dict(sorted(totals.items(), key=lambda item: (-item[1].cost, item[0]))),
        days={day: _total(entries) for day, entries in sorted(days.items())},
    )


def _total(entries: list[Usage]) -> Totals:
    return Totals(
        messages=sum(entry.messages for entry in entries),
        input_tokens=sum(entry.input_tokens for entry in entries),
        output_tokens=sum(entry.output_tokens for entry in entries),
        cached_tokens=sum(entry.cached_tokens for entry in entries),
        cost=sum(entry.cost for entry in entries),
    )
