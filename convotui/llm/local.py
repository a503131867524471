"""Models run on this machine, from a GGUF file."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from convotui.llm import weights
from convotui.llm.client import (
    LOCAL_PREFIX,
    Endpoint,
    FinishPiece,
    Media,
    ModelError,
    Part,
    Piece,
    Request,
    Text,
    TextPiece,
    Thinking,
    ThinkingPiece,
    ToolCall,
    Turn,
    UsagePiece,
)
from convotui.llm.gguf import window_of
from convotui.llm.local_process import Event, ModelProcess

BUILT_IN = f"{LOCAL_PREFIX}{weights.NAME}"
"""The model whose weights `weights.install` fetches."""
_BUILT_IN_TOKENS = 512
"""How long its replies may be: so small a model may go round in circles for ever."""
HOW_TO_INSTALL = "pip install 'convotui[local]'"


def can_run() -> bool:
    """Whether what runs a model file is installed."""
    return find_spec("xllamacpp") is not None


class LocalClient:
    """Replies with a model file, which stays loaded until another one is asked for.

    Replies of one file are given one after the other. Each file has a process of its
    own, so that what goes wrong in it goes wrong there.
    """

    def __init__(self, weights_directory: Path) -> None:
        self._weights_directory = weights_directory
        self._process: ModelProcess | None = None
        self._loaded: tuple[Path, int, int] | None = None

    def path_of(self, model: str) -> Path:
        """Return the file that a model's name stands for; it need not be there.

        Raises:
            ModelError: If it stands for none, or the built-in model has not been
                fetched.
        """
        name = model.removeprefix(LOCAL_PREFIX)
        if name == weights.NAME:
            path = weights.installed(self._weights_directory)
            if path is None:
                raise ModelError(
                    "The built-in model is not here yet; 'convotui models install' "
                    "fetches it.",
                    "missing",
                )
            return path
        try:
            return Path(name).expanduser().absolute()
        except (OSError, RuntimeError) as error:  # No home, or no working directory.
            raise ModelError(
                f"{name}: cannot be found ({error}).", "unknown_model"
            ) from error

    def window_of(self, model: str) -> int:
        """Return how many tokens a model takes; the file's head is read for it.

        Raises:
            ModelError: If the model's file cannot be used.
        """
        return window_of(self.path_of(model))

    async def reply(
        self, endpoint: Endpoint, request: Request
    ) -> AsyncGenerator[Piece, None]:
        """Yield the reply piece by piece; closing the generator stops it at once.

        Raises:
            ModelError: And nothing else, whatever goes wrong.
        """
        path = self.path_of(endpoint.model)
        window = await asyncio.to_thread(window_of, path)
        body = _body(endpoint, request)
        process = self._process_for(path, window)
        loop = asyncio.get_running_loop()
        events: asyncio.Queue[Event] = asyncio.Queue()

        def tell(event: Event) -> None:
            with suppress(RuntimeError):  # The loop has been closed.
                loop.call_soon_threadsafe(events.put_nowait, event)

        number = process.ask(body, tell)
        try:
            while "done" not in (event := await events.get()):
                if "error" in event:
                    raise _error(event["error"], path)
                for piece in _pieces(event):
                    yield piece
        finally:
            process.cancel(number)

    def close(self) -> None:
        """Let go of the model that is loaded; it can be asked for again."""
        if self._process is not None:
            self._process.close()
            self._process = None

    def _process_for(self, path: Path, window: int) -> ModelProcess:
        try:
            state = path.stat()
            wanted = (path, state.st_size, state.st_mtime_ns)
            if self._process is not None:
                if self._process.is_running and self._loaded == wanted:
                    return self._process
                self._process.retire()
            self._process = ModelProcess(path, window)
            self._loaded = wanted
        except OSError as error:
            raise ModelError(f"{path}: cannot be run ({error}).", "other") from error
        return self._process


def _body(endpoint: Endpoint, request: Request) -> bytes:
    system = [{"role": "system", "content": request.system}] if request.system else []
    body: dict[str, Any] = {
        **endpoint.extra,
        "messages": [*system, *map(_message, request.turns)],
        "stream": True,
        "stream_options": {"include_usage": True},
        # Without it nothing is heard, and nothing can be cancelled, before the
        # first word.
        "return_progress": True,
    }
    if endpoint.temperature is not None:
        body["temperature"] = endpoint.temperature
    most = _BUILT_IN_TOKENS if endpoint.model == BUILT_IN else None
    if (most := endpoint.max_tokens or most) is not None:
        body["max_tokens"] = most
    try:
        # Half characters cannot be encoded; each becomes a question mark.
        return json.dumps(body, ensure_ascii=False).encode(errors="replace")
    except (TypeError, ValueError, RecursionError) as error:
        raise ModelError(
            f"The model's parameters cannot be sent ({error}).", "other"
        ) from error


def _message(turn: Turn) -> dict[str, str]:
    return {"role": turn.role, "content": _text_of(turn.parts)}


def _text_of(parts: Sequence[Part]) -> str:
    return "\n\n".join(text for part in parts if (text := _said(part)))


def _said(part: Part) -> str:
    """Return what a model that only reads is given to read."""
    match part:
        case Text(text):
            return text
        case Thinking():
            return ""
        case Media(mime_type):
            kind = "image" if mime_type.startswith("image/") else "file"
            return f"[{kind} left out]"
        case ToolCall(_, name, arguments):
            return f"[called the tool {name}: {arguments}]"
    note = "[the tool failed]" if part.is_error else "[the tool's result]"
    return "\n".join([note, part.text, *map(_said, part.media)])


def _pieces(event: Event) -> Iterator[Piece]:
    for choice in event.get("choices", ()):
        delta = choice.get("delta", {})
        if thought := delta.get("reasoning_content"):
            yield ThinkingPiece(thought)
        if text := delta.get("content"):
            yield TextPiece(text)
        if reason := choice.get("finish_reason"):
            yield FinishPiece(reason)
    if usage := event.get("usage"):
        yield UsagePiece(
            input_tokens=usage.get("prompt_tokens"),
            output_tokens=usage.get("completion_tokens"),
            cached_tokens=usage.get("prompt_tokens_details", {}).get("cached_tokens"),
            cost=0.0,
        )


def _error(error: Event, path: Path) -> ModelError:
    said = " ".join(str(error.get("message", "")).split())[:200]
    match error.get("type"):
        case "exceed_context_size_error":
            return ModelError(
                f"Too long for this model: {error.get('n_prompt_tokens')} tokens, and"
                f" it takes {error.get('n_ctx')}.",
                "too_long",
            )
        case "missing":
            return ModelError(
                f"To run a model on this machine: {HOW_TO_INSTALL} ({said})", "missing"
            )
        case "unloadable":
            return ModelError(
                f"{path}: cannot be loaded; it is damaged, of an unknown kind, or"
                " larger than the memory.",
                "unknown_model",
            )
        case "ended":
            return ModelError(
                f"{path}: the model broke off; it is damaged or needs more memory.",
                "cut",
            )
    return ModelError(f"The model cannot answer this ({said}).", "other")
