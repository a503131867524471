"""Stores of a given size, with forks, as a user would have them."""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from pathlib import Path

from convotui.storage import Block, Draft, Store

START = datetime(2026, 1, 1)
WORDS = [
    "tree",
    "branch",
    "fork",
    "store",
    "lane",
    "query",
    "index",
    "thread",
    "reply",
    "label",
]


def drafts(count: int) -> list[Draft]:
    """Return messages that go on from the one before, but for some forks and roots."""
    chance = random.Random(count)
    made: list[Draft] = []
    for number in range(count):
        parent: int | None = number - 1
        if number == 0 or chance.random() < 0.02:
            parent = None
        elif chance.random() < 0.05:
            parent = chance.randrange(max(0, number - 50), number)
        text = " ".join(chance.choices(WORDS, k=40))
        made.append(
            Draft(
                "user" if number % 2 == 0 else "assistant",
                [Block(f"message {number} {text}")],
                parent=parent,
                created_at=START + timedelta(seconds=number),
            )
        )
    return made


def make(path: Path, count: int) -> Path:
    """Make a store of so many messages."""
    with Store(path) as store:
        store.save(drafts(count))
    return path
