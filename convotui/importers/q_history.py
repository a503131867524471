"""What the state of one conversation with Amazon Q says.

A history is a list of turns, each of what the user and what the assistant said, as an
object or, in older files, as a pair. What comes from the user may be a prompt, the
results of tools, or both. A tangent leaves the history that it began from aside, which
then is a branch.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any

from convotui.importers.shaping import (
    ContentKeys,
    amount_of,
    call_block,
    compact,
    count_of,
    dict_of,
    image_block,
    json_block,
    known,
    list_of,
    milliseconds,
    parents_first,
    text_block,
    text_of,
    time_of,
)
from convotui.storage.arrivals import Arrival
from convotui.storage.records import Block, ReplyFacts

_REPLIES = ("Response", "ToolUse")
_TOOL_USES = "\n[Tool uses: "


def read_state(
    state: dict[str, Any], title: str | None, modified: datetime
) -> tuple[list[Arrival], str | None]:
    """Return the messages of a state, and the directory that it was held in."""
    reader = _Reader(state)
    messages = parents_first(reader.read(), modified)
    if messages:
        root = replace(messages[0], title=title or reader.directory)
        usage = state.get("user_turn_metadata")
        if usage:
            root = replace(root, meta={**root.meta, "user_turn_metadata": usage})
        messages[0] = root
    return messages, reader.directory


class _Reader:
    """Hangs one message below the other, and goes back where a branch begins."""

    def __init__(self, state: dict[str, Any]) -> None:
        self._state = state
        info = dict_of(state.get("model_info"))
        self._model = text_of(info.get("model_id")) or text_of(state.get("model"))
        self._keys = ContentKeys()
        self._last: str | None = None
        self.directory: str | None = None

    def read(self) -> list[Arrival]:
        """Return all messages, parents before replies."""
        state = self._state
        history = list_of(state.get("history"))
        tangent = dict_of(state.get("tangent_state"))
        main = list_of(tangent.get("main_history"))
        shared = 0
        while shared < min(len(main), len(history)) and main[shared] == history[shared]:
            shared += 1
        found = list(self._hang(_summary(state.get("latest_summary"))))
        if not history:
            found += self._hang(_transcript(list_of(state.get("transcript"))))
        found += self._hang(self._turns(history[:shared]))
        fork = self._last
        label = "tangent" if tangent else None
        found += self._labelled(self._turns(history[shared:]), label)
        found += self._hang(self._user(dict_of(state.get("next_message")), None))
        self._last = fork
        found += self._hang(self._turns(main[shared:]))
        if tangent:
            waiting = dict_of(tangent.get("main_next_message"))
            found += self._hang(self._user(waiting, None))
        return found

    def _labelled(
        self, messages: Iterable[Arrival], label: str | None
    ) -> Iterator[Arrival]:
        for message in self._hang(messages):
            yield replace(message, title=label)
            label = None

    def _hang(self, messages: Iterable[Arrival]) -> Iterator[Arrival]:
        """Hang each message from the one before."""
        for message in messages:
            named = self._keys.named(message, message.created_at)
            yield replace(named, parent=self._last)
            self._last = named.key

    def _turns(self, entries: Iterable[object]) -> Iterator[Arrival]:
        for entry in entries:
            if isinstance(entry, list) and len(entry) >= 2:
                turn = {"user": entry[0], "assistant": entry[1]}
            else:
                turn = dict_of(entry)
            if not dict_of(turn.get("user")) and not dict_of(turn.get("assistant")):
                yield Arrival("", "user", [text_block("", q_entry=entry)])
            request = dict_of(turn.get("request_metadata"))
            yield from self._user(dict_of(turn.get("user")), request)
            yield from self._assistant(dict_of(turn.get("assistant")), request)

    def _user(
        self, user: dict[str, Any], request: dict[str, Any] | None
    ) -> Iterator[Arrival]:
        if not user:
            return
        state = dict_of(dict_of(user.get("env_context")).get("env_state"))
        directory = text_of(state.get("current_working_directory"))
        self.directory = self.directory or directory
        started = (request or {}).get("request_start_timestamp_ms")
        time = time_of(user.get("timestamp")) or milliseconds(started)
        content = dict_of(user.get("content"))
        [(kind, said)] = list(content.items())[:1] or [("Prompt", {})]
        said = dict_of(said)
        context = text_of(user.get("additional_context"))
        images = list(map(_image, list_of(user.get("images"))))
        results = list(
            _results(said, is_cancelled=kind == "CancelledToolUses", time=time)
        )
        prompt = said.get("prompt")
        if isinstance(prompt, str) or not results:
            text = prompt if isinstance(prompt, str) else ""
            unknown = None if kind == "Prompt" or results else content
            block = text_block(text, q_additional_context=context, q_content=unknown)
            results.append(Arrival("", "user", [block, *images], created_at=time))
        elif images:
            last = results[-1]
            call = last.blocks[0].id
            shown = (replace(image, id=call) for image in images)
            results[-1] = replace(last, blocks=[*last.blocks, *shown])
        yield from results

    def _assistant(
        self, assistant: dict[str, Any], request: dict[str, Any]
    ) -> Iterator[Arrival]:
        if not assistant:
            return
        [(kind, content)] = list(assistant.items())[:1]
        said = dict_of(content)
        text = said.get("content")
        blocks = [text_block(text)] if isinstance(text, str) and text else []
        blocks += map(_call, map(dict_of, list_of(said.get("tool_uses"))))
        ended = request.get("stream_end_timestamp_ms")
        yield Arrival(
            "",
            "assistant",
            blocks
            or [text_block("", q_content=None if kind in _REPLIES else assistant)],
            created_at=milliseconds(ended),
            facts=_facts(request, self._model),
            meta=known(
                message_id=text_of(said.get("message_id")),
                response_bytes=count_of(request.get("response_size")),
                context_usage_percentage=amount_of(
                    request.get("context_usage_percentage")
                ),
            ),
        )


def _facts(request: dict[str, Any], model: str | None) -> ReplyFacts:
    start = amount_of(request.get("request_start_timestamp_ms"))
    end = amount_of(request.get("stream_end_timestamp_ms"))
    wait = dict_of(request.get("time_to_first_chunk"))
    seconds, nanos = amount_of(wait.get("secs")), amount_of(wait.get("nanos"))
    return ReplyFacts(
        model=text_of(request.get("model_id")) or model,
        first_token_seconds=(
            None if seconds is None else amount_of(seconds + (nanos or 0) / 1e9)
        ),
        duration_seconds=(
            None if start is None or end is None else amount_of((end - start) / 1000)
        ),
    )


def _summary(summary: object) -> Iterator[Arrival]:
    text, request = summary, {}
    if isinstance(summary, list) and summary:
        text, request = summary[0], dict_of(summary[-1])
    if isinstance(text, str) and text:
        time = milliseconds(request.get("stream_end_timestamp_ms"))
        block = text_block(text, q_summary=True)
        yield Arrival("", "user", [block], created_at=time)


def _transcript(lines: list[object]) -> Iterator[Arrival]:
    """What is left when the history was cleared."""
    for line in lines:
        if not isinstance(line, str):
            continue
        if line.startswith("> "):
            block = text_block(line[2:].replace("> \n", "\n"), q_transcript=True)
            yield Arrival("", "user", [block])
        else:
            text, mark, tools = line.rpartition(_TOOL_USES)
            uses = tools.removesuffix("]") if mark else None
            block = text_block(
                text if mark else line,
                q_transcript=True,
                q_tool_uses=None if uses == "none" else uses,
            )
            yield Arrival("", "assistant", [block])


def _results(
    said: dict[str, Any], *, is_cancelled: bool, time: datetime | None
) -> Iterator[Arrival]:
    for result in map(dict_of, list_of(said.get("tool_use_results"))):
        call = text_of(result.get("tool_use_id"))
        blocks = [_result(item, call) for item in list_of(result.get("content"))]
        yield Arrival(
            "",
            "tool_result",
            blocks or [text_block("", call=call)],
            created_at=time,
            tool_result_error=is_cancelled or result.get("status") == "Error",
        )


def _result(item: object, call: str | None) -> Block:
    if isinstance(item, dict) and isinstance(item.get("Text"), str):
        return text_block(item["Text"], call=call)
    value = item["Json"] if isinstance(item, dict) and "Json" in item else item
    return json_block(value, call=call)


def _call(use: dict[str, Any]) -> Block:
    name, parameters = use.get("name"), use.get("args")
    original, arguments = use.get("orig_name"), use.get("orig_args")
    return call_block(
        text_of(use.get("id")),
        name,
        parameters,
        orig_name=None if original == name else original,
        orig_args=None if arguments == parameters else arguments,
    )


def _image(image: object) -> Block:
    found = dict_of(image)
    numbers = dict_of(found.get("source")).get("Bytes")
    kind = text_of(found.get("format")) or "png"
    try:
        data = bytes(list_of(numbers))
    except (TypeError, ValueError):
        return text_block("", q_image=compact(image))
    return image_block(data, f"image/{kind.lower()}")
