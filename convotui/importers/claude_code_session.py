"""One session of Claude Code, put together from its lines.

A reply stands on as many lines as it has parts, and the results of its calls, one a
line, may stand between them. Lines that are no message are passed over, and what hangs
from them hangs from what is above.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Any

from convotui.importers.anthropic_blocks import Turn, turns
from convotui.importers.claude_code_lines import (
    SOURCE,
    event_of,
    facts_of,
    is_boundary,
    meta_of,
    said,
    without_content,
)
from convotui.importers.shaping import (
    dict_of,
    json_of,
    parents_first,
    text_of,
    time_of,
)
from convotui.importers.threads import hidden, spoken
from convotui.storage.arrivals import Arrival, Origin
from convotui.storage.records import SUBAGENT_PREFIX, Role

Line = dict[str, Any]


@dataclass(slots=True)
class _Message:
    """A message that may still get more."""

    key: str
    turn: Turn
    line: Line
    """The first of its lines."""
    last: Line
    above: str | None
    """The id of the line that it hangs from."""
    parent: str | None = None
    """The key of the message that it hangs from, if that is not told by the line."""
    owner: _Message | None = None
    """The reply above a result, if there is nothing but results between."""
    results: dict[str, str] = field(default_factory=dict)
    """The keys of the results of its calls, by the call."""
    is_gathered: bool = False
    """Whether it is one of those results."""
    events: list[Line] = field(default_factory=list)

    @property
    def calls(self) -> set[str | None]:
        """The ids of its calls."""
        return {block.id for block in self.turn.blocks if block.type == "tool_call"}

    @property
    def end(self) -> str:
        """What follows it hangs from here: the last of its results, or itself."""
        return next(reversed(self.results.values()), self.key)


class Session:
    """The lines of one file, as messages."""

    def __init__(self) -> None:
        self.directory: str | None = None
        self._messages: dict[str, _Message] = {}
        self._where: dict[str, str] = {}
        """The key of the message that what hangs from a line hangs from."""
        self._passed: dict[str, Line] = {}
        """Lines that are no message."""
        self._up: dict[str, str | None] = {}
        """What is above each of them, as far as it could be told when it came."""
        self._replies: dict[str, _Message] = {}
        """The last message with each of the ids that Anthropic gave."""
        self._titles: dict[str, str] = {}
        self._summaries: dict[str, str] = {}

    def add(self, line: Line) -> None:
        """Take in the next line."""
        self.directory = self.directory or text_of(line.get("cwd"))
        kind = line.get("type")
        if kind == "summary":
            if (leaf := text_of(line.get("leafUuid"))) is not None:
                self._summaries[leaf] = text_of(line.get("summary")) or ""
        elif kind in ("custom-title", "ai-title"):
            name = "customTitle" if kind == "custom-title" else "aiTitle"
            self._titles[kind] = text_of(line.get(name)) or ""
        uuid = text_of(line.get("uuid"))
        if uuid is None or uuid in self._where or uuid in self._passed:
            return
        content, line = said(line), without_content(line)
        if content is None:
            self._pass_over(uuid, line)
        elif kind == "assistant":
            self._add_reply(uuid, line, turns(content, "assistant", uuid))
        else:
            self._add_turns(uuid, line, turns(content, "user", uuid))

    def _pass_over(self, uuid: str, line: Line) -> None:
        above = text_of(line.get("parentUuid"))
        if above in self._passed and not is_boundary(self._passed[above]):
            above = self._up[above]
        self._passed[uuid] = line
        self._up[uuid] = above

    def _add_reply(self, uuid: str, line: Line, found: list[Turn]) -> None:
        message_id = text_of(dict_of(line.get("message")).get("id"))
        begun = self._replies.get(message_id or "")
        if begun is None or len(found) != 1 or not self._goes_on(begun, line):
            self._add_turns(uuid, line, found)
            if message_id is not None and len(found) == 1:
                self._replies[message_id] = self._messages[self._where[uuid]]
            return
        begun.turn.blocks += found[0].blocks
        begun.last = line
        self._where[uuid] = begun.key

    def _goes_on(self, begun: _Message, line: Line) -> bool:
        """Whether a line is another part of a reply, and not of a copy of it."""
        above = text_of(line.get("parentUuid"))
        return above == begun.above or self._owner(above) is begun

    def _add_turns(self, uuid: str, line: Line, found: list[Turn]) -> None:
        copied = dict_of(line.get("forkedFrom"))
        key = text_of(copied.get("messageUuid")) or uuid
        above = text_of(line.get("parentUuid"))
        role: Role = "assistant" if line.get("type") == "assistant" else "user"
        message: _Message | None = None
        for number, turn in enumerate(found or [Turn(role, spoken([]))]):
            name = f"{key}#{number}" if number else key
            before = message
            message = _Message(name, turn, line, line, above)
            if turn.role == "tool_result":
                owner = self._owner(above) if before is None else before.owner
                message.owner = owner
            if before is not None:
                message.parent = before.key
            message = self._messages.setdefault(name, message)
        assert message is not None
        self._where[uuid] = self._where[key] = message.key

    def _owner(self, above: str | None) -> _Message | None:
        """Return the reply that a result below this line belongs to."""
        key, _ = self._resolved(above)
        message = self._messages.get(key or "")
        if message is None or message.turn.role == "user":
            return None
        return message if message.turn.role == "assistant" else message.owner

    def trees(self, modified: datetime) -> Iterator[list[Arrival]]:
        """Return what was said, and then what each subagent did."""
        self._place_events()
        self._gather_results()
        arrivals = parents_first(map(self._arrival, self._messages.values()), modified)
        root_of: dict[str, str] = {}
        traces: dict[str, list[Arrival]] = {"": []}
        for arrival in arrivals:
            root = root_of.get(arrival.parent or "", arrival.key)
            root_of[arrival.key] = root
            line = self._messages[root].line
            is_trace = line.get("isSidechain") is True
            if is_trace:
                arrival = replace(arrival, title=self._trace_title(line, root))
            traces.setdefault(root if is_trace else "", []).append(arrival)
        yield self._labelled(traces.pop(""), root_of)
        yield from traces.values()

    def _place_events(self) -> None:
        for line in self._passed.values():
            if (event := event_of(line)) is not None:
                key, _ = self._resolved(text_of(line.get("parentUuid")))
                if key is not None:
                    self._messages[key].events.append(event)

    def _gather_results(self) -> None:
        """Hang the results of one reply's calls from each other, in their order."""
        for message in self._messages.values():
            owner, call = message.owner, message.turn.blocks[0].id
            if owner is None or call not in owner.calls or call in owner.results:
                continue
            message.parent = owner.end
            owner.results[call or ""] = message.key
            message.is_gathered = True

    def _resolved(self, above: str | None) -> tuple[str | None, str | None]:
        """Return the message that hangs from a line, or else where it goes on from."""
        passed: set[str] = set()
        while above is not None and above not in passed:
            passed.add(above)
            if (key := self._where.get(above)) is not None:
                return key, None
            line = self._passed.get(above)
            if line is None:
                return None, above
            if is_boundary(line):
                logical = text_of(line.get("logicalParentUuid"))
                return None, logical and self._where.get(logical, logical)
            above = self._up[above]
        return None, None

    def _arrival(self, message: _Message) -> Arrival:
        parent, goes_on_from = message.parent, None
        if parent is None:
            parent, goes_on_from = self._resolved(message.above)
        above = self._messages.get(parent or "")
        if above is not None and above.is_gathered and message.owner is not above.owner:
            parent = above.owner.end if above.owner else parent
        line, turn = message.line, message.turn
        blocks = spoken(turn.blocks)
        if line.get("isMeta") is True and turn.role == "user":
            blocks = hidden(blocks)
        is_reply = turn.role == "assistant"
        return Arrival(
            key=message.key,
            role=turn.role,
            blocks=blocks,
            parent=parent,
            created_at=time_of(line.get("timestamp")),
            tool_result_error=turn.is_error,
            facts=facts_of(line, message.last, blocks) if is_reply else None,
            meta=meta_of(line, message.last, message.events),
            continues=Origin(SOURCE, "", goes_on_from) if goes_on_from else None,
        )

    def _labelled(
        self, arrivals: list[Arrival], root_of: dict[str, str]
    ) -> list[Arrival]:
        """Return messages with the names that the session and its threads have.

        A session's file may hold summaries of others, too.
        """
        labels: dict[str, str] = {}
        own = self._titles.get("custom-title") or self._titles.get("ai-title")
        if own and arrivals:
            labels[arrivals[0].key] = own
        for leaf, summary in self._summaries.items():
            key = self._where.get(leaf, "")
            root = root_of.get(key)
            if summary and root is not None:
                labels.setdefault(key if root in labels else root, summary)
        return [replace(arrival, title=labels.get(arrival.key)) for arrival in arrivals]

    def _trace_title(self, line: Line, root: str) -> str:
        name = self._asked.get(self._messages[root].turn.blocks[0].content, "agent")
        run = text_of(line.get("agentId")) or root
        return f"{SUBAGENT_PREFIX}{name}:{run}"

    @cached_property
    def _asked(self) -> dict[str, str]:
        """The kind of agent that was asked with each prompt."""
        found: dict[str, str] = {}
        for message in self._messages.values():
            for block in message.turn.blocks:
                if block.type == "tool_call":
                    call = dict_of(dict_of(json_of(block.content)).get("parameters"))
                    prompt = text_of(call.get("prompt"))
                    kind = text_of(call.get("subagent_type"))
                    if prompt and kind:
                        found[prompt] = kind.replace(":", "-")
        return found
