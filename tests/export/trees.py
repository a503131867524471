"""Any trees and threads, and what becomes of them on the way out and in again."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from hypothesis import strategies as st

from convotui.conversations.exporting import Export, ExportKind
from convotui.conversations.importing import Importer, ImportReport
from convotui.storage import Block, ChatMessage, Draft, MessageId, ReplyFacts, Store

from .samples import PNG

Messages = dict[MessageId, ChatMessage]

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
NAME = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
TIMES = st.just(datetime(2026, 1, 1)) | st.datetimes(
    datetime(2000, 1, 1), datetime(2030, 1, 1)
)
"""Many at the same time, as in files that know only seconds."""
COUNT = st.none() | st.integers(0, 2**60)
AMOUNT = st.none() | st.floats(0, 1e9)

blocks = st.builds(
    Block,
    TEXT,
    type=st.sampled_from(["content", "thinking", "tool_call", "hidden"]) | TEXT,
    modality=st.integers(0, 9),
    mime_type=TEXT,
    id=st.none() | TEXT,
    extra_fields=st.none() | TEXT,
)
facts = st.builds(
    ReplyFacts,
    st.none() | TEXT,
    COUNT,
    COUNT,
    COUNT,
    COUNT,
    AMOUNT,
    AMOUNT,
    AMOUNT,
    st.none() | TEXT,
    st.sampled_from(["complete", "interrupted", "failed"]),
    st.none() | TEXT,
)


@st.composite
def trees(draw: st.DrawFn, min_size: int = 1) -> list[Draft]:
    """Messages with ids, parents before their replies, in one tree or in several."""
    ids = draw(
        st.lists(
            st.from_regex(r"[A-Za-z0-9_-]{1,6}", fullmatch=True),
            min_size=min_size,
            max_size=8,
            unique=True,
        )
    )
    drafts: list[Draft] = []
    for number, name in enumerate(ids):
        parent = draw(st.none() | st.integers(0, number - 1)) if number else None
        drafts.append(
            Draft(
                draw(st.sampled_from(["user", "assistant", "tool_result"])),
                draw(st.lists(blocks, max_size=3)),
                None if parent is None else MessageId(ids[parent]),
                title=draw(st.none() | TEXT),
                tool_result_error=draw(st.booleans()),
                facts=draw(st.none() | facts),
                created_at=draw(TIMES),
                id=MessageId(name),
            )
        )
    return drafts


def call(call_id: str | None, name: str = "look", parameters: object = None) -> Block:
    content = json.dumps({"name": name, "parameters": parameters})
    return Block(content, "tool_call", mime_type="application/json", id=call_id)


def image(content: str = PNG, mime_type: str = "image/png") -> Block:
    return Block(content, modality=1, mime_type=mime_type)


PARAMETERS = st.dictionaries(NAME, st.none() | st.integers() | TEXT, max_size=2)
SAID = st.lists(TEXT.map(Block), min_size=1, max_size=2)
CALLS = st.lists(st.tuples(NAME, PARAMETERS), max_size=2)


@st.composite
def threads(draw: st.DrawFn) -> list[Draft]:
    """A thread in which each call is answered right after, or never at the end."""
    drafts: list[Draft] = []

    def add(role: str, *said: Block, error: bool = False) -> None:
        drafts.append(
            Draft(
                role,  # type: ignore[arg-type]
                said,
                len(drafts) - 1 if drafts else None,
                tool_result_error=error,
                created_at=datetime(2026, 1, 1, 12, 0, len(drafts)),
            )
        )

    for turn in range(draw(st.integers(1, 5))):
        if draw(st.booleans()):
            pictures = [image()] * draw(st.integers(0, 1))
            add("user", *draw(SAID), *pictures)
            continue
        made = draw(CALLS)
        ids = [f"call_{turn}_{number}" for number in range(len(made))]
        calls = [call(i, *one) for i, one in zip(ids, made, strict=True)]
        thought = [Block("hm", "thinking")] * draw(st.integers(0, 1))
        add("assistant", *thought, *draw(SAID), *calls)
        for call_id in ids:
            words = Block(draw(TEXT), id=call_id)
            add("tool_result", words, error=draw(st.booleans()))
    return drafts


@contextmanager
def scratch() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def exported(
    store: Store,
    kind: ExportKind,
    message_id: MessageId | None = None,
    *,
    whole_subtree: bool = False,
) -> str:
    export = Export(store, kind, "", message_id, whole_subtree)
    return "".join(export.pieces())


def brought_in(path: Path, text: str) -> tuple[Messages, ImportReport]:
    """Import a text into a store of its own; what is in it then, by id."""
    path.with_suffix(".export").write_text(text, newline="")
    with Store(path) as store:
        report = Importer(store).run([path.with_suffix(".export")])
        assert report.problems == ()
        return by_id(store), report


def by_id(store: Store) -> Messages:
    return {message.id: message for message in store.list_messages()}


def thread_of(path: Path) -> list[ChatMessage]:
    """The only thread of a store."""
    with Store(path) as store:
        messages = store.list_messages()
        parents = {message.parent_id for message in messages}
        [last] = [message.id for message in messages if message.id not in parents]
        return store.thread(last)


def round_trip(drafts: Sequence[Draft], kind: ExportKind) -> list[ChatMessage]:
    """A thread, exported and imported into another store."""
    with scratch() as directory:
        with Store(directory / "ours") as store:
            text = exported(store, kind, store.save(drafts)[-1])
        brought_in(directory / "theirs", text)
        return thread_of(directory / "theirs")
