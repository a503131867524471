"""The conversations of the sample, and the words in them."""

from __future__ import annotations

from base64 import b64encode
from datetime import datetime
from pathlib import Path

from convotui.demo.writing import Writer, facts, thinking, tool_call
from convotui.storage import Block, Modality, ReplyFacts, Store

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

_TWO_AT_ONCE = """\
Then one of them waits. Begin with `BEGIN IMMEDIATE`, so that the lock comes *before* \
the ids are collected, and set `busy_timeout` to a few seconds.

1. The first takes the lock, collects, deletes, commits.
2. The second finds what is left, and deletes nothing twice.
"""

_LANES = """\
Read from the top, your sketch has **three lanes**:

- blue is the trunk, from the first message to the last;
- orange forks off its second message, and has two of its own;
- green forks off orange, and ends at once.

So only a *fork* opens a lane. A chain never does, however long it grows.
"""

_FIXED = """\
The test was right. A trunk that is drawn last must close its lane *after* the forks:

```diff
-    rows.append(trunk)
-    rows.extend(forks)
+    rows.extend(forks)
+    rows.append(trunk)
```

`12 passed`. The picture is the one of your sketch now.
"""


def fill(store: Store, now: datetime) -> None:
    """Save the sample conversations, the newest some hours before `now`."""
    writer = Writer(now)
    _storing(writer)
    _reviewing(writer)
    _drawing(writer)
    _playing(writer)
    store.save(writer.drafts)


def _storing(writer: Writer) -> None:
    writer.at(41)
    question = "How should we store conversations so that branches survive?"
    writer.ask("hK2vQ8", question)
    writer.answer("Zr71Lm", _SCHEMA, "hK2vQ8", facts(SONNET, 412, 338, 0.0063))
    _deleting(writer)
    writer.ask("w9TbXe", "Would a closure table be faster?", "Zr71Lm")
    writer.answer(
        "4nPsUy",
        "For reads of whole subtrees, a little. It costs a row per ancestor on every "
        "save, though: a thread of 2,000 messages is two million rows.",
        "w9TbXe",
        facts(GPT, 901, 214, 0.0171),
        title="closure table: no",
    )


def _deleting(writer: Writer) -> None:
    """Go down one branch, and fork twice more below it."""
    writer.ask("Bq6dFo", "And how do we delete a whole branch safely?", "Zr71Lm")
    writer.answer(
        "e3YwCk",
        [
            thinking("They have a schema file; read it first."),
            Block("Let me look at the schema."),
            tool_call(
                "call_1", '{"name":"read_file","parameters":{"path":"schema.sql"}}'
            ),
        ],
        "Bq6dFo",
        facts(SONNET, 1204, 96, 0.0051),
    )
    schema = "CREATE TABLE messages (\n  id TEXT PRIMARY KEY\n);"
    writer.result("Gx0mRt", "call_1", schema, "e3YwCk")
    writer.answer(
        "pL5aHs",
        _DELETE,
        "Gx0mRt",
        facts(SONNET, 1498, 402, 0.0105),
        title="the delete",
    )
    writer.ask("jW5nQe", "What if two processes delete at once?", "pL5aHs")
    writer.answer("D7sXpL", _TWO_AT_ONCE, "jW5nQe", facts(SONNET, 1933, 188, 0.0086))
    writer.ask("yH9bMf", "And on a network drive?", "D7sXpL")
    drive = (
        "Locks often fail there. Keep the file local, and copy it when it is closed."
    )
    writer.answer("2vJrOk", drive, "yH9bMf", facts(GPT, 2140, 61, 0.0058))
    writer.answer(
        "oN6eAi",
        "No write-ahead log then: its index is shared memory, which ends at the "
        "machine. A rollback journal still works, more slowly.",
        "yH9bMf",
        facts(SONNET, 2140, 74, 0.0075),
        title="network drives",
    )
    writer.ask("Kc3zVu", "Does it work a million levels down?", "pL5aHs")
    deep = "Yes. The query keeps a queue of ids and no stack, so depth costs nothing."
    writer.answer("R8tGya", deep, "Kc3zVu", facts(HAIKU, 1911, 40, 0.0007))


def _reviewing(writer: Writer) -> None:
    """Leave the trace of a subagent."""
    writer.at(19)
    trace = "subagent:code-review:a1B2c3D4"
    writer.ask("Vd8iNj", "Review the storage package for races.", title=trace)
    writer.answer(
        "6cOuEz",
        "No races found. One suggestion: read `foreign_keys` back after setting it.",
        "Vd8iNj",
        facts(HAIKU, 5200, 310, 0.0021),
        title=trace,
    )


def _drawing(writer: Writer) -> None:
    writer.at(6)
    sketch = (Path(__file__).parent / "sketch.png").read_bytes()
    image = Block(
        b64encode(sketch).decode(), modality=Modality.IMAGE, mime_type="image/png"
    )
    words = Block("This is how I would draw the tree. What does it say?")
    writer.ask("Fs0wTq", [words, image])
    writer.answer("8mYkEb", _LANES, "Fs0wTq", facts(SONNET, 1320, 122, 0.0058))
    writer.ask("qA4uRz", "Right. Our own drawing is off by one, though.", "8mYkEb")
    writer.answer(
        "5xGdLh",
        [
            thinking("Run what there is before changing anything."),
            Block("Let me run its tests."),
            tool_call("call_2", '{"name":"run_tests","parameters":{"path":"tree"}}'),
        ],
        "qA4uRz",
        facts(SONNET, 1466, 58, 0.0053),
    )
    failure = "FAILED test_the_trunk_comes_last\n1 failed, 11 passed"
    writer.result("Ci7pVn", "call_2", failure, "5xGdLh", failed=True)
    writer.answer("t2KjWs", _FIXED, "Ci7pVn", facts(SONNET, 1583, 140, 0.0068))


def _playing(writer: Writer) -> None:
    """Ask several models the same; one was cut off."""
    writer.at(0.2)
    writer.ask("Tm4yWb", "Write a haiku about write-ahead logs")
    writer.answer(
        "9kQxSd",
        "Pages wait in line…\nthe checkpoint comes at night:\nnothing was forgotten.",
        "Tm4yWb",
        facts(HAIKU, 61, 28, 0.0002),
    )
    writer.answer(
        "aJ7gZn",
        "Frames upon frames rest",
        "Tm4yWb",
        ReplyFacts(model=GPT, input_tokens=61, state="interrupted"),
    )
    writer.answer(
        "L1fPvR",
        "A log before all —\nthe page trusts what was written.\nSleep, little fsync.",
        "Tm4yWb",
        facts(SONNET, 61, 31, 0.0006),
        title="keeper",
    )
    writer.ask("uE5oKc", "Lovely. Now one in Japanese, please 🌸", "L1fPvR")
    japanese = "書く前に\nまず記す紙\n春の雪"
    writer.answer("X2hBti", japanese, "uE5oKc", facts(SONNET, 118, 24, 0.0007))
