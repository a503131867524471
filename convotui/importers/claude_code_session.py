"""One session of Claude Code, put together from its lines.

A reply stands on as many lines as it has parts, and the results of its calls, one a
line, may stand between them. Lines that are no message are passed over, and what hangs
from them hangs from what is above. What a message says is on a shelf until all of the
session is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any

from convotui.importers.anthropic_blocks import Turn, turns
from convotui.importers.claude_code_lines import (
    SOURCE,
    asked_agents,
    event_of,
    facts_of,
    is_boundary,
    meta_of,
    said,
    without_content,
)
from convotui.importers.claude_code_links import Message, Passed, begun, calls_of
from convotui.importers.shaping import dict_of, parents_first, text_of
from convotui.importers.shelf import Shelf, blocks_of, flat
from convotui.importers.threads import hidden, spoken
from convotui.storage.arrivals import Arrival, Origin
from convotui.storage.records import SUBAGENT_PREFIX, Block, Role

Line = dict[str, Any]


class Session:
    """The lines of one file, as messages."""

    def __init__(self, shelf: Shelf, agent: str | None = None) -> None:
        self.directory: str | None = None
        self._agent = (agent or "agent").replace(":", "-")
        self._shelf = shelf
        self._messages: dict[str, Message] = {}
        self._where: dict[str, str] = {}
        """The key of the message that what hangs from a line hangs from."""
        self._passed: dict[str, Passed] = {}
        self._events: dict[str, str | None] = {}
        """What those of them hang from that are worth keeping, by their own id."""
        self._replies: dict[str, Message] = {}
        """The last message with each of the ids that Anthropic gave."""
        self._asked: dict[str, str] = {}
        """The kind of agent that was asked with each prompt."""
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
            self._asked |= asked_agents(content)
            self._add_reply(uuid, line, turns(content, "assistant", uuid))
        else:
            self._add_turns(uuid, line, turns(content, "user", uuid))

    def _pass_over(self, uuid: str, line: Line) -> None:
        parent = above = text_of(line.get("parentUuid"))
        before = self._passed.get(above or "")
        if before is not None and not before.is_boundary:
            above = before.above
        logical = text_of(line.get("logicalParentUuid"))
        self._passed[uuid] = Passed(above, is_boundary(line), logical)
        if (event := event_of(line)) is not None:
            self._events[uuid] = parent
            self._shelf.put(f"event {uuid}", event)

    def _add_reply(self, uuid: str, line: Line, found: list[Turn]) -> None:
        message_id = text_of(dict_of(line.get("message")).get("id"))
        former = self._replies.get(message_id or "")
        if former is None or len(found) != 1 or not self._goes_on(former, line):
            self._add_turns(uuid, line, found)
            if message_id is not None and len(found) == 1:
                self._replies[message_id] = self._messages[self._where[uuid]]
            return
        former.calls += calls_of(found[0])
        self._shelf.add(former.key, (line, flat(found[0].blocks)))
        self._where[uuid] = former.key

    def _goes_on(self, reply: Message, line: Line) -> bool:
        """Whether a line is another part of a reply, and not of a copy of it."""
        above = text_of(line.get("parentUuid"))
        return above == reply.above or self._owner(above) is reply

    def _add_turns(self, uuid: str, line: Line, found: list[Turn]) -> None:
        copied = dict_of(line.get("forkedFrom"))
        key = text_of(copied.get("messageUuid")) or uuid
        above = text_of(line.get("parentUuid"))
        role: Role = "assistant" if line.get("type") == "assistant" else "user"
        message: Message | None = None
        for number, turn in enumerate(found or [Turn(role, [])]):
            name = f"{key}#{number}" if number else key
            before = message
            message = self._messages.get(name)
            if message is None:
                message = self._messages[name] = begun(name, turn, line, above)
                self._shelf.add(name, (line, flat(spoken(turn.blocks))))
            if turn.role == "tool_result":
                owner = self._owner(above) if before is None else before.owner
                message.owner = owner
            if before is not None:
                message.parent = before.key
        assert message is not None
        self._where[uuid] = self._where[key] = message.key

    def _owner(self, above: str | None) -> Message | None:
        """Return the reply that a result below this line belongs to."""
        key, _ = self._resolved(above)
        message = self._messages.get(key or "")
        if message is None or message.role == "user":
            return None
        return message if message.role == "assistant" else message.owner

    def trees(self, modified: datetime) -> Iterator[Iterator[Arrival]]:
        """Return what was said, and then what each subagent did."""
        self._gather_results()
        arrivals = parents_first(map(self._bare, self._messages.values()), modified)
        root_of: dict[str, str] = {}
        traces: dict[str, list[Arrival]] = {"": []}
        titles: dict[str, str | None] = {}
        for arrival in arrivals:
            root = root_of.get(arrival.parent or "", arrival.key)
            root_of[arrival.key] = root
            if root not in titles:
                titles[root] = self._trace_title(root)
            title = titles[root]
            if title is not None:
                arrival = replace(arrival, title=title)
            traces.setdefault("" if title is None else root, []).append(arrival)
        self._label(traces[""], root_of)
        events = self._placed_events()
        # All that is left to do is to say what is on the shelf.
        for links in (self._messages, self._where, self._replies, self._passed):
            links.clear()
        del arrivals, root_of
        for trace in traces.values():
            yield self._whole(trace, events)

    def _placed_events(self) -> dict[str, list[str]]:
        """Return the events that stand below each message."""
        placed: dict[str, list[str]] = {}
        for uuid, above in self._events.items():
            key, _ = self._resolved(above)
            if key is not None:
                placed.setdefault(key, []).append(uuid)
        return placed

    def _gather_results(self) -> None:
        """Hang the results of one reply's calls from each other, in their order."""
        for message in self._messages.values():
            owner, call = message.owner, message.call
            if owner is None or call not in owner.calls:
                continue
            if owner.results is None:
                owner.results = {}
            if (call or "") in owner.results:
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
            if line.is_boundary:
                logical = line.goes_on_from
                return None, logical and self._where.get(logical, logical)
            above = line.above
        return None, None

    def _bare(self, message: Message) -> Arrival:
        """Return a message without what it says."""
        parent, goes_on_from = message.parent, None
        if parent is None:
            parent, goes_on_from = self._resolved(message.above)
        above = self._messages.get(parent or "")
        if above is not None and above.is_gathered and message.owner is not above.owner:
            parent = above.owner.end if above.owner else parent
        return Arrival(
            key=message.key,
            role=message.role,
            blocks=(),
            parent=parent,
            created_at=message.time,
            tool_result_error=message.is_error,
            continues=Origin(SOURCE, "", goes_on_from) if goes_on_from else None,
        )

    def _whole(
        self, arrivals: Iterable[Arrival], events: dict[str, list[str]]
    ) -> Iterator[Arrival]:
        """Yield messages with what they say, and what is known of them."""
        for arrival in arrivals:
            pieces = self._shelf.pieces(arrival.key)
            first, last = pieces[0][0], pieces[-1][0]
            blocks: list[Block] = [b for _, kept in pieces for b in blocks_of(kept)]
            if first.get("isMeta") is True and arrival.role == "user":
                blocks = hidden(blocks)
            below = [
                event
                for uuid in events.get(arrival.key, ())
                for event in self._shelf.pieces(f"event {uuid}")
            ]
            is_reply = arrival.role == "assistant"
            yield replace(
                arrival,
                blocks=blocks,
                facts=facts_of(first, last, blocks) if is_reply else None,
                meta=meta_of(first, last, below),
            )

    def _label(self, arrivals: list[Arrival], root_of: dict[str, str]) -> None:
        """Give messages the names that the session and its threads have.

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
        for place, arrival in enumerate(arrivals):
            if arrival.key in labels:
                arrivals[place] = replace(arrival, title=labels[arrival.key])

    def _trace_title(self, root: str) -> str | None:
        """Return the title of a subagent's trace; `None` if it is the user's."""
        line, blocks = self._shelf.pieces(root)[0]
        if line.get("isSidechain") is not True:
            return None
        name = self._asked.get(blocks_of(blocks)[0].content, self._agent)
        run = text_of(line.get("agentId")) or root
        return f"{SUBAGENT_PREFIX}{name}:{run}"
