"""The tables that llm had before 0.32: one row for a prompt and the response to it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

from convotui.importers.databases import Database, Row
from convotui.importers.llm_parts import FACTS, Files, facts_of
from convotui.importers.records import Conversation
from convotui.importers.shaping import (
    call_block,
    compact,
    json_of,
    known,
    text_block,
    text_of,
    time_of,
)
from convotui.importers.sources import Source
from convotui.importers.trees import Result, Tree
from convotui.storage.arrivals import Arrival
from convotui.storage.records import Block

_COLUMNS = (
    "conversation_id",
    "id",
    "prompt",
    "system",
    "response",
    "reasoning",
    "options_json",
    "schema_id",
    "datetime_utc",
    *FACTS,
)
_SIDE_TABLES = {
    "prompt_fragments": "response_id",
    "system_fragments": "response_id",
    "prompt_attachments": "response_id",
    "tool_calls": "response_id",
    "tool_results": "response_id",
    "tool_results_attachments": "tool_result_id",
}


def read_responses(
    database: Database, files: Files, source: Source, continued: Collection[str]
) -> Iterator[Conversation]:
    """Yield the conversations of the older tables that do not go on in newer ones.

    A newer llm copies a conversation that is continued, with all that came before.
    """
    for table, column in _SIDE_TABLES.items():
        if column in database.tables.get(table, ()):
            name = f"convotui_{table}"
            database.run(f"CREATE INDEX IF NOT EXISTS {name} ON {table} ({column})")
    titles: dict[Any, Any] = {}
    if "conversations" in database.tables:
        titles = dict(database.select("conversations", ("id", "name")))
    rows = database.select(
        "responses", _COLUMNS, order="conversation_id, id", at=source.at
    )
    reader = _Reader(database, files)
    for conversation, responses in groupby(rows, itemgetter(0)):
        if conversation in continued:
            continue
        if conversation is None:
            for response in responses:
                tree = reader.tree([response], None)
                yield Conversation(str(response[1]), tree.arrivals(source.modified))
        else:
            tree = reader.tree(responses, text_of(titles.get(conversation)))
            yield Conversation(str(conversation), tree.arrivals(source.modified))


class _Reader:
    """Reads responses with what other tables have of them."""

    def __init__(self, database: Database, files: Files) -> None:
        self._database = database
        self._files = files

    def tree(self, responses: Iterator[Row] | list[Row], title: str | None) -> Tree:
        """Return a conversation: what was asked, what tools gave, what was replied."""
        tree = Tree()
        parent: str | None = None
        for response in responses:
            _, row_id, prompt, system, text, reasoning, *rest = response
            options, schema, time, *facts = rest
            key = str(row_id)
            asked = list(self._asked(row_id, text_of(prompt)))
            if asked:
                told = self._joined("system_fragments", row_id, text_of(system))
                question = Arrival(
                    key=f"{key}-prompt",
                    role="user",
                    blocks=(),
                    parent=parent,
                    created_at=time_of(time),
                    title=title,
                    meta=known(system=told),
                )
                tree.add(question, asked)
                parent, title = question.key, None
            reply = Arrival(
                key=key,
                role="assistant",
                blocks=(),
                parent=parent,
                created_at=time_of(time),
                title=title,
                facts=facts_of(facts),
                meta=known(options=json_of(options) or None, schema=text_of(schema)),
            )
            tree.add(reply, self._replied(row_id, text_of(text), text_of(reasoning)))
            parent, title = key, None
        return tree

    def _asked(self, row_id: Any, prompt: str | None) -> Iterator[Block | Result]:
        for number, name, output, call, exception in self._rows(
            "tool_results", row_id, "id", "name", "output", "tool_call_id", "exception"
        ):
            text = output if isinstance(output, str) else compact(output)
            blocks = [text_block(text, exception=text_of(exception))]
            for (file,) in self._rows(
                "tool_results_attachments",
                number,
                "attachment_id",
                key="tool_result_id",
            ):
                blocks += self._files.blocks(file)
            named = text_of(call) or text_of(name)
            yield Result(named, blocks, exception is not None)
        if (asked := self._joined("prompt_fragments", row_id, prompt)) is not None:
            yield text_block(asked)
        for (file,) in self._rows("prompt_attachments", row_id, "attachment_id"):
            yield from self._files.blocks(file)

    def _replied(
        self, row_id: Any, text: str | None, reasoning: str | None
    ) -> Iterator[Block]:
        if reasoning is not None:
            yield text_block(reasoning, kind="thinking")
        if text is not None:
            yield text_block(text)
        for name, arguments, call in self._rows(
            "tool_calls", row_id, "name", "arguments", "tool_call_id"
        ):
            parsed = json_of(arguments)
            given = arguments if parsed is None else parsed
            yield call_block(text_of(call) or text_of(name), name, given)

    def _joined(self, table: str, row_id: Any, text: str | None) -> str | None:
        fragments = self._rows(table, row_id, "fragment_id")
        texts = [self._files.fragment(fragment) for (fragment,) in fragments]
        return "\n".join(filter(None, [*texts, text])) or None

    def _rows(
        self, table: str, row_id: Any, *columns: str, key: str = "response_id"
    ) -> Iterator[Row]:
        found = self._database.tables.get(table, frozenset())
        if key not in found:
            return iter(())
        order = '"order", rowid' if "order" in found else "rowid"
        return self._database.select(
            table, columns, where=f"{key} = ?", parameters=(row_id,), order=order
        )
