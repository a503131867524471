"""A believable project: a few conversations about one small program."""

from __future__ import annotations

from datetime import datetime, timedelta

from convotui.storage import Block, Draft, MessageId, ReplyFacts, Role, Store

SONNET, HAIKU, GPT = "anthropic/claude-sonnet-4", "anthropic/claude-haiku-4", "gpt-5"

_SCHEMA = """\
Keep one row a message, with the id of its parent:

```sql
CREATE TABLE messages (
    id        TEXT PRIMARY KEY,
    parent_id TEXT REFERENCES messages (id)
);
```

A fork is then two rows with the same parent, and **nothing is copied**.

| way | a fork costs | a delete costs |
|---|---|---|
| parent column | one row | one recursive query |
| JSON per thread | the whole thread | a rewrite |
"""

_DELETE = """\
Collect the ids with one recursive query, then delete them in one transaction:

```sql
WITH RECURSIVE down(id) AS (
    SELECT :top
    UNION
    SELECT m.id FROM messages AS m JOIN down ON m.parent_id = down.id
)
DELETE FROM messages WHERE id IN down;
```

- `UNION` on the id alone ends on a cycle, too
- see [the manual](https://sqlite.org/lang_with.html) for the rest
"""


class Sample:
    """Fills a store with messages that follow one another in time."""

    def __init__(self, store: Store, now: datetime) -> None:
        self._store = store
        self._now = now
        self._time = now

    def say(
        self,
        message_id: str,
        role: Role,
        text: str | list[Block],
        parent: str | None = None,
        *,
        title: str | None = None,
        facts: ReplyFacts | None = None,
        error: bool = False,
    ) -> None:
        """Save one message, some minutes after the one before."""
        self._time += timedelta(minutes=4)
        self._store.save(
            [
                Draft(
                    role,
                    [Block(text)] if isinstance(text, str) else text,
                    parent=MessageId(parent) if parent else None,
                    id=MessageId(message_id),
                    title=title,
                    facts=facts,
                    tool_result_error=error,
                    created_at=self._time,
                )
            ]
        )

    def at(self, days_ago: float) -> None:
        """Go on at another day."""
        self._time = self._now - timedelta(days=days_ago)


def facts(model: str, sent: int, received: int, cost: float) -> ReplyFacts:
    """What is known of a reply."""
    return ReplyFacts(model=model, input_tokens=sent, output_tokens=received, cost=cost)


def fill(store: Store, now: datetime) -> None:
    """Save the sample conversations, the newest a few minutes before `now`."""
    sample = Sample(store, now)
    say = sample.say
    sample.at(41)
    say("hK2vQ8", "user", "How should we store conversations so that branches survive?")
    say("Zr71Lm", "assistant", _SCHEMA, "hK2vQ8", facts=facts(SONNET, 412, 338, 0.0063))
    say("w9TbXe", "user", "Would a closure table be faster?", "Zr71Lm")
    say(
        "4nPsUy",
        "assistant",
        "For reads of whole subtrees, a little. It costs a row per ancestor on every "
        "save, though: a thread of 2,000 messages is two million rows.",
        "w9TbXe",
        title="closure table: no",
        facts=facts(GPT, 901, 214, 0.0171),
    )
    say("Bq6dFo", "user", "And how do we delete a whole branch safely?", "Zr71Lm")
    say(
        "e3YwCk",
        "assistant",
        [
            Block("They have a schema file; read it first.", type="thinking"),
            Block("Let me look at the schema."),
            Block(
                '{"name":"read_file","parameters":{"path":"schema.sql"}}',
                type="tool_call",
                id="call_1",
                mime_type="application/json",
            ),
        ],
        "Bq6dFo",
        facts=facts(SONNET, 1204, 96, 0.0051),
    )
    say(
        "Gx0mRt",
        "tool_result",
        [Block("CREATE TABLE messages (\n  id TEXT PRIMARY KEY\n);", id="call_1")],
        "e3YwCk",
    )
    say(
        "pL5aHs",
        "assistant",
        _DELETE,
        "Gx0mRt",
        title="the delete",
        facts=facts(SONNET, 1498, 402, 0.0105),
    )
    sample.at(19)
    trace = "subagent:code-review:a1B2c3D4"
    say("Vd8iNj", "user", "Review the storage package for races.", title=trace)
    say(
        "6cOuEz",
        "assistant",
        "No races found. One suggestion: read `foreign_keys` back after setting it.",
        "Vd8iNj",
        title=trace,
        facts=facts(HAIKU, 5200, 310, 0.0021),
    )
    sample.at(0.2)
    say("Tm4yWb", "user", "Write a haiku about write-ahead logs")
    say(
        "9kQxSd",
        "assistant",
        "Pages wait in line…\nthe checkpoint comes at night:\nnothing was forgotten.",
        "Tm4yWb",
        facts=facts(HAIKU, 61, 28, 0.0002),
    )
    say(
        "aJ7gZn",
        "assistant",
        "Frames upon frames rest",
        "Tm4yWb",
        facts=ReplyFacts(model=GPT, input_tokens=61, state="interrupted"),
    )
    say(
        "L1fPvR",
        "assistant",
        "A log before all —\nthe page trusts what was written.\nSleep, little fsync.",
        "Tm4yWb",
        title="keeper",
        facts=facts(SONNET, 61, 31, 0.0006),
    )
    say("uE5oKc", "user", "Lovely. Now one in Japanese, please 🌸", "L1fPvR")
    say(
        "X2hBti",
        "assistant",
        "書く前に\nまず記す紙\n春の雪",
        "uE5oKc",
        facts=facts(SONNET, 118, 24, 0.0007),
    )
