"""What the head of a model file tells without loading the model."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

from convotui.llm.client import ModelError

LARGEST_WINDOW = 8192
"""In tokens; memory is set aside for all of it, a gigabyte with a mid-sized model."""
USUAL_WINDOW = 4096
"""For a file that does not say."""

_MAGIC = b"GGUF"
_HEAD = 1 << 20
"""What precedes the vocabulary is far shorter."""
_NUMBERS = dict(enumerate(("B", "b", "H", "h", "I", "i", "f", "?"))) | {
    10: "Q",
    11: "q",
    12: "d",
}
_STRING, _ARRAY = 8, 9


def window_of(path: Path) -> int:
    """Return how many tokens the model in a file takes, question and answer together.

    Raises:
        ModelError: If there is no such file, or it holds no model.
    """
    said = _context_length(_head_of(path))
    return min(said, LARGEST_WINDOW) if said > 0 else USUAL_WINDOW


def _head_of(path: Path) -> bytes:
    try:
        # Opening anything else, a pipe for one, could wait for ever.
        if not path.is_file():
            raise ModelError(f"{path}: there is no such file.", "unknown_model")
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ModelError(
            f"{path}: cannot be read ({reason}).", "unknown_model"
        ) from error
    if not head.startswith(_MAGIC):
        raise ModelError(f"{path}: this is not a GGUF file.", "unknown_model")
    return head


def _context_length(head: bytes) -> int:
    """Return what the head says, or 0 if it does not or makes no sense."""
    fields = _Fields(head, len(_MAGIC))
    try:
        _version, _tensors = fields.number("I"), fields.number("Q")
        for _ in range(fields.number("Q")):
            name = fields.string()
            value = fields.value(fields.number("I"))
            if name.endswith(b".context_length") and isinstance(value, int):
                return value
    except (struct.error, KeyError):
        pass
    return 0


class _Fields:
    """Reads one field after the other; past the end is a `struct.error`."""

    def __init__(self, data: bytes, position: int) -> None:
        self._data = data
        self._position = position

    def number(self, kind: str) -> Any:
        (value,) = struct.unpack_from("<" + kind, self._data, self._position)
        self._position += struct.calcsize("<" + kind)
        return value

    def string(self) -> bytes:
        length = self.number("Q")
        text = self._data[self._position : self._position + length]
        self._skip(length)
        return text

    def value(self, kind: int) -> Any:
        if kind == _STRING:
            return self.string()
        if kind == _ARRAY:
            return self._array()
        return self.number(_NUMBERS[kind])

    def _array(self) -> None:
        kind, length = self.number("I"), self.number("Q")
        if kind == _STRING:
            for _ in range(length):
                self.string()
        else:
            self._skip(length * struct.calcsize("<" + _NUMBERS[kind]))

    def _skip(self, length: int) -> None:
        self._position += length
        if self._position > len(self._data):
            raise struct.error("past the end")
