"""ChatGPT's export: every conversation with all of its branches.

A conversation maps ids to nodes that name their parent, in no order. Nodes that say
nothing are passed over, and what hangs from them hangs from what is above. What ChatGPT
keeps from its users is kept, and folded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from convotui.importers.beside import Beside
from convotui.importers.chatgpt_content import attached, call_of, said
from convotui.importers.formats import Format
from convotui.importers.records import Conversation
from convotui.importers.shaping import (
    dict_of,
    known,
    list_of,
    parents_first,
    text_of,
    time_of,
)
from convotui.importers.sources import Source
from convotui.importers.threads import hidden, spoken
from convotui.storage.arrivals import Arrival
from convotui.storage.records import Block, ReplyFacts, ReplyState, Role

_ROLES: dict[str | None, Role] = {"assistant": "assistant", "tool": "tool_result"}
_HIDDEN = "is_visually_hidden_from_conversation"
_STATES: dict[str | None, ReplyState] = {
    "in_progress": "interrupted",
    "finished_partial_completion": "interrupted",
}
_USUAL = {"recipient": "all", "weight": 1.0, "status": "finished_successfully"}
_ABOUT = ("recipient", "weight", "status", "channel", "end_turn", "update_time")

Fields = dict[str, Any]


def _knows(records: Sequence[Any]) -> bool:
    return any(_is_conversation(record) for record in records)


def _is_conversation(record: object) -> bool:
    nodes = dict_of(record).get("mapping")
    if not isinstance(nodes, dict):
        return False
    return not nodes or any("message" in dict_of(node) for node in nodes.values())


def _read(source: Source) -> Iterator[Conversation]:
    beside = Beside(source)
    for record in source.records():
        if not isinstance(record.value, dict):
            source.skip(record.where, "is no conversation.")
            continue
        # Folders stand in the same list, and have nothing in them.
        if (mapping := record.value.get("mapping")) is None:
            continue
        if not isinstance(mapping, dict):
            source.skip(record.where, "its messages are no JSON object.")
            continue
        arrivals = _Reader(record.value, beside).read()
        fallback = time_of(record.value.get("create_time")) or source.modified
        yield Conversation(_key(record.value), parents_first(arrivals, fallback))


def _key(conversation: Fields) -> str:
    own = conversation.get("conversation_id") or conversation.get("id")
    return text_of(own) or next(iter(conversation["mapping"]), "")


class _Reader:
    """Reads one conversation."""

    def __init__(self, conversation: Fields, beside: Beside) -> None:
        self._conversation = conversation
        self._beside = beside
        mapping = conversation["mapping"]
        self._nodes: dict[str, Fields] = {k: dict_of(v) for k, v in mapping.items()}
        self._messages = {
            key: message
            for key, node in self._nodes.items()
            if _says_anything(message := dict_of(node.get("message")))
        }
        self._up = {
            child: key
            for key, node in self._nodes.items()
            for child in list_of(node.get("children"))
            if isinstance(child, str)
        }
        self._up |= {
            key: above
            for key, node in self._nodes.items()
            if (above := text_of(node.get("parent"))) is not None
        }
        self._parents: dict[str, str | None] = {}
        self._calls: dict[str, str | None] = {}

    def read(self) -> Iterator[Arrival]:
        """Return the messages in the order of the file."""
        title = text_of(self._conversation.get("title"))
        for key, message in self._messages.items():
            arrival = self._arrival(key, message)
            if arrival.parent is None:
                about = {**arrival.meta, "conversation": self._about()}
                arrival = replace(arrival, title=title, meta=about)
            yield arrival

    def _about(self) -> Fields:
        left_out = ("mapping", "title")
        fields = self._conversation.items()
        return {k: v for k, v in fields if k not in left_out and v is not None}

    def _parent(self, key: str) -> str | None:
        """Return the nearest node above that says anything."""
        passed = {key: None}
        above = self._up.get(key)
        while above in self._nodes and above not in self._messages:
            if above in self._parents or above in passed:
                above = self._parents.get(above)
                break
            passed[above] = None
            above = self._up.get(above)
        found = above if above in self._messages else None
        self._parents |= dict.fromkeys(passed, found)
        return found

    def _arrival(self, key: str, message: Fields) -> Arrival:
        author, metadata = _author(message), dict_of(message.get("metadata"))
        role = _ROLES.get(text_of(author.get("role")), "user")
        is_hidden = metadata.get(_HIDDEN) is True or author.get("role") == "system"
        parent = self._parent(key)
        content = dict_of(message.get("content"))
        blocks: list[Block] = []
        if role == "assistant" and (tool := _tool(message)):
            blocks = [call_of(key, tool, content)]
        else:
            blocks = list(said(content, self._beside))
        blocks += attached(metadata, self._beside)
        call = self._call(parent) if role == "tool_result" else None
        blocks = spoken(hidden(blocks) if is_hidden else blocks, call)
        return Arrival(
            key,
            role,
            blocks,
            parent,
            created_at=time_of(message.get("create_time")),
            tool_result_error=(
                role == "tool_result" and content.get("content_type") == "system_error"
            ),
            facts=_facts(message, metadata) if role == "assistant" else None,
            meta=_meta(message, author, metadata, is_hidden=is_hidden),
        )

    def _call(self, above: str | None) -> str | None:
        """Return the call that a result belongs to: the nearest above."""
        passed: dict[str, None] = {}
        found: str | None = None
        while above is not None and above not in passed:
            if above in self._calls:
                found = self._calls[above]
                break
            passed[above] = None
            message = self._messages[above]
            role = _author(message).get("role")
            if role == "user":
                break
            if role == "assistant" and _tool(message):
                found = above
                break
            above = self._parent(above)
        self._calls |= dict.fromkeys(passed, found)
        return found


def _author(message: Fields) -> Fields:
    return dict_of(message.get("author"))


def _tool(message: Fields) -> str | None:
    """Return the tool that a message is for, if it is for one."""
    recipient = text_of(message.get("recipient"))
    return None if recipient == "all" else recipient


def _says_anything(message: Fields) -> bool:
    """Whether a node is a message; only what the program itself said may be empty."""
    if not message:
        return False
    metadata = dict_of(message.get("metadata"))
    is_own = _author(message).get("role") in ("user", "assistant")
    if is_own and metadata.get(_HIDDEN) is not True:
        return True
    content = dict_of(message.get("content"))
    parts = list_of(content.get("parts"))
    others = (v for k, v in content.items() if k not in ("content_type", "parts"))
    return any(parts) or any(others)


def _facts(message: Fields, metadata: Fields) -> ReplyFacts:
    finish = dict_of(metadata.get("finish_details"))
    return ReplyFacts(
        model=text_of(metadata.get("model_slug")),
        finish_reason=text_of(finish.get("type")),
        state=_STATES.get(text_of(message.get("status")), "complete"),
    )


def _meta(
    message: Fields, author: Fields, metadata: Fields, *, is_hidden: bool
) -> Fields:
    about = {name: message.get(name) for name in _ABOUT}
    role = author.get("role")
    return {
        **known(
            hidden=is_hidden or None,
            author=text_of(author.get("name")),
            author_role=None if role in ("user", "assistant", "tool") else role,
            metadata=metadata or None,
        ),
        **{
            name: value
            for name, value in about.items()
            if value is not None and value != _USUAL.get(name)
        },
    }


FORMAT = Format(name="chatgpt", program="ChatGPT", read=_read, knows_records=_knows)
