"""Stores of a given size, with forks, as a user would have them, made once and kept.

The newest thousand messages are the same in a store of every size, so that what is
done to them can be compared from size to size.
"""

from __future__ import annotations

import random
import shutil
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path

import apsw

from benchmarks.texts import Writer
from convotui.storage import Block, Draft, MessageId, ReplyFacts, Role, Store
from convotui.storage.migrations import CURRENT_VERSION

RECENT = 1_000
"""How many messages are the same in every store."""
START = datetime(2021, 1, 1)
_CHUNK = 20_000
_FORKED = 0.06
_REACH = 40
"""How far back a fork begins."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A message of a store, its parent named by its number."""

    number: int
    parent: int | None
    role: Role
    text: str


def planned(count: int) -> Iterator[Planned]:
    """Yield the messages of a store: the newest thousand, and a past before them."""
    past = count - min(count, RECENT)
    yield from _conversations(0, past, random.Random(1))
    yield from _conversations(past, count, random.Random(2))


def _conversations(first: int, end: int, chance: random.Random) -> Iterator[Planned]:
    """Yield conversations, most of them short and a few with thousands of messages."""
    writer = Writer(chance)
    roles: dict[int, Role] = {}
    while first < end:
        length = min(int(chance.lognormvariate(2.5, 1.2)) + 1, 5_000, end - first)
        for number in range(first, first + length):
            parent = None if number == first else number - 1
            if parent is not None and chance.random() < _FORKED:
                parent = chance.randrange(max(first, number - _REACH), number)
            is_reply = parent is not None and roles[parent] == "user"
            role: Role = "assistant" if is_reply else "user"
            roles[number] = role
            yield Planned(number, parent, role, writer.message(number, role))
        first += length
        roles.clear()


def chained(count: int) -> Iterator[Planned]:
    """Yield one conversation without a fork."""
    for number in range(count):
        role: Role = "assistant" if number % 2 else "user"
        yield Planned(number, number - 1 if number else None, role, f"step {number}")


class Stores:
    """A directory of stores. Nobody writes to them: what is to change is copied."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        directory.mkdir(parents=True, exist_ok=True)

    def of(self, count: int) -> Path:
        """Return a store of so many messages, all of them in the search index."""
        return self.made(f"{count}", lambda path: save(path, planned(count)))

    def chain(self, count: int) -> Path:
        """Return a store with one thread of so many messages."""
        return self.made(f"chain-{count}", lambda path: save(path, chained(count)))

    def unindexed(self, count: int) -> Path:
        """Return a store as another program fills it, which knows no search index."""
        source = self.of(count)
        return self.made(f"unindexed-{count}", lambda path: _fill(path, source))

    def made(self, name: str, make: Callable[[Path], object]) -> Path:
        """Return what has this name, made by a function that is handed its path."""
        # What is made differently must not be taken for what was made before.
        sources = (Path(__file__), Path(__file__).with_name("texts.py"))
        made_by = zlib.crc32(b"".join(path.read_bytes() for path in sources))
        kept = self._directory / f"{name}-{CURRENT_VERSION}-{made_by:08x}.cpeconvo"
        if not kept.exists():
            unfinished = kept.with_name(f"unfinished-{kept.name}")
            for pattern in (f"{unfinished.name}*", f"{name}-*-*.cpeconvo"):
                for leftover in self._directory.glob(pattern):
                    _remove(leftover)
            make(unfinished)
            unfinished.rename(kept)
        return kept


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()


def save(path: Path, messages: Iterable[Planned]) -> list[MessageId]:
    """Save messages into a new store, some thousands at a time, a minute apart."""
    ids: list[MessageId] = []
    waiting = iter(messages)
    with Store(path) as store:
        while chunk := list(islice(waiting, _CHUNK)):
            first = len(ids)
            ids += store.save([_draft(message, first, ids) for message in chunk])
    return ids


def _draft(message: Planned, first: int, ids: list[MessageId]) -> Draft:
    parent: MessageId | int | None = message.parent
    if message.parent is not None:
        near = message.parent - first
        parent = near if near >= 0 else ids[message.parent]
    size = len(message.text)
    return Draft(
        message.role,
        [Block(message.text)],
        parent=parent,
        title=f"label {message.number}" if message.number % 300 == 7 else None,
        facts=ReplyFacts(
            model="provider/some-model",
            input_tokens=4 * size,
            output_tokens=size // 4,
            cost=size / 1e6,
        )
        if message.role == "assistant"
        else None,
        created_at=START + timedelta(minutes=message.number),
    )


def _fill(path: Path, source: Path) -> None:
    with Store(path) as store:
        store.save([Draft("user", [Block("first")], created_at=START)])
    connection = apsw.Connection(str(path))
    connection.execute("ATTACH ? AS source", (str(source),))
    connection.execute("BEGIN")
    for table in ("messages", "blocks"):
        connection.execute(f"INSERT INTO {table} SELECT * FROM source.{table}")
    connection.execute("COMMIT")
    connection.close()
