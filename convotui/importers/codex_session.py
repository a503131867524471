"""One session of Codex, put together from its lines.

What is said is told twice, as items and as events; the items are taken. What a reply
consists of is one message: thinking, words and calls up to the next result or prompt.
Turns that were taken back stay, as a branch.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from convotui.importers.codex_items import OUTPUTS, Said, said
from convotui.importers.shaping import (
    count_of,
    dict_of,
    known,
    list_of,
    parents_first,
    text_block,
    text_of,
    time_of,
)
from convotui.importers.threads import Path
from convotui.storage.arrivals import Arrival, Origin
from convotui.storage.records import SUBAGENT_PREFIX, ReplyFacts, ReplyState

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
    """Its key, its parent and its time."""
    said: Said
    model: str | None = None
    usage: Fields = field(default_factory=dict)
    state: ReplyState = "complete"
    goes_on_from: str | None = None
    meta: Fields = field(default_factory=dict)


class Session:
    """The lines of one file, as messages."""

    def __init__(self) -> None:
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

    @property
    def is_one(self) -> bool:
        """Whether there was anything of a session."""
        return bool(self._metas or self._messages)

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
            self._open.said.blocks += found.blocks
            return
        above = self._path.end
        message = self._add(found, time)
        if found.role == "assistant":
            message.model = self._model
            self._open = self._last_reply = message
        else:
            self._open = None
        if found.is_prompt:
            self._prompts.append(above)

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
        return self._messages.setdefault(named.key, _Message(named, found))

    def _event(self, event: Fields) -> None:
        match event.get("type"):
            case "token_count":
                self._count(dict_of(event.get("info")))
            case "turn_aborted" if self._open is not None:
                self._open.state = "interrupted"
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
            self._last_reply.usage = dict_of(info.get("last_token_usage"))

    def _go_back(self, turns: int) -> None:
        if turns < 1 or not self._prompts:
            return
        left = max(0, len(self._prompts) - turns)
        self._path.end = self._prompts[left]
        del self._prompts[left:]
        self._open = self._last_reply = None

    def _compact(self, compacted: Fields, time: datetime | None) -> None:
        """Begin anew with a summary of what was said."""
        history = list_of(compacted.get("replacement_history"))
        text = text_of(compacted.get("message")) or ""
        last = said(dict_of(history[-1])) if history and not text else None
        blocks = last.blocks if last is not None else [text_block(text)]
        before, self._path.end = self._path.end, None
        message = self._add(Said("user", blocks), time)
        message.goes_on_from = before
        message.meta = {"compacted": compacted}
        self._prompts.clear()
        self._open = self._last_reply = None

    def messages(self, modified: datetime) -> list[Arrival]:
        """Return what was said, parents before replies."""
        own = next(iter(self._metas.values()), {})
        trace = _trace_title(own)
        arrivals = parents_first(self._arrivals(), modified)
        title = trace or self._title
        for position, arrival in enumerate(arrivals):
            if position == 0:
                meta = {**arrival.meta, "session": own}
                arrivals[0] = replace(arrival, title=title, meta=meta)
            elif trace is not None:
                arrivals[position] = replace(arrival, title=trace)
        return arrivals

    def _arrivals(self) -> Iterator[Arrival]:
        for message in self._messages.values():
            origin = message.goes_on_from
            yield replace(
                message.named,
                blocks=message.said.blocks,
                facts=_facts(message) if message.said.role == "assistant" else None,
                continues=Origin(SOURCE, self.key, origin) if origin else None,
                meta={**message.meta, **known(usage=message.usage or None)},
            )


def _facts(message: _Message) -> ReplyFacts:
    usage = message.usage
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
