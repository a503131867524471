"""One session of Codex, put together from its lines.

What is said is told twice, as items and as events; the items are taken. What a reply
consists of is one message: thinking, words and calls up to the next result or prompt.
Turns that were taken back stay, as a branch.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from convotui.importers.codex_items import OUTPUTS, Said, said
from convotui.importers.shaping import (
    count_of,
    dict_of,
    list_of,
    parents_first,
    text_block,
    text_of,
    time_of,
)
from convotui.importers.shelf import Shelf, blocks_of, flat
from convotui.importers.threads import Path
from convotui.storage.arrivals import Arrival, Origin
from convotui.storage.records import SUBAGENT_PREFIX, Block, ReplyFacts, ReplyState

SOURCE = "codex"

Fields = dict[str, Any]

_ITEMS = (
    "message",
    "reasoning",
    "function_call",
    "custom_tool_call",
    "local_shell_call",
    "web_search_call",
    *OUTPUTS,
)


def is_item(line: Fields) -> bool:
    """Whether a line is a bare item, as the first versions wrote them."""
    return line.get("type") in _ITEMS and "payload" not in line


@dataclass(slots=True)
class _Message:
    """A message that may still get more."""

    named: Arrival
    """Its key, its parent and its time; what it says is on the shelf."""
    model: str | None = None
    state: ReplyState = "complete"
    goes_on_from: str | None = None


class Session:
    """The lines of one file, as messages."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self.directory: str | None = None
        self._metas: dict[str, Fields] = {}
        """What is known of the session, and of those it was forked from."""
        self._title: str | None = None
        self._model: str | None = None
        self._used: object = None
        self._messages: dict[str, _Message] = {}
        self._path = Path()
        self._prompts: list[str | None] = []
        """What each prompt on the way here hangs from."""
        self._open: _Message | None = None
        """The reply that is coming in."""
        self._last_reply: _Message | None = None
        self._answer: _Message | None = None
        """The last reply to the prompt that is being answered."""

    @property
    def key(self) -> str:
        """The id of the session that all began with."""
        key = next(reversed(self._metas), "")
        passed: set[str] = set()
        while key not in passed:
            passed.add(key)
            key = text_of(self._metas.get(key, {}).get("forked_from_id")) or key
        return key

    def add(self, line: Fields) -> None:
        """Take in the next line."""
        time = time_of(line.get("timestamp"))
        payload = dict_of(line.get("payload"))
        match line.get("type"):
            case "session_meta":
                self._begin(payload)
            case "turn_context":
                self._model = text_of(payload.get("model")) or self._model
            case "response_item":
                self._item(payload, time)
            case "event_msg":
                self._event(payload)
            case "compacted":
                self._compact(payload, time)
            case None if "id" in line:
                self._begin(line)
            case _ if is_item(line):
                self._item(line, time)

    def _begin(self, meta: Fields) -> None:
        # The first is the session's own.
        self.directory = self.directory or text_of(meta.get("cwd"))
        self._metas.setdefault(text_of(meta.get("id")) or "", meta)

    def _item(self, item: Fields, time: datetime | None) -> None:
        found = said(item)
        if found is None:
            return
        if found.role == "assistant" and self._open is not None:
            self._shelf.add(self._open.named.key, {"blocks": flat(found.blocks)})
            return
        above = self._path.end
        message = self._add(found, time)
        if found.role == "assistant":
            message.model = self._model
            self._open = self._last_reply = self._answer = message
        else:
            self._open = None
        if found.is_prompt:
            self._prompts.append(above)
            self._answer = None

    def _add(self, found: Said, time: datetime | None) -> _Message:
        """Hang a message from the last; a prompt that was said there before is it."""
        arrival = Arrival("", found.role, found.blocks, created_at=time)
        arrival = replace(arrival, tool_result_error=found.is_error)
        named = self._path.add(arrival)
        if found.role == "assistant":
            # It is named before all of it is known, and may go on differently.
            number = 1
            while named.key in self._messages:
                number += 1
                key = f"{named.key.partition('+')[0]}+{number}"
                named = replace(named, key=key)
            self._path.end = named.key
        if named.key not in self._messages:
            self._shelf.add(named.key, {"blocks": flat(found.blocks)})
            self._messages[named.key] = _Message(replace(named, blocks=()))
        return self._messages[named.key]

    def _event(self, event: Fields) -> None:
        match event.get("type"):
            case "token_count":
                self._count(dict_of(event.get("info")))
            case "turn_aborted" if self._answer is not None:
                self._answer.state = "interrupted"
            case "thread_rolled_back":
                self._go_back(count_of(event.get("num_turns")) or 0)
            case "thread_settings_applied":
                settings = dict_of(event.get("thread_settings"))
                self._model = text_of(settings.get("model")) or self._model
            case "thread_name_updated":
                self._title = text_of(event.get("thread_name"))

    def _count(self, info: Fields) -> None:
        """Note what the last reply used; the same count may be told again."""
        total = info.get("total_token_usage")
        if info and total != self._used and self._last_reply is not None:
            self._used = total
            usage = dict_of(info.get("last_token_usage"))
            self._shelf.add(self._last_reply.named.key, {"usage": usage})

    def _go_back(self, turns: int) -> None:
        if turns < 1 or not self._prompts:
            return
        left = max(0, len(self._prompts) - turns)
        self._path.end = self._prompts[left]
        del self._prompts[left:]
        self._open = self._last_reply = self._answer = None

    def _compact(self, compacted: Fields, time: datetime | None) -> None:
        """Begin anew with a summary of what was said."""
        history = list_of(compacted.get("replacement_history"))
        text = text_of(compacted.get("message")) or ""
        last = said(dict_of(history[-1])) if history and not text else None
        blocks = last.blocks if last is not None else [text_block(text)]
        before, self._path.end = self._path.end, None
        message = self._add(Said("user", blocks), time)
        message.goes_on_from = before
        self._shelf.add(message.named.key, {"compacted": compacted})
        self._prompts.clear()
        self._open = self._last_reply = self._answer = None

    def messages(self, modified: datetime) -> Iterator[Arrival]:
        """Return what was said, parents before replies.

        What a fork shares with others is known by the session that it began in, and
        the end of it by its own.
        """
        own = next(iter(self._metas.values()), {})
        begun = self._metas.get(self.key, own)
        trace = _trace_title(own)
        named = [message.named for message in self._messages.values()]
        arrivals = parents_first(named, time_of(begun.get("timestamp")) or modified)
        del named
        for position, arrival in enumerate(arrivals):
            whole = self._whole(arrival)
            if position == 0:
                whole = replace(whole, meta={**whole.meta, "session": begun})
            if begun is not own and position == len(arrivals) - 1:
                whole = replace(whole, meta={**whole.meta, "session": own})
            if position == (0 if begun is own else len(arrivals) - 1):
                whole = replace(whole, title=self._title)
            yield whole if trace is None else replace(whole, title=trace)

    def _whole(self, arrival: Arrival) -> Arrival:
        """Return a message with what it says, and what is known of it."""
        message = self._messages.pop(arrival.key)
        blocks: list[Block] = []
        known: Fields = {}
        for piece in self._shelf.pieces(arrival.key):
            blocks += blocks_of(piece.pop("blocks", ()))
            known |= piece
        origin, usage = message.goes_on_from, known.get("usage", {})
        is_reply = arrival.role == "assistant"
        return replace(
            arrival,
            blocks=blocks,
            facts=_facts(message, usage) if is_reply else None,
            continues=Origin(SOURCE, self.key, origin) if origin else None,
            meta={name: value for name, value in known.items() if value},
        )


def _facts(message: _Message, usage: Fields) -> ReplyFacts:
    return ReplyFacts(
        model=message.model,
        input_tokens=count_of(usage.get("input_tokens")),
        output_tokens=count_of(usage.get("output_tokens")),
        cached_tokens=count_of(usage.get("cached_input_tokens")),
        reasoning_tokens=count_of(usage.get("reasoning_output_tokens")),
        state=message.state,
    )


def _trace_title(meta: Fields) -> str | None:
    """Return the title of a subagent's trace; `None` if the session is the user's."""
    subagent = dict_of(meta.get("source")).get("subagent")
    if subagent is None:
        return None
    spawned = dict_of(dict_of(subagent).get("thread_spawn"))
    names = (
        spawned.get("agent_role"),
        spawned.get("agent_nickname"),
        subagent,
        dict_of(subagent).get("other"),
    )
    name = next(filter(None, map(text_of, names)), "codex").replace(":", "-")
    return f"{SUBAGENT_PREFIX}{name}:{text_of(meta.get('id')) or ''}"
