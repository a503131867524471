"""The tables that llm had before 0.32: one row for a prompt and the response to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
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
    "responses": "conversation_id",
    "prompt_fragments": "response_id",
    "system_fragments": "response_id",
    "prompt_attachments": "response_id",
    "tool_calls": "response_id",
    "tool_results": "response_id",
    "tool_results_attachments": "tool_result_id",
}


def going_on(before: list[Arrival], copied: list[Arrival]) -> list[Arrival]:
    """Return a conversation with what a newer llm said below its own copy of it.

    The copy has less in it: no files, no times, and not whether a tool failed.
    """
    places: dict[str, int] = {}
    arrivals = list(before)
    for message in copied:
        place = 0 if message.parent is None else places.get(message.parent, -2) + 1
        if 0 <= place < len(before) and _is_copy(message, before[place]):
            places[message.key] = place
            continue
        parent = message.parent
        if parent in places:
            parent = before[places[parent]].key
        arrivals.append(replace(message, parent=parent))
    return arrivals


def _is_copy(message: Arrival, original: Arrival) -> bool:
    texts = ("\n\n".join(_texts(one)) for one in (original, message))
    return message.role == original.role and next(texts).startswith(next(texts))


def _texts(message: Arrival) -> Iterator[str]:
    for block in message.blocks:
        if block.type == "content" and block.is_text:
            yield block.content


class Responses:
    """The conversations of the older tables, with what other tables have of them."""

    def __init__(self, database: Database, files: Files, source: Source) -> None:
        self._database = database
        self._files = files
        self._source = source
        self._titles: dict[Any, Any] = {}
        self.left: set[str] = set()
        """The conversations that have not been taken."""
        if "conversation_id" in database.tables.get("responses", ()):
            self._prepare()

    def _prepare(self) -> None:
        for table, column in _SIDE_TABLES.items():
            if column in self._database.tables.get(table, ()):
                name = f"convotui_{table}"
                sql = f"CREATE INDEX IF NOT EXISTS {name} ON {table} ({column})"
                self._database.run(sql)
        if "conversations" in self._database.tables:
            self._titles = dict(self._database.select("conversations", ("id", "name")))
        ids = self._database.select("responses", ("conversation_id",))
        self.left = {text for (text,) in ids if isinstance(text, str)}

    def take(self, conversation: str) -> list[Arrival]:
        """Return the messages of a conversation, which is then not left any more."""
        self.left.discard(conversation)
        rows = self._responses(where="conversation_id = ?", parameters=(conversation,))
        return self._conversation(conversation, rows)

    def rest(self) -> Iterator[Conversation]:
        """Yield the conversations that are left."""
        if "responses" not in self._database.tables:
            return
        rows = self._responses(at=self._source.at)
        for conversation, responses in groupby(rows, itemgetter(0)):
            if conversation in self.left:
                arrivals = self._conversation(conversation, responses)
                yield Conversation(conversation, arrivals)
            elif not isinstance(conversation, str):
                for response in responses:
                    arrivals = self._conversation(None, [response])
                    yield Conversation(str(response[1]), arrivals)

    def _responses(self, **options: Any) -> Iterator[Row]:
        order = "conversation_id, id"
        return self._database.select("responses", _COLUMNS, order=order, **options)

    def _conversation(
        self, conversation: str | None, rows: Iterable[Row]
    ) -> list[Arrival]:
        title = text_of(self._titles.get(conversation))
        return self._tree(rows, title).arrivals(self._source.modified)

    def _tree(self, responses: Iterable[Row], title: str | None) -> Tree:
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
