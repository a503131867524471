"""Stores to try the command line on."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from convotui.storage import Draft, MessageId, ReplyFacts, Role, Store
from tests.storage.helpers import draft

FIXTURES = Path(__file__).parent.parent / "fixtures"

FORKED = """\
◆ aB3xK9 (2026-02-14 10:30) [USER] Hello, can you help me?
● dE4fG5 (2026-02-14 10:31) [ASSISTANT] Of course! What do you need?
├─● hI7jK8 (2026-02-14 10:32) [USER] I need help with Go  [go]
│ ● lM0nO1 (2026-02-14 10:33) [ASSISTANT] Sure, what's your question?
● pQ2rS3 (2026-02-14 10:35) [USER] Actually, Python instead
● fG0hI1 (2026-02-14 10:36) [ASSISTANT] No problem! What about Python…
"""
"""What a listing of `make_forked` looks like."""


def said(
    message_id: str,
    text: str,
    parent: str | None = None,
    *,
    at: str = "2026-02-14 10:30",
    role: Role = "user",
    title: str | None = None,
    facts: ReplyFacts | None = None,
) -> Draft:
    """One message with an id and a time of its own."""
    return draft(
        text,
        None if parent is None else MessageId(parent),
        role=role,
        title=title,
        facts=facts,
        at=datetime.fromisoformat(at),
        id=message_id,
    )


def make(path: Path, *drafts: Draft) -> Path:
    """Make a store that holds some messages."""
    with Store(path) as store:
        store.save(drafts)
    return path


def make_forked(path: Path) -> Path:
    """Make a store with the conversation that the README draws."""
    alpha = ReplyFacts("alpha", input_tokens=100, output_tokens=20, cost=0.25)
    beta = ReplyFacts("beta", input_tokens=200, output_tokens=30, cost=0.5)
    again = ReplyFacts("alpha", input_tokens=300, output_tokens=40, cost=0.125)
    reply: Role = "assistant"
    day = "2026-02-14"
    return make(
        path,
        said("aB3xK9", "Hello, can you help me?"),
        said(
            "dE4fG5",
            "Of course! What do you need?",
            "aB3xK9",
            at=f"{day} 10:31",
            role=reply,
            facts=alpha,
        ),
        said("hI7jK8", "I need help with Go", "dE4fG5", at=f"{day} 10:32", title="go"),
        said(
            "lM0nO1",
            "Sure, what's your question?",
            "hI7jK8",
            at=f"{day} 10:33",
            role=reply,
            facts=beta,
        ),
        said("pQ2rS3", "Actually, Python instead", "dE4fG5", at=f"{day} 10:35"),
        said(
            "fG0hI1",
            "No problem! What about Python…",
            "pQ2rS3",
            at=f"{day} 10:36",
            role=reply,
            facts=again,
        ),
    )
