"""aichat: one session a file, as YAML."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import PurePath
from typing import Any

from convotui.importers.formats import Format
from convotui.importers.records import Conversation, UnreadableError
from convotui.importers.shaping import (
    call_block,
    chain,
    compact,
    dict_of,
    known,
    list_of,
    text_block,
    text_of,
    url_block,
)
from convotui.importers.sources import Source
from convotui.importers.trees import Result, spread
from convotui.storage.arrivals import Arrival
from convotui.storage.records import Block, ReplyFacts

_SESSION = re.compile(r"^(?:compressed_)?messages:\s*(?:$|\[|#)", re.MULTILINE)
_MODEL = re.compile(r"^model:\s*\S", re.MULTILINE)
_DEEPEST = 100
_NAMELESS = "temp"
"""The name of a session that its user has given none."""
_ABOUT = ("temperature", "top_p", "use_tools", "save_session", "compress_threshold")
_SCALARS = {
    "null": (r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    "bool": (r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    "int": (r"[-+]?\d{1,18}", list("-+0123456789")),
    "float": (r"[-+]?\d{0,18}\.\d{1,18}(?:[eE][-+]?\d{1,2})?", list("-+.0123456789")),
}
"""What is no text, and how it begins. Others take more for a date, or for a yes."""

Fields = dict[str, Any]


def _knows(text: str) -> bool:
    return _MODEL.search(text) is not None and _SESSION.search(text) is not None


def _read(source: Source) -> Iterator[Conversation]:
    session = dict_of(_loaded(source.text))
    messages = [
        *list_of(session.get("compressed_messages")),
        *list_of(session.get("messages")),
    ]
    arrivals = chain(_arrivals(session, list(map(dict_of, messages))), source.modified)
    # A session has no other name than that of its file.
    name = PurePath(source.name.rpartition("!")[2]).stem
    if arrivals and name != _NAMELESS:
        arrivals[0] = replace(arrivals[0], title=name)
    yield Conversation(name, arrivals)


def _loaded(text: str) -> Any:
    """Read YAML, of which nothing may refer to anything else.

    Raises:
        UnreadableError: If that cannot be done.
    """
    yaml: Any = import_module("yaml")
    base = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    loader: Any = type("Loader", (base,), {"yaml_implicit_resolvers": {}})
    for tag, (pattern, first) in _SCALARS.items():
        regex = re.compile(rf"(?:{pattern})\Z")
        loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", regex, first)
    try:
        _check(yaml, yaml.parse(text, Loader=loader))
        return yaml.load(text, Loader=loader)
    except yaml.YAMLError as error:
        line = getattr(getattr(error, "problem_mark", None), "line", None)
        where = "" if line is None else f" (line {line + 1})"
        raise UnreadableError(f"is no YAML that can be read{where}.") from error
    except (RecursionError, ValueError) as error:
        raise UnreadableError("is no YAML that can be read.") from error


def _check(yaml: Any, events: Iterator[Any]) -> None:
    """Refuse what could take more time, or memory, than anybody has."""
    depth = 0
    for event in events:
        if isinstance(event, yaml.AliasEvent):
            raise UnreadableError("holds aliases, which aichat never writes.")
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > _DEEPEST:
            raise UnreadableError("is nested too deeply.")


def _arrivals(session: Fields, messages: list[Fields]) -> Iterator[Arrival]:
    model = text_of(session.get("model"))
    about = known(**{name: session.get(name) for name in _ABOUT}, time_estimated=True)
    for message in messages:
        role, content = text_of(message.get("role")) or "user", message.get("content")
        if role == "system":
            text = content if isinstance(content, str) else compact(content)
            before = about.get("system")
            about["system"] = text if before is None else f"{before}\n\n{text}"
            continue
        is_reply = role in ("assistant", "tool")
        arrival = Arrival(
            key="",
            role="assistant" if is_reply else "user",
            blocks=(),
            facts=ReplyFacts(model) if is_reply else None,
            meta=about,
        )
        for part in spread(arrival, _content(content)):
            yield Arrival(
                "",
                part.role,
                part.blocks,
                tool_result_error=part.tool_result_error,
                facts=part.facts,
                meta=about,
            )
            about = {"time_estimated": True}


def _content(content: object) -> Iterator[Block | Result]:
    if isinstance(content, str):
        yield text_block(content)
    elif isinstance(content, dict):
        if (text := text_of(content.get("text"))) is not None:
            yield text_block(text)
        for tool in map(dict_of, list_of(content.get("tool_results"))):
            yield from _tool(tool)
    else:
        for part in map(dict_of, list_of(content)):
            if part.get("type") == "image_url":
                yield url_block(dict_of(part.get("image_url")).get("url"))
            else:
                text = text_of(part.get("text"))
                yield text_block(compact(part) if text is None else text)


def _tool(tool: Fields) -> Iterator[Block | Result]:
    call = dict_of(tool.get("call"))
    call_id = text_of(call.get("id")) or text_of(call.get("name"))
    yield call_block(call_id, call.get("name"), call.get("arguments"))
    output = tool.get("output")
    text = output if isinstance(output, str) else compact(output)
    yield Result(call_id, [text_block(text)])


FORMAT = Format(
    name="aichat",
    program="aichat",
    read=_read,
    knows_text=_knows,
    places=(
        "{AICHAT_SESSIONS_DIR}",
        "{AICHAT_CONFIG_DIR}/sessions",
        "{config}/aichat/sessions",
    ),
)
